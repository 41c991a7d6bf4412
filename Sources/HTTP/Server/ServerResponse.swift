/// What a handler answers; the server adds Date, Content-Length and Connection.
public struct ServerResponse: Sendable {
  /// The status code, 200 to 599.
  public var status: Int

  /// The header lines.
  public var headers: HTTPHeaders

  /// The whole body.
  public var body: [UInt8]

  /// How much of the answer reaches the client; all of it unless a fault is wanted.
  public var delivery = Delivery.whole

  /// Creates an answer; without arguments an empty 200.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates an answer of text, plain unless another type is given.
  public init(
    status: Int = 200, text: String, type: String = "text/plain; charset=utf-8",
    headers: HTTPHeaders = [:]
  ) {
    self.init(status: status, headers: headers, body: Array(text.utf8))
    self.headers.set("Content-Type", type)
  }
}

extension ServerResponse {
  /// The answer to requests that the end of the server cuts short.
  static var stopping: ServerResponse {
    ServerResponse(status: 503, text: "the server is stopping\n", headers: ["Connection": "close"])
  }
}
