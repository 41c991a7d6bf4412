@testable import Emulator
@testable import System
import Foundation
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// The log of requests: what it shows, and what it never shows.
@Suite(.timeLimit(.minutes(1))) struct EventTests {
  private func events(_ emulator: Fixture, _ query: String = "") async throws -> [JSON] {
    try await emulator.request("GET", "emulator/v1/events\(query)")["events"]?.array ?? []
  }

  @Test(arguments: [Rules.compatible, .production])
  func `a sign-up is told with its tokens' claims and without its secrets`(rules: Rules)
    async throws
  {
    try await Fixture.run(rules: rules) { emulator in
      let made = try await emulator.signUp("ada@b.example", "correct horse battery")
      let event = try #require(try await events(emulator).last)
      #expect(event["operation"] == "signUp" && event["status"] == 200)
      #expect(event["project"] == "demo-luath" && event["method"] == "POST")
      #expect(event["summary"] == "ada@b.example signed up" && event["caller"] == "client")
      #expect(event["localId"] == made["localId"])
      #expect(event["request"]?["password"] == "•••" && event["response"]?["idToken"] == "•••")
      let token = event["tokens"]?[0]
      #expect(token?["field"] == "idToken" && token?["claims"]?["sub"] == made["localId"])
      #expect(token?["algorithm"] == (rules == .compatible ? "none" : "RS256"))
    }
  }

  @Test func `refusals, administrators and other projects are told apart`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.call(
        .signInWithPassword, ["email": "nobody@b.example", "password": "whatever"])
      _ = try await emulator.post(
        "identitytoolkit.googleapis.com/v1/projects/other/accounts", ["email": "x@y.example"],
        key: nil, headers: ["Authorization": "Bearer owner"])
      let list = try await events(emulator)
      #expect(list[0]["status"] == 400)
      #expect(list[0]["summary"]?.string?.hasPrefix("refused: ") == true)
      #expect(list[1]["caller"] == "administrator" && list[1]["project"] == "other")
      let visitor = PageVisitor(emulator)
      let refused = try await visitor.page("/emulator/ui/log?refused=on")
      #expect(refused.contains("signInWithPassword") && !refused.contains("x@y.example"))
      let other = try await visitor.page("/emulator/ui/log?project=other")
      #expect(other.contains("x@y.example") && !other.contains("signInWithPassword"))
    }
  }

  @Test func `the newest two thousand are kept and can be read on from any`() async throws {
    try await Fixture.run { emulator in
      for _ in 0..<2020 { _ = try await emulator.request("GET", "emulator/v1/clock") }
      let all = try await events(emulator, "?limit=1000")
      #expect(all.count == 500)
      #expect(all.first?["number"] == 1521 && all.last?["number"] == 2020)
      for (after, numbers) in [(2015, [2016, 2017, 2018]), (3, [21, 22, 23]), (2020, [])] {
        let next = try await events(emulator, "?after=\(after)&limit=3")
        #expect(next.map { $0["number"]?.integer } == numbers.map { Int64($0) })
      }
      #expect(try await PageVisitor(emulator).get("/emulator/ui/log/20").status == 404)
    }
  }

  @Test func `huge and broken bodies are not shown`() async throws {
    try await Fixture.run { emulator in
      let url = try #require(
        WebURL("\(emulator.origin)/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"))
      for body in ["{\"password\":\"broken-secret\"", String(repeating: "x", count: 100_000)] {
        _ = try await emulator.exchange(
          HTTPRequest(
            method: "POST", url: url, headers: ["Content-Type": "application/json"],
            body: Array(body.utf8)))
      }
      let list = try await events(emulator)
      #expect(list.count == 2)
      for event in list {
        #expect(event["request"]?.string?.contains("bytes") == true)
        #expect(!event.encoded().contains("broken-secret") && event.encoded().utf8.count < 4000)
      }
    }
  }

  @Test func `large bodies push older requests out before memory fills`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let name = String(repeating: "n", count: 70_000)
      for _ in 0..<140 {
        _ = try await emulator.admin("accounts", ["displayName": .string(name)])
      }
      let all = try await events(emulator, "?limit=500")
      // Both bodies hold the name, cut at 64 KiB: 8 MiB are 64 such requests.
      #expect(all.count == 64)
      #expect(all.last?["number"] == 140)
    }
  }

  @Test(arguments: [Rules.compatible, .production])
  func `no page and no event shows a secret of the run`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      var secrets = ["correct horse battery", "the-wrong-password", "battery-staple-9", "fake-key"]
      let made = try await emulator.signUp("ada@b.example", secrets[0])
      let signedIn = try await emulator.call(
        .signInWithPassword,
        ["email": "ada@b.example", "password": "correct horse battery", "returnSecureToken": true])
      _ = try await emulator.call(
        .signInWithPassword, ["email": "ada@b.example", "password": "the-wrong-password"])
      let refreshed = try await emulator.call(
        .token,
        ["grant_type": "refresh_token", "refresh_token": signedIn["refreshToken"] ?? .null])
      _ = try await emulator.call(
        .lookup, ["idToken": .string("\(signedIn["idToken"]?.string ?? "")x")])
      _ = try await emulator.lookup(signedIn["idToken"])
      _ = try await emulator.admin("accounts:lookup", ["localId": [made["localId"] ?? .null]])
      let numeric = try await emulator.call(
        .signUp, ["email": "n@b.example", "password": 73_519_246_801])
      // The number counts as its digits.
      #expect(numeric.status == 200)
      secrets.append("73519246801")
      let v1 = "identitytoolkit.googleapis.com/v1"
      _ = try await emulator.post(
        "\(v1)/accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      _ = try await emulator.post(
        "\(v1)/accounts:sendVerificationCode",
        ["phoneNumber": "+15555550100", "recaptchaToken": "t"])
      let letters = try await emulator.request("GET", "emulator/v1/projects/demo-luath/oobCodes")
      let messages = try await emulator.request(
        "GET", "emulator/v1/projects/demo-luath/verificationCodes")
      var codes = [letters["oobCodes"]?[0]?["oobCode"]?.string].compactMap(\.self)
      codes += [messages["verificationCodes"]?[0]?["code"]?.string].compactMap(\.self)
      #expect(codes.count == 2)
      if let session = messages["verificationCodes"]?[0]?["sessionInfo"]?.string {
        secrets.append(session)
      }
      let account = try await emulator.request(
        "GET", "emulator/v1/projects/demo-luath/serviceAccount")
      secrets.append(
        try #require(account["private_key"]?.string?.split(separator: "\n")[1]).description)
      for reply in [made, signedIn, refreshed] {
        for name in ["idToken", "refreshToken", "id_token", "refresh_token", "access_token"] {
          if let token = reply[name]?.string { secrets.append(token) }
        }
      }
      #expect(secrets.count >= 11)
      let visitor = PageVisitor(emulator)
      _ = try await visitor.change(
        PageVisitor.user(made["localId"]),
        [("action", "password"), ("password", "battery-staple-9")])

      var shown = [
        try await visitor.page("/"), try await visitor.page("/emulator/ui/log"),
        try await visitor.page("\(PageVisitor.project)/users"),
        try await visitor.page(PageVisitor.user(made["localId"])),
        try await visitor.page("\(PageVisitor.project)/settings"),
        JSON.array(try await events(emulator, "?limit=500")).encoded(),
      ]
      let count = try await events(emulator, "?limit=500").count
      for number in 1...count { shown.append(try await visitor.page("/emulator/ui/log/\(number)")) }
      for text in shown {
        for secret in secrets + codes {
          #expect(!text.contains(secret), "\(secret.prefix(12)) is shown")
        }
      }
      // Only the page whose purpose they are has the codes, and no other secret.
      let page = try await visitor.page("\(PageVisitor.project)/codes")
      for code in codes { #expect(page.contains(code)) }
      for secret in secrets where secret != "fake-key" { #expect(!page.contains(secret)) }
    }
  }

  @Test func `events stream as they happen, and from where a reader left off`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("first@b.example", "correct horse battery")
      let reader = try await EventReader.open(
        emulator.origin, "/emulator/v1/events", ["Accept: text/event-stream", "Last-Event-ID: 0"])
      let first = await reader.read(until: "first@b.example signed up")
      #expect(first.contains("text/event-stream") && first.contains("event: exchange\ndata: {"))
      _ = try await emulator.signUp("second@b.example", "correct horse battery")
      let second = await reader.read(until: "second@b.example signed up")
      #expect(second.contains("\nid: 2\n"))
      #expect(!(first + second).contains("correct horse battery"))
      reader.close()
      let page = try await EventReader.open(emulator.origin, "/emulator/ui/stream", [])
      _ = await page.read(until: "retry: ")
      _ = try await emulator.signUp("third@b.example")
      let signal = await page.read(until: "event: change")
      #expect(!signal.contains("third@b.example"))
      page.close()
    }
  }
}
