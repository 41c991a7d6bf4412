/// A handler's response; the server adds Date, Content-Length and Connection.
public struct ServerResponse: Sendable {
  /// The status code, 200 to 599.
  public var status: Int

  /// The header lines.
  public var headers: HTTPHeaders

  /// The whole body.
  public var body: [UInt8]

  /// How much of the response is sent; less than all simulates a fault.
  public var delivery = Delivery.whole

  /// Creates a response; the default is an empty one with status 200.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a text response, plain text by default.
  public init(
    status: Int = 200, text: String, type: String = "text/plain; charset=utf-8",
    headers: HTTPHeaders = [:]
  ) {
    self.init(status: status, headers: headers, body: Array(text.utf8))
    self.headers.set("Content-Type", type)
  }
}

extension ServerResponse {
  /// The response to requests that are pending when the server stops.
  static var stopping: ServerResponse {
    ServerResponse(status: 503, text: "the server is stopping\n", headers: ["Connection": "close"])
  }
}
