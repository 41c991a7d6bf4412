@testable import System
@testable import HTTP
@testable import Host
import Testing

/// An OpenID provider with the habits of servers that nobody here wrote; the first part of the path
/// chooses them.
struct ForeignServer {
  var runner = ScriptRunner(timeout: .seconds(60))
  /// What `/keys` publishes.
  var keys: JSON = ["keys": []]
  /// Makes the token that `/sign` gives, for a tenant, in the name of another.
  var sign: (@Sendable (_ origin: String, _ tenant: String?, _ named: String) throws -> String)?

  /// Runs `Programs/NAME.lua`, which must end well, and gives what the server received.
  @discardableResult
  func run(
    program name: String, given values: JSON = .object([:]),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [HTTPRequest] {
    var seen: [HTTPRequest] = []
    let (keys, sign) = (keys, sign)
    try await CannedServer.run({ request in
      guard request.url.path.hasSuffix("/sign"), let sign else {
        return Self.answer(request, keys)
      }
      let fields = request.url.fields
      let token = try? sign(
        "http://" + (request.headers["Host"] ?? ""), fields["tenant"], fields["named"] ?? "")
      return ServerResponse(text: token ?? "")
    }) { server in
      var flow = Flow(runner: runner)
      flow.runner.environment["SERVER"] = server.origin
      try await flow.run(program: name, given: values, sourceLocation: sourceLocation)
      seen = server.received
    }
    return seen
  }

  private static func answer(_ request: HTTPRequest, _ keys: JSON) -> ServerResponse {
    let origin = "http://" + (request.headers["Host"] ?? "")
    var parts = request.url.path.split(separator: "/").map(String.init)
    let habit = parts.isEmpty ? "" : parts.removeFirst()
    switch parts.joined(separator: "/") {
    case ".well-known/openid-configuration":
      if habit == "down" { return ServerResponse(status: 500) }
      if habit == "html" { return page("<h1>Welcome</h1>") }
      let issuer = "\(origin)/\(habit)"
      return ServerResponse(json: [
        "issuer": .string(habit == "renamed" ? "https://idp.example" : issuer),
        "authorization_endpoint": .string("\(issuer)/authorize"),
        "token_endpoint": .string(habit == "away" ? "http://127.0.0.1:1/token" : "\(issuer)/token"),
        "jwks_uri": .string("\(issuer)/keys?version=1"),
        "end_session_endpoint": .string("\(issuer)/logout"),
        "response_types_supported": ["code", "id_token"],
      ])
    case "common/v2.0/.well-known/openid-configuration":
      let issuer = "\(origin)/\(habit)/{tenantid}/v2.0"
      return ServerResponse(json: [
        "issuer": .string(issuer), "authorization_endpoint": .string("\(origin)/authorize"),
        "token_endpoint": .string("\(origin)/token"),
        "jwks_uri": .string("\(origin)/\(habit)/keys"), "response_types_supported": ["code"],
      ])
    case "keys":
      if habit == "keyless" { return ServerResponse(status: 500) }
      return habit == "unkeyed" ? page("<h1>Welcome</h1>") : ServerResponse(json: keys)
    case "token":
      if habit == "grant" {
        return ServerResponse(
          status: 401,
          json: [
            "error": "unauthorized_client", "error_description": "Invalid client credentials.",
          ])
      }
      return ServerResponse(
        status: 401, json: ["error": "invalid_client", "error_description": "Bad secret."])
    case "authorize": return authorize(request, habit)
    case "logout": return logout(request, habit)
    case "oops": return page("<h1>Sorry</h1>", status: 400)
    default: return ServerResponse(status: 404)
    }
  }

  private static func authorize(_ request: HTTPRequest, _ habit: String) -> ServerResponse {
    let query = request.url.fields
    switch (request.method, habit) {
    case (_, "unregistered"):
      return page(
        "<h2>Error: invalid_request</h2><p>Mismatching redirect URI.</p>", status: 400)
    case (_, "json"):
      return ServerResponse(
        status: 400,
        json: ["error": "invalid_request", "error_description": "The display is unknown."])
    case (_, "text"):
      return ServerResponse(
        status: 400, headers: ["Content-Type": "text/plain; charset=utf-8"],
        body: Array("invalid_request: The display\n is unknown.".utf8))
    case (_, "list"):
      return page(
        "<nav><p>Home</p></nav><h1>Sorry</h1><dl><dt>error<dd>invalid_request<dt>description<dd>The display is unknown.</dl>",
        status: 400)
    case (_, "table"):
      return page(
        "<h1>Sorry</h1><table><tr><th>error<td>invalid_request<tr><th>description<td>The display is unknown."
          + "<tr><th>redirect_uri<td>http://127.0.0.1/callback</table>",
        status: 400)
    case (_, "paragraphs"):
      return page(
        "<h1>Sorry</h1><p>We cannot do this.</p><p>invalid_request</p><p>The display is unknown.</p>",
        status: 400)
    case (_, "whitelist"):
      return ServerResponse(
        status: 400, headers: ["Content-Type": "text/plain"],
        body: Array("redirect_uri is not whitelisted".utf8))
    case (_, "answered"):
      return moved(
        "\(query["redirect_uri"] ?? "")?error=invalid_request&state=\(query["state"] ?? "")"
          + "&error_description=redirect_uri%20not%20registered")
    case (_, "entra"):
      return page(
        """
        <title>Sign in to your account</title><div role=heading>Sign in</div>
        <div id=errorBanner>Sorry, but we’re having trouble signing you in.</div>
        <div>AADSTS50011: The redirect URI '\(query["redirect_uri"] ?? "")' specified in the request does not match
        the redirect URIs configured for the application 'app'. Make sure the redirect URI sent in the request matches
        one added to your application in the Azure portal.</div><table><tr><td>Request Id<td>5b1</table>
        """)
    case (_, "bare"): return page("<h1>Error</h1>Invalid redirect uri")
    case (_, "untitled"):
      return page(
        "<div>The redirect_uri of the request is not registered.</div><div>\(String(repeating: "More. ", count: 50))"
      )
    case (_, "plain"):
      return ServerResponse(
        headers: ["Content-Type": "text/plain"], body: Array("redirect_uri is not allowed".utf8))
    case (_, "welcome"):
      return page("<h1>Welcome</h1><p>Your callback URL is shown in the settings.</p>")
    case (_, "address"):
      return moved("/address/oops?error=invalid_request&error_description=Unknown%20claims.")
    case ("POST", "issuing"):
      let issuer = "http://" + (request.headers["Host"] ?? "") + "/issuing"
      return moved(
        "\(query["redirect_uri"] ?? "")?code=c&state=\(query["state"] ?? "")"
          + "&iss=\(PercentEncoding.encode(issuer))")
    case ("POST", _):
      return moved("\(query["redirect_uri"] ?? "")?code=c&state=\(query["state"] ?? "")")
    default: return login()
    }
  }

  private static func logout(_ request: HTTPRequest, _ habit: String) -> ServerResponse {
    guard habit != "login" else { return login() }
    let query = request.url.fields
    let answer = request.form["answer"]
    if answer == "1" {
      return moved("\(query["post_logout_redirect_uri"] ?? "")?state=\(query["state"] ?? "")")
    }
    if answer != nil { return page("<h1>You stay signed in</h1>") }
    if habit == "search" {
      return page(
        "<form action=/find><input name=q><button>Go</button></form><form method=post>"
          + "<button name=answer value=1>Sign out</button></form>")
    }
    if habit == "link" {
      return page(
        "<form action=/find><input name=q><button>Go</button></form>"
          + "<a href='\(query["post_logout_redirect_uri"] ?? "")?state=\(query["state"] ?? "")'>Sign out</a>"
      )
    }
    return page(
      """
      <title>Log out</title><h1>Do you want to sign out of idp.example?</h1>
      <form id=confirm method=post></form><form action=/search role=search><input name=q></form>
      <p><button form=confirm name=answer value=0>Stay signed in</button>
      <button form=confirm name=answer value=1>\(habit == "sentence" ? "Yes, sign me out" : "Log out")</button>
      """)
  }

  private static func login() -> ServerResponse {
    page(
      """
      <title>Log in</title><form method=post><input name=user autocomplete=username>
      <input type=password name=pw><button>Log in</button></form>
      """)
  }

  private static func page(_ body: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: ["Content-Type": "text/html; charset=utf-8"],
      body: Array("<!DOCTYPE html>\(body)".utf8))
  }

  private static func moved(_ place: String) -> ServerResponse {
    ServerResponse(status: 302, headers: ["Location": place])
  }
}

extension [HTTPRequest] {
  /// Whether any request carries the text.
  func contain(_ text: String) -> Bool {
    contains {
      String(decoding: $0.body, as: UTF8.self).contains(text) || "\($0.url)".contains(text)
    }
  }
}
