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
    public var dns: Double?
    public var connect: Double?
    public var tls: Double?
    public var send: Double
    /// From the request's last byte to the answer's first.
    public var wait: Double
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
    public var mimeType: String
    /// Bytes on the wire, before anything was cut or replaced.
    public var size: Int
    /// Nil when it is no text.
    public var text: String?
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
    public var headers: [(name: String, value: String)]
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
    public var header: JSON
    public var claims: JSON

    /// Describes a token.
    public init(kind: String, header: JSON, claims: JSON) {
      self.kind = kind
      self.header = header
      self.claims = claims
    }
  }

  /// Counted through the attempt from 1.
  public var exchange: Int
  public var from: Participant
  public var to: Participant
  /// The name of the operation, such as `accounts:signInWithPassword`.
  public var operation: String?
  public var method: String
  public var url: String
  /// Nil when no answer came.
  public var status: Int?
  /// Why no answer came.
  public var error: String?
  public var protocolName: String?
  /// Milliseconds.
  public var duration: Double
  public var timings: Timings
  public var request: Message
  public var response: Message?
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
  public var from: Participant
  public var to: Participant
  /// Such as `open`, `type`, `press`, `consent`, `redirect`.
  public var action: String
  /// In words, such as the name of a field, never its value.
  public var detail: String
  /// The provider whose sign-in it is.
  public var provider: String?
  /// A `data:` address of a picture.
  public var picture: String?

  /// Describes what is done.
  public init(
    from: Participant, to: Participant, action: String, detail: String, provider: String? = nil,
    picture: String? = nil
  ) {
    self.from = from
    self.to = to
    self.action = action
    self.detail = detail
    self.provider = provider
    self.picture = picture
  }
}
