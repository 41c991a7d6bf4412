internal import System
internal import HTTP
internal import IdentityToolkit

/// Calls the emulator's API as an administrator, for the user of the dashboard.
///
/// The request is routed like any other, so that changes from the dashboard follow the same rules.
struct AdministratorCalls {
  let gateway: RequestRouter

  struct Reply {
    let status: Int
    let body: JSON

    /// The error message; nil after a success.
    var refusal: String? {
      guard status >= 400 else { return nil }
      return body["error"]?["message"]?.string ?? "the emulator answered \(status)"
    }
  }

  func post(_ path: String, _ body: JSONObject) async -> Reply {
    await send("POST", path, body)
  }

  func send(_ method: String, _ path: String, _ body: JSONObject) async -> Reply {
    guard let request = Self.request(method, path, body, gateway.context.origin) else {
      return Reply(status: 404, body: [:])
    }
    let began = ContinuousClock.now
    let response: ServerResponse
    switch gateway.turn(request) {
    case .done(let done): response = done
    case .waits(let call, let backend): response = await gateway.finish(call, backend)
    case .struck(let call, let backend, let strike):
      response = await gateway.finish(call, backend, struckBy: strike)
    }
    gateway.context.events.note(
      request, response, nanoseconds: (ContinuousClock.now - began).wholeNanoseconds, caller: .page)
    return Reply(response)
  }

  /// Sends a request that changes nothing and is not logged.
  func get(_ path: String) -> Reply {
    guard let request = Self.request("GET", path, nil, gateway.context.origin),
      case .done(let response) = gateway.turn(request)
    else { return Reply(status: 404, body: [:]) }
    return Reply(response)
  }

  private static func request(
    _ method: String, _ path: String, _ body: JSONObject?, _ origin: String
  ) -> HTTPRequest? {
    guard let url = WebURL(origin + path) else { return nil }
    var request = HTTPRequest(
      method: method, url: url, headers: ["Authorization": "Bearer owner"])
    if let body {
      request.headers.set("Content-Type", "application/json")
      request.body = JSON.object(body).encodedBytes()
    }
    return request
  }
}

extension AdministratorCalls.Reply {
  fileprivate init(_ response: ServerResponse) {
    self.init(status: response.status, body: (try? JSON.parse(response.body)) ?? [:])
  }
}

extension Duration {
  /// The duration in nanoseconds; exchanges are far too short to overflow.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
