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
}
