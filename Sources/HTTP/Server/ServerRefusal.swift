/// An error response that the server sends without calling the handler.
struct ServerRefusal: Error {
  let response: ServerResponse

  init(_ status: Int, _ sentence: String, headers: HTTPHeaders = [:]) {
    response = ServerResponse(status: status, text: sentence + "\n", headers: headers)
  }

  static var tooMuchAtOnce: ServerRefusal {
    ServerRefusal(
      503, "too many request bodies at once; send this one again",
      headers: ["Connection": "close", "Retry-After": "1"])
  }

  static func tooLarge(limit: Int) -> ServerRefusal {
    ServerRefusal(
      413, "the request body is larger than \(limit) bytes", headers: ["Connection": "close"])
  }
}
