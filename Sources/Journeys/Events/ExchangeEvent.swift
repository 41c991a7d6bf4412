import HTTP
import Host
import IdentityToolkit
import System

/// A participant in a sign-in: a column of the sequence diagram.
enum Participant: String, Sendable, CaseIterable {
  case person, script, browser
  case provider
  /// Identity Toolkit and Secure Token.
  case toolkit
  case other
}

/// One HTTP exchange, with its secrets removed.
struct ExchangeEvent: Sendable {
  /// Milliseconds per phase; nil when the phase did not happen, as on a reused connection.
  struct Timings: Sendable {
    /// Waiting for a free connection.
    var blocked: Double?
    /// The DNS lookup.
    var dns: Double?
    /// The TCP handshake.
    var connect: Double?
    /// The TLS handshake.
    var tls: Double?
    /// Sending the request.
    var send: Double = 0
    /// From the last byte of the request to the first byte of the response.
    var wait: Double = 0
    /// From the first byte of the response to its last.
    var receive: Double = 0
  }

  /// The part of a body that can be shown.
  struct Body: Sendable {
    /// The media type without parameters; empty when there is no `Content-Type`.
    var mimeType: String
    /// Bytes on the wire, before anything was cut or replaced.
    var size: Int
    /// The text; nil when the body is not text.
    var text: String?
    /// Whether `text` is cut.
    var isTruncated: Bool = false
  }

  /// The request or the response.
  struct Message: Sendable {
    /// The header lines in order.
    var headers: [(name: String, value: String)] = []
    /// The body; nil when there is none.
    var body: Body?
  }

  /// A JWT sent or received, decoded and without its signature.
  struct Token: Sendable {
    /// The field or parameter it stood in, such as `idToken`.
    var kind: String
    /// The protected header.
    var header: JSON
    /// The claims; secret ones are masked.
    var claims: JSON
    /// Whether only the response contains the token; false when the request has it too.
    var isInAnswer: Bool = false
  }

  /// The number of the exchange in the attempt, from 1.
  var exchange: Int
  /// The participant that sent the request or acts.
  var from: Participant
  /// The participant that received the request or is acted on.
  var to: Participant
  /// The name of the operation, such as `accounts:signInWithPassword`.
  var operation: String?
  /// The HTTP method in upper case.
  var method: String
  /// The URL, with its secrets masked.
  var url: String
  /// The HTTP status; nil when there was no response.
  var status: Int?
  /// Why there was no response.
  var error: String?
  /// The protocol version, such as HTTP/1.1.
  var protocolName: String?
  /// The duration in milliseconds.
  var duration: Double
  /// How the duration splits into phases.
  var timings: Timings = Timings()
  var request: Message = Message()
  /// The response; nil when there was none.
  var response: Message?
  /// The decoded tokens of request and response.
  var tokens: [Token] = []
}

/// An action on a sign-in page, or a page's effect on another participant.
struct PageEvent: Sendable {
  /// The participant that acts.
  var from: Participant
  /// The participant that is acted on.
  var to: Participant
  /// The action, such as `open`, `type`, `press`, `consent`, `redirect`.
  var action: String
  /// Details such as the name of a field, never its value.
  var detail: String
  /// The identity provider of the sign-in.
  var provider: String?
}

extension ExchangeEvent {
  /// Creates an event from an exchange, with its secrets removed.
  ///
  /// - Parameter secrets: The secrets found so far, including those of this exchange.
  init(_ exchange: ObservedExchange, number: Int, hiding secrets: RunSecrets) {
    let request = exchange.request
    var cleaner = secrets.cleaner(isBrowser: exchange.sender == .browser)
    let route = ExchangeRoute(exchange)
    self.init(
      exchange: number, from: exchange.sender == .browser ? .browser : .script,
      to: route.receiver, operation: route.operation.map { secrets.clean($0) },
      method: request.method, url: cleaner.address(request.url),
      duration: EventHub.milliseconds(exchange.duration))
    self.request = Message(
      headers: cleaner.headers(request.headers),
      body: Body(request.body, type: request.headers["Content-Type"], &cleaner))
    switch exchange.result {
    case .success(let response):
      cleaner.beginAnswer()
      status = response.status
      protocolName = response.protocolName
      if let measured = response.timings { timings = Timings(measured) }
      self.response = Message(
        headers: cleaner.headers(response.headers),
        body: Body(response.body, type: response.headers["Content-Type"], &cleaner))
    case .failure(let failure):
      error = secrets.clean(failure.message)
      timings.wait = duration
    }
    tokens = cleaner.tokens.map(Token.init)
  }
}

extension ExchangeEvent.Body {
  /// Cleans a body; nil when there is none.
  fileprivate init?(_ bytes: [UInt8], type: String?, _ cleaner: inout ExchangeCleaner) {
    guard !bytes.isEmpty else { return nil }
    let shown = cleaner.body(bytes, type: type)
    self.init(
      mimeType: BodyKind.mimeType(type), size: bytes.count, text: shown.text,
      isTruncated: shown.isCut)
  }
}

extension ExchangeEvent.Timings {
  fileprivate init(_ timings: HTTPTimings) {
    func milliseconds(_ time: Int?) -> Double? { time.map { Double($0) / 1000 } }
    self.init(
      blocked: milliseconds(timings.blocked), dns: milliseconds(timings.nameLookup),
      connect: milliseconds(timings.connect), tls: milliseconds(timings.tls),
      send: Double(timings.send) / 1000, wait: Double(timings.wait) / 1000,
      receive: Double(timings.receive) / 1000)
  }
}
