/// One request, as the client sends it and as the server's handler receives it.
public struct HTTPRequest: Sendable {
  /// The method in upper case, such as GET.
  public var method: String

  /// Where the request goes; absolute on both ends.
  public var url: WebURL

  /// The header lines; Host and Content-Length are added by the client.
  public var headers: HTTPHeaders

  /// The body; empty sends none.
  public var body: [UInt8]

  /// How long the whole exchange may take, redirects included; the server ignores it.
  public var timeout: Duration

  /// The largest answer the client accepts; a larger one fails with tooLarge.
  public var maximumResponseBytes: Int

  /// How many redirects the client follows; with 0 a redirect is an answer like any other.
  public var maximumRedirects: Int

  /// The header fields, in lower case, with a secret in their value; a redirect to another origin leaves them out.
  public var privateHeaders: Set<String> = []

  /// Whether a redirect may repeat the body at another origin; otherwise such a redirect is an error.
  public var repeatsBodyElsewhere = false

  /// Why `body` is empty although the client sent one; only at a server that passes such requests on.
  public internal(set) var bodyFault: BodyFault?

  /// Creates a request; everything but the URL has a default.
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
