@testable import System
@testable import IdentityToolkit
@testable import Journeys
import Testing

@Suite(.timeLimit(.minutes(2))) struct TraceTests {
  @Test func `exchanges tell who asked whom, in which step and how long it took`() async throws {
    let events = try await TracedRun().events(luaProgram("Trace/sign-in"))
    #expect(events.ends.map(\.status) == [.passed])
    let told = events.exchanges
    #expect(told.map(\.exchange.exchange) == Array(1...told.count))
    let idp = try #require(told.first { $0.exchange.operation == "accounts:signInWithIdp" })
    #expect(idp.place?.journey == "traced_journey.lua > signs in")
    #expect(idp.place?.attempt == 1)
    #expect(idp.place?.step == 1)
    #expect(idp.exchange.from == .script && idp.exchange.to == .toolkit)
    #expect(idp.exchange.status == 200 && idp.exchange.method == "POST")
    #expect(idp.exchange.duration > 0 && idp.exchange.timings.send + idp.exchange.timings.wait > 0)
    #expect(told.allSatisfy { $0.exchange.timings.send <= $0.exchange.timings.wait })
    #expect(idp.exchange.tokens.contains { $0.kind == "idToken" && $0.isInAnswer })
    let lookup = try #require(told.first { $0.exchange.operation == "accounts:lookup" })
    #expect(lookup.exchange.tokens.map(\.isInAnswer) == [false])
    let start = try #require(told.first { $0.exchange.operation == "accounts:createAuthUri" })
    let answer = start.exchange.response?.body?.text ?? ""
    #expect(answer.contains("client_id=") && answer.contains("state=[state "))
    let authorize = try #require(told.first { $0.exchange.operation == "auth" })
    #expect(
      authorize.exchange.url.contains("client_id=") && !authorize.exchange.url.contains("%5B"))
    let pages = told.filter { $0.exchange.from == .browser }
    #expect(!pages.isEmpty && pages.allSatisfy { $0.exchange.to == .provider })
    #expect(told.contains { $0.exchange.operation == "accounts:update" && $0.place?.step == 2 })
  }

  @Test func `what a person does at a page is told, without what they type`() async throws {
    let events = try await TracedRun().events(luaProgram("Trace/sign-in"))
    let actions = events.pages
    #expect(actions.first?.action == "open" && actions.last?.action == "redirect")
    #expect(actions.contains { $0.action == "type" && $0.from == .person && $0.to == .browser })
    #expect(actions.contains { $0.action == "press" || $0.action == "consent" })
    #expect(actions.allSatisfy { $0.provider == "google.com" })
  }

  @Test func `what a delegate is to type is hidden before it is typed`() async throws {
    let events = try await TracedRun().events(
      luaProgram("Trace/answers"))
    #expect(events.ends.map(\.status) == [.passed])
    #expect(events.prints == ["[password 1]\t[PIN 1]\tada@contoso.example"])
  }

  @Test func `who wants no exchanges hears of the last before a failure`() async throws {
    let failing = try luaProgram("Trace/sign-in")
      .replacing("another-s3cret\"", with: "short\"")
    let passed = try await TracedRun(wantsExchanges: false).events(luaProgram("Trace/sign-in"))
    #expect(passed.exchanges.isEmpty && passed.pages.isEmpty)
    let failed = try await TracedRun(wantsExchanges: false).events(failing)
    let numbers = failed.exchanges.map(\.exchange.exchange)
    #expect(failed.ends.map(\.status) == [.failed])
    #expect(numbers.count == 10)
    let named = try #require(failed.ends.first?.failures.first).exchanges
    #expect(!named.isEmpty && named.allSatisfy { numbers.contains($0) || $0 < numbers[0] })
    // The exchange that the failure is about.
    #expect(
      failed.exchanges.contains { $0.exchange.status == 400 && named.contains($0.1.exchange) })
  }

  @Test func `a trace can be wanted of all, of failed journeys and of none`() async throws {
    let failing = try luaProgram("Trace/sign-in")
      .replacing("another-s3cret\"", with: "short\"")
    #expect(try await TracedRun(trace: .off).events(failing).exchanges.isEmpty)
    #expect(
      try await TracedRun(trace: .onFailure).events(luaProgram("Trace/sign-in")).exchanges.isEmpty)
    #expect(try await TracedRun(trace: .onFailure).events(failing).exchanges.count > 10)
    let all = TracedRun(trace: .all, wantsExchanges: false)
    #expect(try await all.events(luaProgram("Trace/sign-in")).exchanges.count > 10)
  }

  @Test func `no event of a run full of secrets holds one of them`() async throws {
    let run = TracedRun(environment: ["API_SECRET": "env-s3cret-value", "SECOND": "two-s3cret"])
    let events = try await run.events(luaProgram("Trace/secrets"))
    #expect(events.ends.map(\.status) == [.failed])
    let told = events.everything
    // The journey prints what it knows as `name=value` under names that are not masked, reversed.
    let printed = events.prints.filter { $0.hasPrefix("known ") }
    let known = printed.map { String($0.dropFirst(6).reversed()) }
    #expect(known.count >= 7, "the run knows fewer secrets than it should: \(printed)")
    for secret in known {
      #expect(secret.utf8.count >= 6)
      var spellings = [
        secret, PercentEncoding.encode(secret),
        String(JSON.string(secret).encoded().dropFirst().dropLast()),
      ]
      for before in ["", "a", "ab"] {
        // The digits at both ends are shared with what stands beside the secret.
        let digits = Base64.encode(Array((before + secret).utf8)).filter { $0 != "=" }
        if digits.count >= 16 { spellings.append(String(digits.dropFirst(4).dropLast())) }
      }
      for spelling in spellings {
        #expect(!told.contains(spelling), "an event holds \(spelling)")
      }
    }
  }

  @Test func `fields of secrets are hidden in what is printed and raised, and words stay`()
    async throws
  {
    let events = try await TracedRun().events(
      luaProgram("Trace/fields"))
    #expect(
      events.prints == [
        "password=[password 1] Authorization: Bearer [access token 1] #id_token=[ID token 1]&a=1",
        #"{"refreshToken":"[refresh token 1]"} api_key=[API key 1] code=[code 1]"#,
        "WEAK_PASSWORD : Password should be longer; unknown assertion: 'is_even', <password>",
        #"code = "accountExistsWithDifferentCredential", number = 17012, password == nil"#,
      ])
    let told = events.everything
    #expect(!told.contains("hunter") && told.contains("userNotFound"), "\(told)")
  }

  @Test func `texts full of names of fields are read once`() async throws {
    let events = try await TracedRun().events(
      luaProgram("Trace/long"))
    #expect(events.prints.count == 2)
  }

  @Test func `a secret is found before the script shortens what it is in`() async throws {
    let events = try await TracedRun().events(
      luaProgram("Trace/shortened"))
    let end = try #require(events.ends.first)
    #expect(end.failures.count == 8)
    let refresh = try #require(end.failures.first)
    let lengths = "expected \"x\", got [refresh token 1] (1 and "
    #expect(refresh.message.hasPrefix(lengths), "\(refresh.message)")
    let told = events.filter { if case .exchange = $0.kind { false } else { true } }.everything
    for part in ["Albatr", "andering", "Marmal", "uncommon"] {
      // The lines of the script itself are shown, and name them.
      let lines = told.split(separator: "\\n").filter { !$0.contains(":rep(") }
      #expect(!lines.joined().contains(part), "an event holds \(part)")
    }
  }

  @Test func `values of columns named for secrets are in no name and no message`() async throws {
    let events = try await TracedRun().events(
      luaProgram("Trace/columns"))
    let names = events.compactMap { event in
      if case .journeyStart(let start) = event.kind { start.name.last } else { nil }
    }
    #expect(
      names == [
        "row ada [secret] accountExistsWithDifferentCredential", "row bob [secret] [secret]",
      ])
    #expect(events.prints == ["nil", "[PIN 1]"])
    for part in ["Marmalade", "20260101", "731204", "887766"] {
      #expect(
        !events.contains { event in
          if case .journeyEnd(let end) = event.kind {
            return end.failures.contains { $0.message.contains(part) }
          }
          return event.place?.journey.contains(part) == true
        })
    }
  }

  @Test func `codes that a script makes are hidden`() async throws {
    let events = try await TracedRun().events(
      luaProgram("Trace/codes"))
    #expect(events.prints == ["code is\t[code 1]\t[key 1]"])
  }

}
