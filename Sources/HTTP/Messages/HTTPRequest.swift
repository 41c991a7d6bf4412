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
}
