@testable import System
@testable import HTTP
import Testing

/// A server that redirects as its paths say and otherwise tells what it was asked.
private func redirecting(_ request: HTTPRequest) -> ServerResponse {
  let fields = request.url.fields
  guard request.url.path == "/to", let status = fields["status"].flatMap({ Int($0) }) else {
    if request.url.path == "/names" {
      let names = request.headers.fields.map { $0.name.lowercased() }.sorted()
      return ServerResponse(text: names.joined(separator: " "))
    }
    let cookie = request.headers["Cookie"] ?? "-"
    let authorization = request.headers["Authorization"] ?? "-"
    let body = String(decoding: request.body, as: UTF8.self)
    return ServerResponse(text: "\(request.method) \(body) \(cookie) \(authorization)")
  }
  return ServerResponse(status: status, headers: ["Location": fields["location"] ?? "/end"])
}

private func exchange(
  _ path: String, method: String = "GET", redirects: Int = 5, headers: HTTPHeaders = [:],
  repeatsBody: Bool = false
) async throws -> HTTPResponse {
  try await withLoop { loop in
    try await LoopActor(loop).run { _ throws in
      let server = try HTTPServer(loop: loop) { .now(redirecting($0)) }
      let text = path.replacing("PORT", with: "\(server.port)")
      let url = try #require(WebURL("http://127.0.0.1:\(server.port)\(text)"))
      var request = HTTPRequest(
        method: method, url: url, headers: headers,
        body: method == "GET" || method == "HEAD" ? [] : Array("body".utf8),
        maximumRedirects: redirects)
      request.repeatsBodyElsewhere = repeatsBody
      return try await HTTPClient(loop: loop).send(request)
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
  @Test func `a redirect is an answer unless following is asked for`() async throws {
    let response = try await exchange("/to?status=302", redirects: 0)
    #expect(response.status == 302)
    #expect(response.headers["Location"] == "/end")
    #expect(response.url.path == "/to")
  }

  @Test(arguments: [
    (301, "GET", "GET "), (302, "GET", "GET "), (303, "GET", "GET "), (307, "GET", "GET "),
    (301, "POST", "GET "), (302, "POST", "GET "), (303, "POST", "GET "), (303, "PUT", "GET "),
    (301, "PUT", "PUT body"), (307, "POST", "POST body"), (308, "POST", "POST body"),
  ])
  func `method and body follow the status`(
    _ status: Int, method: String, expected: String
  ) async throws {
    let response = try await exchange("/to?status=\(status)", method: method)
    #expect(response.status == 200)
    #expect(response.url.path == "/end")
    #expect(response.text == "\(expected) - -")
  }

  @Test func `304 and a redirect without Location are answers`() async throws {
    #expect(try await exchange("/to?status=304").status == 304)
    #expect(try await exchange("/to?status=300").status == 300)
  }

  @Test func `credentials stay on their origin`() async throws {
    let headers: HTTPHeaders = ["Cookie": "c", "Authorization": "a"]
    #expect(try await exchange("/to?status=302", headers: headers).text == "GET  c a")
    let other = "/to?status=302&location=http%3A%2F%2Flocalhost%3APORT%2Fend"
    #expect(try await exchange(other, headers: headers).text == "GET  - -")
  }

  @Test(arguments: [(307, "POST"), (308, "POST"), (301, "PUT")])
  func `a body stays on its origin unless it may leave`(_ status: Int, method: String) async throws
  {
    let other = "/to?status=\(status)&location=http%3A%2F%2Flocalhost%3APORT%2Fend"
    let error = await #expect(throws: HTTPError.self) { try await exchange(other, method: method) }
    #expect(error?.code == .bodyRedirected)
    #expect(error?.message.contains("localhost") == true)
    #expect(error?.hint.contains("redirectBody = true") == true)
    let allowed = try await exchange(other, method: method, repeatsBody: true)
    #expect(allowed.text == "\(method) body - -")
  }

  @Test func `only harmless headers reach another origin`() async throws {
    let headers: HTTPHeaders = [
      "Cookie": "c", "X-Auth": "k", "x-credentials": "k", "Auth": "a", "Accept": "text/plain",
      "user-agent": "u",
    ]
    let other = "/to?status=302&location=http%3A%2F%2Flocalhost%3APORT%2Fnames"
    let there = try await exchange(other, headers: headers).text.split(separator: " ")
    #expect(Set(there).isDisjoint(with: ["cookie", "x-auth", "x-credentials", "auth"]))
    #expect(Set(there).isSuperset(of: ["accept", "user-agent", "host"]))
    let here = try await exchange("/to?status=302&location=%2Fnames", headers: headers).text
    #expect(Set(here.split(separator: " ")).isSuperset(of: ["cookie", "x-auth", "auth", "accept"]))
  }

  @Test func `a loop ends after the allowed number`() async throws {
    let error = await #expect(throws: HTTPError.self) {
      try await exchange(
        "/to?status=302&location=%2Fto%3Fstatus%3D302%26location%3D%252Fto%253Fstatus%253D302",
        redirects: 2)
    }
    #expect(error?.code == .tooManyRedirects)
    #expect(error?.message.hasSuffix("redirects more than 2 times") == true)
  }

  @Test(arguments: ["ftp://h/", "file:///etc/passwd", "http://"])
  func `a redirect to something that is no web address is refused`(_ location: String) async throws
  {
    let encoded = location.replacing(":", with: "%3A").replacing("/", with: "%2F")
    let error = await #expect(throws: HTTPError.self) {
      try await exchange("/to?status=302&location=\(encoded)")
    }
    #expect(error?.code == .malformedURL)
  }

  @Test func `a fragment is kept through a redirect that has none`() async throws {
    #expect(try await exchange("/to?status=302#there").url.fragment == "there")
    #expect(try await exchange("/to?status=302&location=%2Fend%23new#there").url.fragment == "new")
  }
}
