/// One complete answer, as the client received it.
public struct HTTPResponse: Sendable {
  /// The status code; 1xx answers are never shown.
  public var status: Int

  /// The header lines of the final answer.
  public var headers: HTTPHeaders

  /// The whole body.
  public var body: [UInt8]

  /// The URL that answered, which differs from the request's after redirects.
  public var url: WebURL

  /// The protocol spoken: HTTP/1.0, HTTP/1.1 or HTTP/2.
  public var protocolName: String

  /// The time from sending to the last byte, redirects included.
  public var duration: Duration

  /// How long each phase took, redirects added up; nil from transports that are not libcurl.
  public var timings: HTTPTimings?

  /// Creates an answer, for transports that are not libcurl.
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
}
