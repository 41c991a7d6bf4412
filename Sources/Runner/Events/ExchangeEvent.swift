public import Encoding

/// Who takes part in a sign-in: the columns of a sequence diagram.
public enum Participant: String, Sendable, CaseIterable {
  case person, script, browser
  /// The identity provider.
  case provider
  /// Identity Toolkit and Secure Token.
  case toolkit
  case other
}

/// One HTTP exchange, without secrets.
public struct ExchangeEvent: Sendable {
  /// Milliseconds each phase took; nil where nothing of the kind took place, as on a kept connection.
  public struct Timings: Sendable {
    /// Waiting for a free connection.
    public var blocked: Double?
    /// The look-up of the host's name.
    public var dns: Double?
    /// The TCP handshake.
    public var connect: Double?
    /// The TLS handshake.
    public var tls: Double?
    /// Until the request was sent.
    public var send: Double
    /// From the request's last byte to the answer's first.
    public var wait: Double
    /// From the answer's first byte to its last.
    public var receive: Double

    /// Describes the phases.
    public init(
      blocked: Double? = nil, dns: Double? = nil, connect: Double? = nil, tls: Double? = nil,
      send: Double = 0, wait: Double = 0, receive: Double = 0
    ) {
      self.blocked = blocked
      self.dns = dns
      self.connect = connect
      self.tls = tls
      self.send = send
      self.wait = wait
      self.receive = receive
    }
  }

  /// A body as far as it can be shown.
  public struct Body: Sendable {
    /// Its media type without parameters; empty when none was named.
    public var mimeType: String
    /// Bytes on the wire, before anything was cut or replaced.
    public var size: Int
    /// Nil when it is no text.
    public var text: String?
    /// Whether there was more text than is shown.
    public var isTruncated: Bool

    /// Describes a body.
    public init(mimeType: String, size: Int, text: String?, isTruncated: Bool = false) {
      self.mimeType = mimeType
      self.size = size
      self.text = text
      self.isTruncated = isTruncated
    }
  }

  /// One half of the exchange.
  public struct Message: Sendable {
    /// The header lines in order.
    public var headers: [(name: String, value: String)]
    /// Nil when there was none.
    public var body: Body?

    /// Describes one half.
    public init(headers: [(name: String, value: String)] = [], body: Body? = nil) {
      self.headers = headers
      self.body = body
    }
  }

  /// A JWT that went over the wire: what it says, without what makes it usable.
  public struct Token: Sendable {
    /// The field or parameter it stood in, such as `idToken`.
    public var kind: String
    /// The protected header.
    public var header: JSON
    /// The claims; secret ones are masked.
    public var claims: JSON
    /// Whether the answer brought it; otherwise the request did, also when both have it.
    public var isInAnswer: Bool

    /// Describes a token.
    public init(kind: String, header: JSON, claims: JSON, isInAnswer: Bool = false) {
      self.isInAnswer = isInAnswer
      self.kind = kind
      self.header = header
      self.claims = claims
    }
  }

  /// Counted through the attempt from 1.
  public var exchange: Int
  /// Who sent the request, or acts.
  public var from: Participant
  /// Who was asked, or is acted on.
  public var to: Participant
  /// The name of the operation, such as `accounts:signInWithPassword`.
  public var operation: String?
  /// The method in upper case.
  public var method: String
  /// The address, with masks for secrets.
  public var url: String
  /// Nil when no answer came.
  public var status: Int?
  /// Why no answer came.
  public var error: String?
  /// The protocol spoken, such as HTTP/1.1.
  public var protocolName: String?
  /// Milliseconds.
  public var duration: Double
  /// What the duration is made of.
  public var timings: Timings
  /// What was sent.
  public var request: Message
  /// What came back; nil when nothing did.
  public var response: Message?
  /// The tokens of both halves, decoded.
  public var tokens: [Token]

  /// Describes an exchange.
  public init(
    exchange: Int, from: Participant, to: Participant, operation: String? = nil, method: String,
    url: String, status: Int? = nil, error: String? = nil, protocolName: String? = nil,
    duration: Double, timings: Timings = Timings(), request: Message = Message(),
    response: Message? = nil, tokens: [Token] = []
  ) {
    self.exchange = exchange
    self.from = from
    self.to = to
    self.operation = operation
    self.method = method
    self.url = url
    self.status = status
    self.error = error
    self.protocolName = protocolName
    self.duration = duration
    self.timings = timings
    self.request = request
    self.response = response
    self.tokens = tokens
  }
}

/// What somebody does at a page, or a page does with somebody.
public struct PageEvent: Sendable {
  /// Who sent the request, or acts.
  public var from: Participant
  /// Who was asked, or is acted on.
  public var to: Participant
  /// Such as `open`, `type`, `press`, `consent`, `redirect`.
  public var action: String
  /// In words, such as the name of a field, never its value.
  public var detail: String
  /// The provider whose sign-in it is.
  public var provider: String?

  /// Describes what is done.
  public init(
    from: Participant, to: Participant, action: String, detail: String, provider: String? = nil
  ) {
    self.from = from
    self.to = to
    self.action = action
    self.detail = detail
    self.provider = provider
  }
}
