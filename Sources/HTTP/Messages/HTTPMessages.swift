public import System

/// Sends requests and returns responses.
///
/// The only protocol of this module that tests of other modules replace.
public protocol Transport {
  /// Sends a request and waits for the whole response; a status of 400 or above is not an error.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse

  /// Waits before a retry; throws when the task is canceled.
  func pause(for duration: Duration) async throws(HTTPError)
}

extension Transport {
  /// Waits with `Task.sleep`.
  public func pause(for duration: Duration) async throws(HTTPError) {
    guard (try? await Task.sleep(for: duration)) != nil else { throw .cancelledPause }
  }
}

extension HTTPError {
  static let cancelledPause = HTTPError(
    .cancelled, "the wait before another try was cancelled", hint: "")
}

/// A request, as the client sends it and the server's handler receives it.
public struct HTTPRequest: Sendable {
  /// The method in upper case, such as GET.
  public var method: String

  /// The absolute URL, also on the server.
  public var url: WebURL

  /// The headers; the client adds Host and Content-Length.
  public var headers: HTTPHeaders

  /// The body; empty for none.
  public var body: [UInt8]

  /// The time limit of the exchange, including redirects; ignored by the server.
  public var timeout: Duration

  /// The maximum size of the response body in bytes; a larger one fails with `tooLarge`.
  public var maximumResponseBytes: Int

  /// The maximum number of redirects; with 0 a redirect is returned as the response.
  public var maximumRedirects: Int

  /// The headers with secret values, in lower case; removed on a redirect to another origin.
  public var privateHeaders: Set<String> = []

  /// Whether a redirect may send the body to another origin; otherwise such a redirect is an error.
  public var repeatsBodyElsewhere = false

  /// Why `body` is empty although the client sent one; set only with `passesBodyFaults`.
  public internal(set) var bodyFault: BodyFault?

  /// Creates a request.
  public init(
    method: String = "GET", url: WebURL, headers: HTTPHeaders = [:], body: [UInt8] = [],
    timeout: Duration = .seconds(30), maximumResponseBytes: Int = 32 << 20,
    maximumRedirects: Int = 0
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumResponseBytes = maximumResponseBytes
    self.maximumRedirects = maximumRedirects
  }

  /// The body parsed as form fields, whatever its Content-Type.
  public var form: FormFields { FormFields(parsing: String(decoding: body, as: UTF8.self)) }

  /// Parses the body as JSON.
  public func json() throws(JSONError) -> JSON { try JSON.parse(body) }

  /// Creates a POST request with a form.
  public static func post(
    _ url: WebURL, form: FormFields, headers: HTTPHeaders = [:]
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, body: Array(form.encoded.utf8))
    request.headers.set("Content-Type", "application/x-www-form-urlencoded")
    return request
  }

  /// Creates a POST request with JSON.
  public static func post(_ url: WebURL, json: JSON, headers: HTTPHeaders = [:]) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, body: json.encodedBytes())
    request.headers.set("Content-Type", "application/json")
    return request
  }
}

/// A complete response, as the client received it.
public struct HTTPResponse: Sendable {
  /// The status code; never 1xx.
  public var status: Int

  /// The headers of the final response.
  public var headers: HTTPHeaders

  /// The whole body.
  public var body: [UInt8]

  /// The URL of the final response, which differs from the request's after redirects.
  public var url: WebURL

  /// The protocol version: HTTP/1.0, HTTP/1.1 or HTTP/2.
  public var protocolName: String

  /// The time from sending to the last byte, including redirects.
  public var duration: Duration

  /// The time of each phase, summed over redirects; nil for transports other than libcurl.
  public var timings: HTTPTimings?

  /// Creates a response, for transports other than libcurl.
  public init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: WebURL,
    protocolName: String = "HTTP/1.1", duration: Duration = .zero, timings: HTTPTimings? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
    self.protocolName = protocolName
    self.duration = duration
    self.timings = timings
  }

  /// The body as text; bytes that are not UTF-8 become U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Parses the body as JSON.
  public func json() throws(JSONError) -> JSON { try JSON.parse(body) }
}

