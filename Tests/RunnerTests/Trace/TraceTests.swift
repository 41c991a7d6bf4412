@testable import System
@testable import IdentityToolkit
@testable import Journeys
import Testing

@Suite(.timeLimit(.minutes(2))) struct TraceTests {
  private static let signIn = """
    local journey <const> = require "luath.journey"
    journey("signs in", function(j)
      local ada <const> = j.people:new { name = "Ada", password = "hunter2-pass" }
      j:step("with Google", function()
        ada:signIn "google.com"
      end)
      j:step("with a password", function()
        ada.user:updatePassword "another-s3cret"
      end)
    end)
    """

  @Test func `exchanges tell who asked whom, in which step and how long it took`() async throws {
    let events = try await TracedRun().events(Self.signIn)
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
    #expect(answer.contains("client_id=") && answer.contains("state=[secret]"))
    let authorize = try #require(told.first { $0.exchange.operation == "auth" })
    #expect(
      authorize.exchange.url.contains("client_id=") && !authorize.exchange.url.contains("%5B"))
    let pages = told.filter { $0.exchange.from == .browser }
    #expect(!pages.isEmpty && pages.allSatisfy { $0.exchange.to == .provider })
    #expect(told.contains { $0.exchange.operation == "accounts:update" && $0.place?.step == 2 })
  }

  @Test func `what a person does at a page is told, without what they type`() async throws {
    let events = try await TracedRun().events(Self.signIn)
    let actions = events.pages
    #expect(actions.first?.action == "open" && actions.last?.action == "redirect")
    #expect(actions.contains { $0.action == "type" && $0.from == .person && $0.to == .browser })
    #expect(actions.contains { $0.action == "press" || $0.action == "consent" })
    #expect(actions.allSatisfy { $0.provider == "google.com" })
  }

  @Test func `what a delegate is to type is hidden before it is typed`() async throws {
    let events = try await TracedRun().events(
      """
      require("luath.journey")("answers", function()
        require("luath.ui").form { username = "ada@contoso.example", password = "pass-of-ada",
          fields = { pin = "734512" } }
        print("pass-of-ada", "734512", "ada@contoso.example")
      end)
      """)
    #expect(events.ends.map(\.status) == [.passed])
    #expect(events.prints == ["[secret]\t[secret]\tada@contoso.example"])
  }

  @Test func `who wants no exchanges hears of the last before a failure`() async throws {
    let failing = Self.signIn.replacing("another-s3cret\"", with: "short\"")
    let passed = try await TracedRun(wantsExchanges: false).events(Self.signIn)
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
    let failing = Self.signIn.replacing("another-s3cret\"", with: "short\"")
    #expect(try await TracedRun(trace: .off).events(failing).exchanges.isEmpty)
    #expect(try await TracedRun(trace: .onFailure).events(Self.signIn).exchanges.isEmpty)
    #expect(try await TracedRun(trace: .onFailure).events(failing).exchanges.count > 10)
    let all = TracedRun(trace: .all, wantsExchanges: false)
    #expect(try await all.events(Self.signIn).exchanges.count > 10)
  }

  @Test func `no event of a run full of secrets holds one of them`() async throws {
    let run = TracedRun(environment: ["API_SECRET": "env-s3cret-value", "SECOND": "two-s3cret"])
    let events = try await run.events(Self.secrets)
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
      """
      local expect <const> = require "luath.expect"
      require("luath.journey")("prints", function()
        print("password=hunter2222 Authorization: Bearer abcdef1234567 #id_token=foo1234567&a=1")
        print('{"refreshToken":"rt-4444444"} api_key=AIzaSyA12345 code=4711-4711')
        print("WEAK_PASSWORD : Password should be longer; unknown assertion: 'is_even', <password>")
        print('code = "accountExistsWithDifferentCredential", number = 17012, password == nil')
        expect.soft.same({ password = "hunter5555", code = "userNotFound" }, { code = "x" })
        error { password = "hunter7777" }
      end)
      """)
    #expect(
      events.prints == [
        "password=[secret] Authorization: Bearer [secret] #id_token=[secret]&a=1",
        #"{"refreshToken":"[secret]"} api_key=[secret] code=[secret]"#,
        "WEAK_PASSWORD : Password should be longer; unknown assertion: 'is_even', <password>",
        #"code = "accountExistsWithDifferentCredential", number = 17012, password == nil"#,
      ])
    let told = events.everything
    #expect(!told.contains("hunter") && told.contains("userNotFound"), "\(told)")
  }

  @Test func `texts full of names of fields are read once`() async throws {
    let events = try await TracedRun().events(
      """
      require("luath.journey")("prints", function()
        print(("<key "):rep(60000))
        print(("password:"):rep(20) .. (" password:"):rep(30000))
      end)
      """)
    #expect(events.prints.count == 2)
  }

  @Test func `a secret is found before the script shortens what it is in`() async throws {
    let events = try await TracedRun().events(
      """
      local expect <const> = require "luath.expect"
      require("luath.journey")("shortens", function(j)
        local long <const> = ("wandering-Albatross-"):rep(6)
        local vast <const> = ("uncommon-Marmalade+"):rep(200)
        j:secret(vast)
        local person <const> = j.people:new { password = long }
        local user <const> = person:signIn("google.com").user
        expect.soft.equal(user.refreshToken, "x")
        expect.soft.equal("x", user.refreshToken)
        expect.soft.equal(long, "x")
        expect.soft.equal({ long, "y" }, { "x", "y" })
        expect.soft.equal("x", long)
        expect.soft.same({ nested = { name = long } }, { nested = { name = "x" } })
        expect.soft.matches(vast, "^x")
        expect.equal(vast, "x")
      end)
      """)
    let end = try #require(events.ends.first)
    #expect(end.failures.count == 8)
    let refresh = try #require(end.failures.first)
    #expect(refresh.message.hasSuffix("got \"[secret]\""), "\(refresh.message)")
    let told = events.filter { if case .exchange = $0.kind { false } else { true } }.everything
    for part in ["Albatr", "andering", "Marmal", "uncommon"] {
      // The lines of the script itself are shown, and name them.
      let lines = told.split(separator: "\\n").filter { !$0.contains(":rep(") }
      #expect(!lines.joined().contains(part), "an event holds \(part)")
    }
  }

  @Test func `values of columns named for secrets are in no name and no message`() async throws {
    let events = try await TracedRun().events(
      """
      require("luath.journey")("row {user} {password} {code}", {
        each = {
          { user = "ada", password = "Marmalade", code = "accountExistsWithDifferentCredential" },
          { user = "bob", password = 20260101, code = "731204", more = { pin = "887766" } },
        },
      }, function(j, row)
        print(row.more and row.more.pin)
        error(row.user .. row.password)
      end)
      """)
    let names = events.compactMap { event in
      if case .journeyStart(let start) = event.kind { start.name.last } else { nil }
    }
    #expect(
      names == [
        "row ada [secret] accountExistsWithDifferentCredential", "row bob [secret] [secret]",
      ])
    #expect(events.prints == ["nil", "[secret]"])
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
      """
      local totp <const> = require "luath.totp"
      require("luath.journey")("codes", function()
        local secret <const> = totp.secret()
        print("code is", totp.code(secret), secret)
      end)
      """)
    #expect(events.prints == ["code is\t[secret]\t[secret]"])
  }

  /// A journey that does all it can to have its secrets shown.
  private static let secrets = """
    local luath <const> = require "luath"
    local http <const> = require "luath.http"
    local journey <const> = require "luath.journey"
    local runner <const> = require "luath.runner"
    local emulator <const> = require "luath.emulator"

    local function show(secret)
      print("known " .. secret:reverse())
      print("it is " .. secret)
      io.write("written ", secret, "\\n")
      runner.emit("log", { level = "warning", text = "<" .. secret .. ">" })
    end

    journey("shows everything", function(j)
      local ada <const> = j.people:new { name = "Ada", password = "hunter2-pass" }
      show("hunter2-pass")
      show(luath.secret "API_SECRET")
      show(luath.secret "SECOND")
      show(runner.secret "marked / s3cret?&=")
      local user <const> = ada:signIn("google.com").user
      show(user:getIDToken())
      show(user.refreshToken)
      j:step("with " .. user.refreshToken, function()
        ada.user:updatePassword "another-s3cret"
      end)
      show("another-s3cret")
      local origin <const> = emulator.origin
      http.post(origin .. "/nowhere?key=an-unknown-key-1&code=" .. "co-de-0123", {
        headers = { Authorization = "Basic YWRhOnBhcjBsZQ==" },
        form = { password = "form-s3cret", note = "hunter2-pass" },
      })
      show("form-s3cret")
      show("par0le")
      show("an-unknown-key-1")
      show("co-de-0123")
      error("hunter2-pass " .. user.refreshToken)
    end)
    """
}
