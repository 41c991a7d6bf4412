internal import System
internal import HTTP

/// Sends commands to a driver as JSON over HTTP (WebDriver Level 2 section 6).
final class WebDriverConnection {
  /// The driver's URL; command paths are appended to its path.
  let base: WebURL
  private let client: HTTPClient
  private let prefix: String

  /// Screenshots of long pages are large.
  private static let maximumBytes = 128 << 20

  init(_ base: WebURL, loop: EventLoop) {
    self.base = base
    prefix = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
    client = HTTPClient(loop: loop)
  }

  /// Sends a command and returns the value in the driver's response.
  func send(
    _ method: String, _ path: String, _ body: JSON? = nil, timeout: Duration
  ) async throws(WebDriverError) -> JSON {
    let request = try request(method, path, body, timeout: timeout)
    let response: HTTPResponse
    do { response = try await client.send(request) } catch {
      throw WebDriverError(error, at: base)
    }
    return try Self.value(of: response)
  }

  /// Sends a command and ignores the response, even in a canceled task.
  ///
  /// Call it on the loop's thread only.
  func sendAnyway(_ method: String, _ path: String, timeout: Duration) async {
    guard let request = try? request(method, path, nil, timeout: timeout) else { return }
    await withUnsafeContinuation { continuation in
      _ = client.begin(request) { _ in continuation.resume() }
    }
  }

  private func request(
    _ method: String, _ path: String, _ body: JSON?, timeout: Duration
  ) throws(WebDriverError) -> HTTPRequest {
    guard let url = WebURL("\(base.origin)\(prefix)\(path)") else {
      throw WebDriverError(.invalidArgument)
    }
    var request = HTTPRequest(method: method, url: url, timeout: timeout)
    request.maximumResponseBytes = Self.maximumBytes
    if method == "POST" {
      // Commands without parameters still send an object.
      request.body = (body ?? [:]).encodedBytes()
      request.headers.set("Content-Type", "application/json; charset=utf-8")
    }
    return request
  }

  private static func value(of response: HTTPResponse) throws(WebDriverError) -> JSON {
    let type = response.headers["Content-Type"]?.split(separator: ";").first.map(String.init)
    guard let json = try? JSON.parse(response.body) else {
      throw .foreign(response, type.map { "type \($0.prefix(40))" } ?? "no type")
    }
    guard let value = json["value"] else { throw .foreign(response, "JSON without a value") }
    if response.status == 200 { return value }
    guard value["error"]?.string != nil else {
      throw .foreign(response, "JSON without an error's name")
    }
    throw WebDriverError(reported: value)
  }
}
