@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1))) struct LoopbackListenerTests {
  @Test(arguments: [
    nil, "http://localhost/back?from=luath", "http://127.0.0.1/callback", "http://127.0.0.1",
    "http://[::1]/callback",
  ])
  func `a query is taken once, at the address of this machine`(_ address: String?) async throws {
    try await ListeningMachine.run(address) { machine in
      machine.listener.expect(state: "st&te")
      let own = machine.listener.redirectURL
      #expect(own.port != 80 && own.isLoopback)
      let back = own.with(query: (own.query.map { $0 + "&" } ?? "") + "code=c0de&state=st%26te")
      let first = try await machine.get(back)
      #expect(first.status == 200)
      #expect(first.text.contains("<h1>Sign-in handed over</h1>"))
      #expect(try await machine.get(back).status == 410)
      let answer = try await machine.listener.answer()
      #expect(answer.finalURL == back.description)
      #expect(answer.postBody == nil)
    }
  }

  @Test func `a posted answer is taken with its body`() async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let own = machine.listener.redirectURL
      let body: FormFields = FormFields([("code", "c0de"), ("state", "s"), ("iss", "a b+c")])
      #expect(try await machine.send(.post(own, form: body)).status == 200)
      let answer = try await machine.listener.answer()
      #expect(answer.finalURL == own.description)
      #expect(answer.postBody?.reveal() == body.encoded)
    }
  }

  @Test func `a fragment is fetched by a page`() async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let own = machine.listener.redirectURL
      let page = try await machine.get(own)
      #expect(page.status == 200)
      #expect(page.text.contains("action=\"/callback/fragment\""))
      #expect(page.text.contains("location.hash"))
      let step = try #require(WebURL(own.description + "/fragment"))
      let empty = try await machine.send(.post(step, form: FormFields([("address", "#")])))
      #expect(empty.status == 400)
      let foreign = "https://evil.example/callback#code=1&state=s"
      #expect(
        try await machine.send(.post(step, form: FormFields([("address", foreign)]))).status == 400)
      let answer = FormFields([("address", "#id_token=a.b.c&state=s")])
      #expect(try await machine.send(.post(step, form: answer)).status == 200)
      #expect(
        try await machine.listener.answer().finalURL
          == own.description + "#id_token=a.b.c&state=s")
    }
  }

  @Test func `without scripts a person copies the address`() async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let own = machine.listener.redirectURL
      let step = try #require(WebURL(own.description + "/fragment"))
      let copied = own.description + "#id_token=a.b.c&state=s"
      let answer = FormFields([("address", copied)])
      #expect(try await machine.send(.post(step, form: answer)).status == 200)
      #expect(try await machine.listener.answer().finalURL == copied)
    }
  }

  @Test(arguments: [
    "code=stolen&state=forged", "code=stolen", "code=stolen&state=", "code=stolen&state=S",
    "state=s", "code=&state=s", "code=a&code=b&state=s", "code=a&state=s&state=forged",
    "code=a&state=s&iss=a&iss=b", "error=access_denied&state=forged", "error=access_denied",
    "code=stolen&state=s%00", "code=stolen&state=s%20",
  ])
  func `a forged answer ends the sign-in and says nothing of itself`(_ query: String) async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let response = try await machine.get(machine.listener.redirectURL.with(query: query))
      #expect(response.status == 400)
      #expect(!response.text.contains("stolen") && !response.text.contains("forged"))
      let error = await #expect(throws: AuthError.self) {
        try await machine.listener.answer()
      }
      #expect(error?.code == .webStateMismatch)
      #expect(error?.description.contains("stolen") == false)
      // The right one comes too late.
      let right = machine.listener.redirectURL.with(query: "code=c&state=s")
      #expect(try await machine.get(right).status == 410)
    }
  }

  @Test(arguments: ["error=access_denied&state=s", "error=server_error&state=s"])
  func `a refusal is passed on, and its page says so`(_ query: String) async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let back = machine.listener.redirectURL.with(query: query)
      let response = try await machine.get(back)
      #expect(response.status == 200)
      #expect(response.text.contains("<h1>Sign-in refused</h1>"))
      #expect(try await machine.listener.answer().finalURL == back.description)
    }
  }

  @Test func `everything else is refused and changes nothing`() async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let own = machine.listener.redirectURL
      let back = own.with(query: "code=c&state=s")
      func status(
        _ method: String, _ url: WebURL, _ headers: HTTPHeaders = [:], body: String = ""
      ) async throws -> Int {
        try await machine.send(
          HTTPRequest(method: method, url: url, headers: headers, body: Array(body.utf8))
        ).status
      }
      let icon = try #require(own.resolving("/favicon.ico"))
      let elsewhere = try #require(own.resolving("/callback/?code=c&state=s"))
      #expect(try await status("GET", icon) == 404)
      #expect(try await status("GET", elsewhere) == 404)
      for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
        #expect(try await status(method, back) == 405)
      }
      #expect(try await status("GET", try #require(own.resolving("/callback/fragment"))) == 405)
      for type in ["application/json", "text/plain", "multipart/form-data; boundary=x"] {
        let typed: HTTPHeaders = ["Content-Type": type]
        #expect(try await status("POST", own, typed, body: "code=c&state=s") == 415)
      }
      let form: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
      #expect(try await status("POST", own, form, body: "nothing=here") == 400)
      let huge = "code=c&state=s&x=" + String(repeating: "x", count: 300 << 10)
      #expect(try await status("POST", own, form, body: huge) == 413)
      for host in ["evil.example", "evil.example:\(own.port)", "127.0.0.1:\(own.port)"] {
        #expect(try await status("GET", back, ["Host": host]) == 403)
      }
      for use in ["image", "iframe", "script", "empty"] {
        #expect(try await status("GET", back, ["Sec-Fetch-Dest": use]) == 403)
      }
      #expect(try await status("GET", back, ["Sec-Fetch-Dest": "document"]) == 200)
      #expect(try await machine.listener.answer().finalURL == back.description)
    }
  }

  @Test func `its pages keep to themselves`() async throws {
    try await ListeningMachine.run { machine in
      let own = machine.listener.redirectURL
      let early = try await machine.get(own.with(query: "code=%3Cb%3E&state=s"))
      #expect(early.status == 400)
      machine.listener.expect(state: "s")
      for (query, status) in [
        (nil, 200), ("error=%3Cscript%3Ealert(1)%3C/script%3E&state=s", 200),
        ("code=x&state=s", 410),
      ] {
        let response = try await machine.get(own.with(query: query))
        #expect(response.status == status)
        #expect(response.headers["Location"] == nil)
        #expect(response.headers["Cache-Control"] == "no-store")
        #expect(response.headers["Referrer-Policy"] == "no-referrer")
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"))
        #expect(!response.text.contains("alert"))
        #expect(response.text.contains("history.replaceState"))
      }
    }
  }

  @Test func `the wait ends with the time, the task and the listener`() async throws {
    try await ListeningMachine.run { machine in
      machine.listener.expect(state: "s")
      let late = await #expect(throws: AuthError.self) {
        try await machine.listener.answer(within: .milliseconds(20))
      }
      #expect(late?.code == .webContextTimedOut)
      #expect(late?.hint.contains(machine.listener.redirectURL.description) == true)
    }
    for isStopped in [true, false] {
      try await ListeningMachine.run { machine in
        machine.listener.expect(state: "s")
        let waiting = machine.wait()
        await Task.yield()
        if isStopped { machine.listener.stop() } else { waiting.cancel() }
        #expect(await waiting.value == .webContextCancelled)
      }
    }
  }

  @Test func `a port is closed by stop and can be had again`() async throws {
    try await ListeningMachine.run { machine in
      let own = machine.listener.redirectURL
      let taken = #expect(throws: AuthError.self) {
        _ = try LoopbackListener(redirectURI: own, loop: machine.loop)
      }
      #expect(taken?.code == .webRedirectUnavailable)
      #expect(taken?.message.contains("\(own.port)") == true)
      machine.listener.stop()
      machine.listener.stop()
      await #expect(throws: HTTPError.self) { _ = try await machine.get(own) }
      let again = try LoopbackListener(redirectURI: own, loop: machine.loop)
      #expect(again.redirectURL == own)
      again.stop()
    }
  }

  @Test(arguments: [
    "https://localhost/callback", "http://example.com/callback", "http://127.0.0.2/callback",
    "http://localhost.example/callback", "http://localhost/callback#x",
    "http://localhost/callback?state=1", "http://localhost/callback?code=1", "http://0.0.0.0/",
  ])
  func `an address that is no loopback redirect is refused`(_ text: String) async throws {
    let address = try #require(WebURL(text))
    #expect(throws: LoopbackAddress.Problem.self) { _ = try LoopbackAddress(address) }
  }
}
