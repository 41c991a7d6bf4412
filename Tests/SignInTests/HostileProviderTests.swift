@testable import System
@testable import HTTP
import Testing

@testable import SignIn

/// Whom the driver tells a password, on a web where every page may lie.
@Suite(.timeLimit(.minutes(1))) struct HostileProviderTests {
  private let ada = SignInAnswers(
    username: "ada@idp.example", password: Secret("correct-horse"),
    fields: ["otp": Secret("314159")])
  private let login = "<form method=post><input name=user><input type=password name=pw><button>Go"

  // Where an attacker would like to be taken for the provider.
  @Test(arguments: [
    "https://idp.example.evil.example/", "https://evil-idp.example/", "https://idp.example:8443/",
    "http://idp.example/", "https://mallory.azurewebsites.net/", "https://other.github.io/",
    "https://mallory.web.app/", "https://mallory.co.uk/", "https://example/",
    "https://idp.example./",
    "https://xn--dp-yia.example/", "http://127.0.0.1/", "https://www.example/",
  ])
  func `a lookalike gets no password, by redirect or by form`(evil: String) async throws {
    let home = [
      "mallory.azurewebsites.net": "ada.azurewebsites.net", "other.github.io": "ada.github.io",
      "mallory.web.app": "ada.web.app", "mallory.co.uk": "idp.co.uk", "www.example": "idp.example",
    ]
    let host = home[WebURL(evil)?.host ?? ""] ?? "idp.example"
    for isForm in [false, true] {
      let web = FakeWeb { request in
        if request.url.host != host || request.url.port != 443 || request.url.scheme != "https" {
          return page(self.login)
        }
        return isForm
          ? page(self.login.replacing("method=post", with: "method=post action='\(evil)'"))
          : moved(evil)
      }
      let error = await web.failure(ada, from: "https://\(host)/authorize")
      #expect(error?.code == .unsafePage, "\(evil): \(String(describing: error))")
      #expect(!web.requests.contains { !$0.body.isEmpty })
    }
  }

  @Test(arguments: [
    "https://ada@evil.example/", "https://idp.example@evil.example/", "https://раypal.example/",
    "https://", "javascript:alert(1)", "file:///etc/passwd", "https://evil.example:0/",
    "data:text/html,<form>", "https://idp.example:99999/", "ftp://idp.example/",
    "https:evil.example",
  ])
  func `an address that is none a browser would trust is not followed`(evil: String) async throws {
    let web = FakeWeb { $0.url.path == "/" ? page(self.login) : moved(evil) }
    let error = await web.failure(ada, from: "https://idp.example/authorize")
    #expect(error?.code == .noUsableForm)
    #expect(error?.message.contains("no web address") == true)
    #expect(web.requests.count == 1)
  }

  @Test func `hosts above and below the provider's own are as good`() async throws {
    for (start, next) in [
      ("https://api.login.yahoo.example/a", "https://login.yahoo.example/b"),
      ("https://idp.example/a", "https://login.idp.example/b"),
    ] {
      let web = FakeWeb { request in
        if request.url.path == "/a" { return moved(next) }
        return request.method == "POST"
          ? moved("https://app.example/handler?code=1") : page(self.login)
      }
      #expect(try await web.arrival(ada, from: start).url.fields["code"] == "1")
    }
  }

  @Test(arguments: [
    "<form method=post action='http://idp.example/x'>", "<form method=get>", "<form>",
    "<base href='https://evil.example/'><form method=post action='x'>",
    "<base href='//evil.example'><form method=post action='/x'>",
  ])
  func `a form of the provider's own page may still lead astray`(form: String) async throws {
    let web = FakeWeb { _ in page(form + "<input name=u><input type=password name=p><button>Go") }
    #expect(await web.failure(ada, from: "https://idp.example/")?.code == .unsafePage)
    #expect(web.requests.count == 1)
    let button = FakeWeb { _ in
      page(
        "<form method=post><input name=u><input type=password name=p>"
          + "<button formaction='https://evil.example/'>Go")
    }
    #expect(await button.failure(ada, from: "https://idp.example/")?.code == .unsafePage)
    let method = FakeWeb { _ in
      page("<form method=post><input name=u><input type=password name=p><button formmethod=get>Go")
    }
    #expect(await method.failure(ada, from: "https://idp.example/")?.code == .unsafePage)
  }

  @Test func `a foreign page cannot have the password sent to a place of its choice`() async throws
  {
    let web = FakeWeb { request in
      request.url.host == "idp.example"
        ? moved("https://evil.example/")
        : page(
          "<form method=post action='https://idp.example/forum'><input type=password name=text>")
    }
    #expect(await web.failure(ada, from: "https://idp.example/")?.code == .unsafePage)
  }

  @Test func `codes are guarded as passwords are`() async throws {
    let code = "<form method=post><input name=otp autocomplete=one-time-code><button>Go"
    let web = FakeWeb { request in
      request.url.host == "idp.example" ? moved("https://evil.example/") : page(code)
    }
    #expect(await web.failure(ada, from: "https://idp.example/")?.code == .unsafePage)
    #expect(!web.told("314159", besides: []))
    let open = FakeWeb { _ in page("<form><input name=otp autocomplete=one-time-code><button>Go") }
    #expect(await open.failure(ada, from: "https://idp.example/")?.code == .unsafePage)
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `no redirect carries the password out`(status: Int) async throws {
    for place in ["https://evil.example/", "http://idp.example/", "https://idp.example:444/"] {
      let web = FakeWeb { request in
        request.method == "POST" && request.url.host == "idp.example" && request.url.port == 443
          && request.url.scheme == "https"
          ? moved(place, status: status) : page(request.method == "GET" ? self.login : "<h1>Thanks")
      }
      let error = await web.failure(ada, from: "https://idp.example/")
      #expect(error?.code == .unsafePage)
      #expect(!web.told("correct-horse", besides: ["idp.example"]))
      #expect(web.requests.filter { !$0.body.isEmpty }.count == 1)
    }
  }

  @Test func `the referrer tells another site no more than the origin`() async throws {
    let web = FakeWeb { request in
      switch request.url.host {
      case "idp.example" where request.url.path == "/":
        page("<a href='https://other.example/next'>Continue</a>")
      case "other.example": page("<form method=post action='/last?y=1'><button>Continue")
      default: moved("https://app.example/handler?code=1")
      }
    }
    _ = await web.failure(
      ada, from: "https://idp.example/?state=abcdef", limits: FormLimits(pages: 4))
    #expect(web.requests.map { $0.headers["Referer"] }.prefix(2) == [nil, "https://idp.example/"])
    #expect(!web.told("abcdef", besides: ["idp.example"]))
  }

  @Test func `cookies stay with whom they are meant for`() async throws {
    let web = FakeWeb { request in
      switch (request.url.host, request.url.path) {
      case ("idp.example", "/"):
        var answer = moved("https://other.example/")
        for cookie in [
          "strict=1; SameSite=Strict", "lax=1; SameSite=Lax", "any=1", "wide=1; Domain=example",
          "alien=1; Domain=other.example", "__Host-bad=1; Secure; Domain=idp.example; Path=/",
          "__Host-good=1; Secure; Path=/", "__Secure-bad=1", "safe=1; Secure",
        ] { answer.headers.append("Set-Cookie", cookie) }
        return answer
      case ("other.example", _):
        return page("<form method=post action='https://idp.example/back'><button>Continue")
      case (_, "/back"): return moved("/end")
      default: return moved("https://app.example/handler?code=1")
      }
    }
    _ = try await web.arrival(ada, from: "https://idp.example/")
    let cookies = web.requests.map { $0.headers["Cookie"] }
    #expect(cookies.prefix(2) == [nil, nil])
    #expect(cookies[2] == "any=1; __Host-good=1; safe=1")
    #expect(cookies[3] == "lax=1; any=1; __Host-good=1; safe=1")
  }

  @Test func `hosts that many share have no cookies for all`() async throws {
    for shared in ["github.io", "azurewebsites.net", "co.uk", "web.app"] {
      let web = FakeWeb { request in
        guard request.url.host.hasPrefix("ada.") else {
          return moved("https://app.example/handler?code=1")
        }
        var answer = moved("https://mallory.\(shared)/")
        answer.headers.append("Set-Cookie", "a=1; Domain=\(shared)")
        return answer
      }
      _ = try await web.arrival(ada, from: "https://ada.\(shared)/")
      #expect(web.requests.allSatisfy { $0.headers["Cookie"] == nil })
    }
  }
}