/// The duration of each phase of an exchange, in microseconds.
///
/// Nil means that the phase did not happen, such as DNS lookup and connecting on a reused connection.
public struct HTTPTimings: Sendable, Equatable {
  /// Waiting in the queue and for a free connection.
  public var blocked: Int?
  /// The DNS lookup.
  public var nameLookup: Int?
  /// The TCP handshake, and a proxy's work before TLS.
  public var connect: Int?
  /// The TLS handshake.
  public var tls: Int?
  /// Sending, as far as it can be separated from waiting.
  ///
  /// libcurl does not report when the last byte of a request was sent.
  public var send: Int = 0
  /// From the connection, or the start of the request, to the first byte of the response.
  public var wait: Int
  /// From the first byte of the response to its last.
  public var receive: Int

  /// Adds the timings of two consecutive exchanges.
  static func + (left: HTTPTimings, right: HTTPTimings) -> HTTPTimings {
    func sum(_ left: Int?, _ right: Int?) -> Int? {
      guard left != nil || right != nil else { return nil }
      return (left ?? 0) + (right ?? 0)
    }
    return HTTPTimings(
      blocked: sum(left.blocked, right.blocked),
      nameLookup: sum(left.nameLookup, right.nameLookup),
      connect: sum(left.connect, right.connect), tls: sum(left.tls, right.tls),
      send: left.send + right.send, wait: left.wait + right.wait,
      receive: left.receive + right.receive)
  }
}

/// Why a server could not decode the body of a request.
public enum BodyFault: Sendable, Equatable {
  /// The server does not support its `Content-Encoding`.
  case unknownCoding
  /// It does not match its `Content-Encoding`.
  case malformed
  /// Its compressed data are incomplete.
  case truncated

  var refusal: ServerRefusal {
    switch self {
    case .unknownCoding:
      ServerRefusal(415, "the request body has a coding other than gzip and deflate")
    case .malformed, .truncated:
      ServerRefusal(400, "the request body is not encoded as its Content-Encoding")
    }
  }
}

extension WebURL {
  /// The query parsed as form fields; empty when there is none.
  public var fields: FormFields { FormFields(parsing: query ?? "") }

  /// The fragment parsed as form fields, as implicit sign-in flows send it.
  public var fragmentFields: FormFields { FormFields(parsing: fragment ?? "") }

  /// Returns the URL with these fields as its query.
  public func with(fields: FormFields) -> WebURL { with(query: fields.encoded) }
}

extension ServerResponse {
  /// Creates a JSON response.
  public init(status: Int = 200, json: JSON, headers: HTTPHeaders = [:]) {
    self.init(status: status, headers: headers, body: json.encodedBytes())
    self.headers.set("Content-Type", "application/json; charset=utf-8")
  }
}

/// An error of an HTTP exchange, of a server or of the event loop.
///
/// Messages contain host and port, never a query, a body or a header, which may contain secrets.
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of errors, for callers that decide by them.
  public enum Code: String, Sendable, CaseIterable {
    /// The host name could not be resolved.
    case resolve
    /// The connection was refused or failed.
    case connect
    /// The TLS handshake failed, or the certificate was rejected.
    case tls
    /// The time limit was reached.
    case timedOut
    /// The body or the headers exceed a limit.
    case tooLarge
    case tooManyRedirects
    /// A redirect would send the body to another origin, which the request does not allow.
    case bodyRedirected
    /// The task was canceled or the event loop has stopped.
    case cancelled
    /// The connection broke, or the response is not HTTP.
    case broken
    /// The text is not an absolute http or https URL.
    case malformedURL
    /// The client does not support what the request asks for.
    case unsupported
    /// The request would change something in a read-only run.
    case changeNotAllowed
    case portInUse
    /// The user may not listen at the port.
    case portReserved
    /// A system call failed that normally works.
    case internalFailure
  }

  /// The kind of failure.
  public let code: Code

  /// What happened, with host and port.
  public let message: String

  /// What the user can do about it.
  public let hint: String

  /// Creates an error.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
