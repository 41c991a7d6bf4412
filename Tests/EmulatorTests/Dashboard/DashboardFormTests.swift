@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// What people change on the page.
@Suite(.timeLimit(.minutes(1))) struct DashboardFormTests {
  private func user(_ emulator: Fixture, _ uid: JSON?) async throws -> JSON? {
    try await emulator.admin("accounts:lookup", ["localId": [uid ?? .null]])["users"]?[0]
  }

  @Test(arguments: [Rules.compatible, .production])
  func `a user is made, changed, disabled, enabled and deleted`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let visitor = PageVisitor(emulator)
      let made = try await visitor.change(
        "\(PageVisitor.project)/new-user",
        [
          ("email", "ada@b.example"), ("password", "correct horse"), ("localId", "the-uid"),
          ("displayName", "Ada"), ("phoneNumber", ""), ("photoUrl", ""),
        ])
      #expect(made.contains("has been created") && !made.contains("correct horse"))
      let path = PageVisitor.user("the-uid")

      let changed = try await visitor.change(
        path,
        [
          ("action", "profile"), ("displayName", "Ada L."), ("email", "ada@c.example"),
          ("emailVerified", "on"), ("phoneNumber", "+15555550100"),
          ("photoUrl", "https://b.example/ada.png"), ("customAttributes", #"{"role":"admin"}"#),
        ])
      #expect(changed.contains("Saved."))
      var ada = try await user(emulator, "the-uid")
      #expect(ada?["displayName"] == "Ada L." && ada?["email"] == "ada@c.example")
      #expect(ada?["emailVerified"] == true && ada?["phoneNumber"] == "+15555550100")
      #expect(ada?["customAttributes"] == #"{"role":"admin"}"#)
      #expect(ada?["photoUrl"] == "https://b.example/ada.png")

      _ = try await visitor.change(
        path,
        [
          ("action", "profile"), ("displayName", ""), ("email", "ada@c.example"),
          ("phoneNumber", ""), ("photoUrl", ""), ("customAttributes", #"{"role":"admin"}"#),
        ])
      ada = try await user(emulator, "the-uid")
      #expect(ada?["displayName"] == nil && ada?["phoneNumber"] == nil && ada?["photoUrl"] == nil)
      #expect(ada?["emailVerified"] == false)

      #expect(try await visitor.change(path, [("action", "disable")]).contains("disabled"))
      #expect(try await user(emulator, "the-uid")?["disabled"] == true)
      _ = try await visitor.change(path, [("action", "enable")])
      #expect(try await user(emulator, "the-uid")?["disabled"] == false)

      let gone = try await visitor.change(path, [("action", "delete")])
      #expect(gone.contains("has been deleted"))
      #expect(try await user(emulator, "the-uid") == nil)
      #expect(try await visitor.get(path).status == 404)
    }
  }

  @Test func `a new password signs in, and revoked tokens do not`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let visitor = PageVisitor(emulator)
      let path = PageVisitor.user(made["localId"])
      _ = try await visitor.change(path, [("action", "password"), ("password", "battery staple")])
      let signedIn = try await emulator.call(
        .signInWithPassword,
        ["email": "ada@b.example", "password": "battery staple", "returnSecureToken": true])
      try #require(signedIn.status == 200, "\(signedIn.message)")
      // A session of the present second would go on.
      emulator.clock.advance(bySeconds: 2)
      _ = try await visitor.change(path, [("action", "revoke")])
      #expect(try await emulator.lookup(signedIn["idToken"]).error == "TOKEN_EXPIRED")
    }
  }

  @Test func `a provider is linked and unlinked`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let visitor = PageVisitor(emulator)
      let path = PageVisitor.user(made["localId"])
      let linked = try await visitor.change(
        path, [("action", "link"), ("providerId", "google.com"), ("rawId", "g-1")])
      #expect(linked.contains("g-1"))
      let unlinked = try await visitor.change(
        path, [("action", "unlink"), ("providerId", "google.com")])
      #expect(!unlinked.contains("g-1"))
      #expect(try await user(emulator, made["localId"])?["providerUserInfo"]?.array?.count == 1)
    }
  }

  @Test func `a refusal is shown with what was typed, and nothing changes`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      _ = try await emulator.signUp("taken@b.example")
      let visitor = PageVisitor(emulator)
      let path = PageVisitor.user(made["localId"])
      let refused = try await visitor.submit(
        path,
        [
          ("action", "profile"), ("displayName", "<Ada>"), ("email", "taken@b.example"),
          ("phoneNumber", ""), ("photoUrl", ""), ("customAttributes", "{"),
        ])
      #expect(refused.status == 400)
      #expect(refused.text.contains("role=\"alert\"") && refused.text.contains("&lt;Ada&gt;"))
      let ada = try await user(emulator, made["localId"])
      #expect(ada?["email"] == "ada@b.example" && ada?["displayName"] == nil)
      // An administrator may set a short password, but not one of more than 4096 characters.
      let tooLong = String(repeating: "abc", count: 1366)
      let long = try await visitor.submit(path, [("action", "password"), ("password", tooLong)])
      #expect(long.status == 400)
      #expect(long.text.contains("PASSWORD_DOES_NOT_MEET_REQUIREMENTS"))
      #expect(!long.text.contains("abcabc"))
      let again = try await visitor.submit(
        "\(PageVisitor.project)/new-user",
        [("email", "taken@b.example"), ("password", "secret words"), ("displayName", "Twin")])
      #expect(again.status == 400 && again.text.contains("EMAIL_EXISTS"))
      #expect(again.text.contains("Twin") && !again.text.contains("secret words"))
    }
  }

  @Test func `settings are turned one by one`() async throws {
    try await Fixture.run { emulator in
      let visitor = PageVisitor(emulator)
      let config = "emulator/v1/projects/demo-luath/config"
      let before = try await emulator.request("GET", config)
      #expect(before["signIn"]?["allowDuplicateEmails"] == false)
      let page = try await visitor.page("\(PageVisitor.project)/settings")
      let isOn = page.ranges(of: " checked>").count
      #expect(isOn > 1)
      _ = try await visitor.change(
        "\(PageVisitor.project)/settings", [("on", "signIn/allowDuplicateEmails")])
      let after = try await emulator.request("GET", config)
      #expect(after["signIn"]?["allowDuplicateEmails"] == true)
      #expect(after["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
    }
  }

  @Test func `faults are added, edited and removed`() async throws {
    try await Fixture.run { emulator in
      let visitor = PageVisitor(emulator)
      let path = "/emulator/ui/faults"
      func faults() async throws -> [JSON] {
        try await emulator.request("GET", "emulator/v1/faults")["faults"]?.array ?? []
      }
      let added = try await visitor.change(
        path,
        [
          ("action", "add"), ("operation", "signUp"), ("error", "503"), ("rate", "50"),
          ("count", "3"), ("latency", ""), ("drop", "on"),
        ])
      #expect(added.contains("Saved.") && added.contains(">signUp</th>"))
      _ = try await visitor.change(path, [("action", "add"), ("latency", "20")])
      var list = try await faults()
      #expect(list.map { $0["operation"] } == ["signUp", "*"])
      #expect(list[0]["rate"]?.number == 0.5 && list[0]["count"] == 3 && list[0]["drop"] == true)
      #expect(list[1]["latency"]?.number == 20)

      let refused = try await visitor.submit(
        path, [("action", "add"), ("operation", "fly"), ("error", "<503>")])
      #expect(refused.status == 400 && refused.text.contains("there is no operation"))
      #expect(refused.text.contains("&lt;503&gt;") && !refused.text.contains("<503>"))
      #expect(try await faults().count == 2)

      let page = try await visitor.page(path)
      let shown = try #require(visitor.value(after: "name=\"fault\" value=\"", in: page))
      let gone = try await visitor.change(
        path, [("action", "remove"), ("fault", shown.replacing("&quot;", with: "\""))])
      #expect(gone.contains("Removed."))
      #expect(try await faults().map { $0["operation"] } == ["*"])

      for text in ["", "{", "{}", "7"] {
        let wrong = try await visitor.submit(path, [("action", "replace"), ("faults", text)])
        #expect(wrong.status == 400 && wrong.text.contains("not a JSON list"))
      }
      _ = try await visitor.change(
        path,
        [
          ("action", "replace"), ("seed", "7"),
          ("faults", #"[{"operation": "token", "latency": {"min": 1, "max": 2}}]"#),
        ])
      list = try await faults()
      #expect(list.count == 1 && list[0]["latency"]?["max"]?.number == 2)
      #expect(try await emulator.request("GET", "emulator/v1/faults")["seed"] == "7")
      _ = try await visitor.change(path, [("action", "clear")])
      #expect(try await faults().isEmpty)
      #expect(try await visitor.submit(path, [("action", "none")]).status == 400)
    }
  }

  @Test func `users of a tenant are changed in their tenant only`() async throws {
    try await Fixture.run { emulator in
      let id = try await emulator.makeTenant([
        "displayName": "East", "allowPasswordSignup": true,
      ])
      let visitor = PageVisitor(emulator)
      let users = "\(PageVisitor.project)/tenants/\(id)"
      _ = try await visitor.change(
        "\(users)/new-user", [("email", "ada@b.example"), ("localId", "east-uid")])
      #expect(try await visitor.page("\(users)/users").contains("east-uid"))
      let others = try await visitor.page("\(PageVisitor.project)/users")
      #expect(!others.contains("east-uid"))
      #expect(try await visitor.get(PageVisitor.user("east-uid")).status == 404)
    }
  }

  // MARK: Forged forms

  @Test func `a form without its code changes nothing`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let path = PageVisitor.user(made["localId"])
      let visitor = PageVisitor(emulator)
      let text = try await visitor.page(path)
      let code = try #require(visitor.value(after: "name=\"csrf\" value=\"", in: text))
      let delete = ("action", "delete")
      // Without code, with a wrong one, and with another browser's.
      #expect(try await visitor.post(path, [delete]).status == 403)
      #expect(try await visitor.post(path, [delete, ("csrf", "x")]).status == 403)
      #expect(try await PageVisitor(emulator).post(path, [delete, ("csrf", code)]).status == 403)
      // A foreign page that knew the code would still say where it comes from.
      for origin in ["https://evil.example", "null", "http://localhost:1"] {
        let answer = try await visitor.post(
          path, [delete, ("csrf", code)], headers: ["Origin": origin])
        #expect(answer.status == 403)
      }
      #expect(try await user(emulator, made["localId"]) != nil)
      let own = try await visitor.post(
        path, [delete, ("csrf", code)], headers: ["Origin": emulator.origin])
      #expect(own.status == 303)
    }
  }

  @Test func `the cookie stays with the page`() async throws {
    try await Fixture.run { emulator in
      let page = try await PageVisitor(emulator).get("/")
      let cookie = try #require(page.headers["Set-Cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    }
  }
}
