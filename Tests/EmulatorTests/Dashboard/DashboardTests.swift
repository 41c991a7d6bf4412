@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// The pages as they are read.
@Suite(.timeLimit(.minutes(1))) struct DashboardTests {
  @Test func `the front page is JSON for programs and a page for browsers`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let visitor = PageVisitor(emulator)
      for accept in ["*/*", "application/json"] {
        let health = try await visitor.get("/", headers: ["Accept": accept])
        #expect(try health.json()["authEmulator"]?["ready"] == true)
      }
      let page = try await visitor.get("/")
      #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(page.text.contains("demo-luath"))
      #expect(page.text.contains("compatible rules"))
    }
  }

  @Test(
    arguments: [
      "/", "/emulator/ui", "/emulator/ui/", "/emulator/ui/log", "/emulator/ui/rules",
      "/emulator/ui/faults", "\(PageVisitor.project)/users", "\(PageVisitor.project)/new-user",
      "\(PageVisitor.project)/codes", "\(PageVisitor.project)/settings",
    ])
  func `each page is whole, named, and bound to its own resources`(path: String) async throws {
    try await Fixture.run { emulator in
      let response = try await PageVisitor(emulator).get(path)
      #expect(response.status == 200)
      let policy = try #require(response.headers["Content-Security-Policy"])
      #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(response.headers["Cache-Control"] == "no-store")
      #expect(response.headers["Access-Control-Allow-Origin"] == nil)
      let text = response.text
      #expect(text.hasPrefix("<!DOCTYPE html>") && text.hasSuffix("</html>\n"))
      for part in ["<html lang=\"en\">", "<main ", "<nav ", "<h1", "<title>", "class=\"skip\""] {
        #expect(text.contains(part), "\(part)")
      }
      // Nothing is fetched from elsewhere, and no script stands in the page.
      #expect(
        !text.contains("src=\"http") && !text.contains("<script>") && !text.contains("onclick"))
      #expect(!text.contains("style=\""))
    }
  }

  @Test(
    arguments: [
      "/emulator/ui/nothing", "/emulator/ui/log/99", "/emulator/ui/log/x",
      "/emulator/ui/projects/nobody/users", "/emulator/ui/projects/demo-luath/tenants/none/users",
      "\(PageVisitor.project)/user?uid=nobody", "/emulator/ui/projects/%3Cscript%3E/settings",
    ])
  func `what is not there is a page that says so, and looking makes nothing`(path: String)
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let visitor = PageVisitor(emulator)
      let response = try await visitor.get(path)
      #expect(response.status == 404)
      #expect(response.text.contains("<h1>") && !response.text.contains("<script>"))
      let overview = try await visitor.page("/")
      #expect(overview.contains("1 project ") && !overview.contains("tenants/none"))
    }
  }

  @Test func `the style sheet and the script are served here`() async throws {
    try await Fixture.run { emulator in
      let visitor = PageVisitor(emulator)
      let style = try await visitor.get("/emulator/ui/style.css")
      #expect(style.headers["Content-Type"] == "text/css; charset=utf-8")
      #expect(style.text.contains("prefers-color-scheme:dark"))
      let script = try await visitor.get("/emulator/ui/script.js")
      #expect(script.headers["Content-Type"] == "text/javascript; charset=utf-8")
      #expect(script.headers["X-Content-Type-Options"] == "nosniff")
    }
  }

  static let names = [
    "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "&lt;b&gt;", "שלום עולם",
    "\u{202E}evil", "</textarea></title>", "javascript:alert(1)",
  ]

  @Test(arguments: names) func `a name is text wherever it is shown`(name: String) async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.admin(
        "accounts", ["email": "ada@b.example", "displayName": .string(name)])
      let visitor = PageVisitor(emulator)
      let escaped =
        name.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;").replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
      for path in [PageVisitor.user(made["localId"]), "\(PageVisitor.project)/users"] {
        let page = try await visitor.page(path)
        // Isolated, so that the direction of a name does not reach what stands beside it.
        #expect(page.contains("<bdi>\(escaped)</bdi>"))
        #expect(!page.contains("<script>") && !page.contains("<img"))
      }
      let query = PercentEncoding.encode(name)
      let found = try await visitor.page("\(PageVisitor.project)/users?q=\(query)")
      #expect(found.contains("value=\"\(escaped)\""))
      #expect(!found.contains("<script>") && !found.contains("<img"))
      let log = try await visitor.page("/emulator/ui/log?q=\(query)")
      #expect(!log.contains("<script>") && !log.contains("<img"))
    }
  }

  @Test func `a thousand users come in pages, each once`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let users = (0..<1000).map { number -> JSON in
        [
          "localId": .string("user-\(number)"), "email": .string("u\(number)@b.example"),
          "displayName": .string(number % 10 == 0 ? "Tenth \(number)" : "Other"),
        ]
      }
      let made = try await emulator.admin("accounts:batchCreate", ["users": .array(users)])
      try #require(made.status == 200)
      let visitor = PageVisitor(emulator)
      #expect(try await uids(visitor, "\(PageVisitor.project)/users").count == 1000)
      let tenths = try await uids(visitor, "\(PageVisitor.project)/users?q=tenth")
      #expect(tenths.count == 100)
      #expect(try await visitor.page("/").contains("1,000"))
    }
  }

  /// The uids on a list's pages, from the first to the last.
  private func uids(_ visitor: PageVisitor, _ path: String) async throws -> Set<String> {
    var found: Set<String> = []
    var next: String? = path
    while let path = next {
      let page = try await visitor.page(path)
      let links = page.ranges(of: "/user?uid=").map { page[$0.upperBound...].prefix { $0 != "\"" } }
      #expect(links.count <= 50)
      for link in links { #expect(found.insert(String(link)).inserted) }
      next = visitor.value(after: "rel=\"next\" href=\"", in: page)
    }
    return found
  }

  static let searches = [
    "ada@b.example", "ADA@b.example", "+15555550100", "the-uid", "Lovelace", "lovel", "google.com",
    "g-12345",
  ]

  @Test(arguments: searches) func `a user is found by each of their names`(text: String)
    async throws
  {
    try await Fixture.run { emulator in
      _ = try await emulator.admin(
        "accounts",
        [
          "localId": "the-uid", "email": "ada@b.example", "displayName": "Ada Lovelace",
          "phoneNumber": "+15555550100",
        ])
      _ = try await emulator.admin(
        "accounts:update",
        [
          "localId": "the-uid",
          "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g-12345"],
        ])
      _ = try await emulator.admin("accounts", ["localId": "another", "email": "x@y.example"])
      let query = PercentEncoding.encode(text)
      let page = try await PageVisitor(emulator).page("\(PageVisitor.project)/users?q=\(query)")
      #expect(page.contains("uid=the-uid") && !page.contains("uid=another"))
    }
  }

  @Test func `a moved clock is on every page, and providers and tenants have their names`()
    async throws
  {
    try await Fixture.run { emulator in
      let id = try await emulator.makeTenant(["displayName": "East", "allowPasswordSignup": true])
      _ = try await emulator.admin("accounts", ["localId": "the-uid", "email": "ada@b.example"])
      _ = try await emulator.admin(
        "accounts:update",
        [
          "localId": "the-uid",
          "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g-12345"],
        ])
      let visitor = PageVisitor(emulator)
      let before = try await visitor.page("/")
      #expect(!before.contains("Clock "))
      emulator.clock.advance(bySeconds: 7500)
      let overview = try await visitor.page("/")
      #expect(overview.contains("Clock +2 h 5 min") && overview.contains("<bdi>East</bdi>"))
      #expect(try await visitor.page("/emulator/ui/rules").contains("Clock +2 h 5 min"))
      #expect(try await visitor.page("\(PageVisitor.project)/users").contains(">Google<"))
      let users = try await visitor.page("\(PageVisitor.project)/tenants/\(id)/users")
      #expect(users.contains("Users of East"))
      let settings = try await visitor.page("\(PageVisitor.project)/settings")
      #expect(settings.contains("Sign-in method: Microsoft (microsoft.com)"))
    }
  }

  @Test(
    arguments: [
      (0, ""), (1, "1 s"), (61, "1 min 1 s"), (3600, "1 h"), (3601, "1 h"), (90_061, "1 d 1 h"),
    ] as [(UInt64, String)])
  func `a time span has two units at most`(seconds: UInt64, text: String) {
    #expect(DashboardPage.span(seconds) == text)
  }

  @Test func `codes show what was sent, link and all`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let sent = try await emulator.post(
        "identitytoolkit.googleapis.com/v1/accounts:sendOobCode",
        ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      try #require(sent.status == 200, "\(sent.message)")
      let letters = try await emulator.request("GET", "emulator/v1/projects/demo-luath/oobCodes")
      let code = try #require(letters["oobCodes"]?[0]?["oobCode"]?.string)
      let page = try await PageVisitor(emulator).page("\(PageVisitor.project)/codes")
      #expect(page.contains(code) && page.contains("ada@b.example"))
      #expect(page.contains("Reset the password"))
    }
  }

  @Test func `the rules tell which are in force`() async throws {
    for (rules, count) in [(Rules.compatible, 0), (.production, Rule.allCases.count)] {
      try await Fixture.run(rules: rules) { emulator in
        let page = try await PageVisitor(emulator).page("/emulator/ui/rules")
        #expect(page.ranges(of: ">in force<").count == count)
        for rule in Rule.allCases { #expect(page.contains("<code>\(rule.name)</code>")) }
      }
    }
  }

  @Test func `faults are listed`() async throws {
    try await Fixture.run { emulator in
      let visitor = PageVisitor(emulator)
      #expect(try await visitor.page("/emulator/ui/faults").contains("No faults"))
      _ = try await emulator.request(
        "PUT", "emulator/v1/faults",
        ["faults": [["operation": "token", "error": "QUOTA_EXCEEDED"]]])
      let page = try await visitor.page("/emulator/ui/faults")
      #expect(page.contains("error QUOTA_EXCEEDED") && page.contains(">token</th>"))
    }
  }

  @Test func `users come with the newest first, then by uid, and providers have names`()
    async throws
  {
    try await Fixture.run { emulator in
      let users: [JSON] = [("b", 5), ("c", 7), ("a", 5)].map { uid, at in
        ["localId": .string("uid-\(uid)"), "createdAt": .string("179600000000\(at)")]
      }
      _ = try await emulator.admin("accounts:batchCreate", ["users": .array(users)])
      let visitor = PageVisitor(emulator)
      let page = try await visitor.page("\(PageVisitor.project)/users")
      let order = ["uid-c", "uid-a", "uid-b"].map { page.ranges(of: $0).first?.lowerBound }
      #expect(
        order.allSatisfy { $0 != nil }
          && order.compactMap(\.self) == order.compactMap(\.self).sorted())
      let story = ExchangeStory(
        names: ExchangeNames(
          HTTPRequest(
            method: "POST",
            url: try #require(
              WebURL("\(emulator.origin)/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp"))
          ),
          body: nil, mainProject: "demo-luath"),
        method: "POST", status: 200, request: nil,
        response: ["email": "a@b.example", "providerId": "google.com"], isAdmin: false,
        provider: ProjectConfiguration.demo.name(ofProvider:))
      #expect(story.text == "a@b.example signed in with Google")
    }
  }

  @Test func `a fault is edited in the form, and mistakes are in its words`() async throws {
    try await Fixture.run { emulator in
      let visitor = PageVisitor(emulator)
      let old: JSON = [
        "operation": "token", "rate": 0.25, "latency": ["min": 1, "max": 2], "cutAfter": 7,
      ]
      _ = try await emulator.request("PUT", "emulator/v1/faults", ["faults": [old]])
      let list = try await emulator.request("GET", "emulator/v1/faults").json["faults"]?[0]
      let fault = Dashboard.withoutCounters(list ?? .null).encoded()
      let form = try await visitor.submit(
        "/emulator/ui/faults", [("fault", fault), ("action", "edit")]
      ).text
      #expect(
        form.contains("Edit the fault") && form.contains(#"name="rate" type="text" value="25""#))
      let fields = [
        ("fault", fault), ("action", "change"), ("operation", "token"),
        ("latency", #"{"min":1,"max":2}"#), ("drop", "on"),
      ]
      let wrong = try await visitor.submit("/emulator/ui/faults", fields + [("rate", "150")]).text
      #expect(wrong.contains("Probability in percent: must be a number from 0 to 100"))
      _ = try await visitor.change("/emulator/ui/faults", fields + [("rate", "50")])
      let after = try await emulator.request("GET", "emulator/v1/faults").json["faults"]
      #expect(after?.array?.count == 1 && after?[0]?["rate"] == 0.5)
      #expect(after?[0]?["drop"] == true && after?[0]?["latency"]?["max"]?.number == 2)
      let nothing = try await visitor.submit("/emulator/ui/faults", [("action", "add")]).text
      #expect(nothing.contains("The fault does nothing: fill in an error"))
    }
  }
}
