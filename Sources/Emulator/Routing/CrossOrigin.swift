internal import HTTP

/// Cross-origin resource sharing (the Fetch standard, section 3.2), for web apps on pages of other origins.
enum CrossOrigin {
  static func preflight(_ request: HTTPRequest) -> ServerResponse {
    var response = ServerResponse(status: 204)
    response.headers.set("Access-Control-Allow-Methods", "GET,HEAD,PUT,PATCH,POST,DELETE")
    if let headers = request.headers["Access-Control-Request-Headers"], !headers.isEmpty {
      response.headers.set("Access-Control-Allow-Headers", headers)
    }
    response.headers.set("Vary", "Origin, Access-Control-Request-Headers")
    allow(&response, request)
    return response
  }

  /// Lets the calling page read the response.
  static func allow(_ response: inout ServerResponse, _ request: HTTPRequest) {
    if response.headers["Vary"] == nil { response.headers.set("Vary", "Origin") }
    if let origin = request.headers["Origin"], !origin.isEmpty {
      response.headers.set("Access-Control-Allow-Origin", origin)
    }
    if request.headers["Access-Control-Request-Private-Network"] != nil {
      response.headers.set("Access-Control-Allow-Private-Network", "true")
    }
  }
}
