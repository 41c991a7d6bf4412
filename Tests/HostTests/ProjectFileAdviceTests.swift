@testable import Emulator
@testable import Host
@testable import Lua
@testable import System
import Testing

/// The hints for missing test users, tenants and providers: a reader follows each word for word, once, and the script
/// works.
@Suite(.timeLimit(.minutes(5))) struct ProjectFileAdviceTests {
  private static let ada =
    "{ email = \"ada@contoso.example\", microsoft = { tenant = \"contoso.example\" } }"
  private static let personal = "{ email = \"user@contoso.example\" }"
  private static let elsewhere =
    "{ email = \"ada@contoso.example\", providers = { \"google.com\" } }"
  private static let guid = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

  /// A project file and a script, as a reader has them.
  private struct Attempt {
    /// The text of the project file; nil if there is none.
    var file: String?
    /// Whether a project without a file creates test users as they are asked for, as in `luath run`.
    var admitsAnyone = false
    var provider = "microsoft.com"
    /// The fields of the provider's parameters.
    var parameters: String

    /// A file with these entries of `people`; nil for a file without the key.
    init(people: String?, _ parameters: String) {
      let list = people.map { "people = { \($0) },\n" } ?? ""
      file = "return { project = {\n\(list)} }"
      self.parameters = parameters
    }

    init(_ parameters: String) { self.parameters = parameters }

    func runner() throws -> ScriptRunner {
      guard let file else {
        var project = ProjectConfiguration.demo
        project.admitsAnyone = admitsAnyone
        return ScriptRunner(project: project)
      }
      let table = try ProjectScript.evaluate(Array(file.utf8), name: "luath.lua")
      var runner = ScriptRunner(project: try ProjectConfiguration(json: #require(table["project"])))
      runner.projectFile = "/shop/luath.lua"
      return runner
    }

    var script: String {
      """
      local Auth = require "luath.auth"
      local provider = Auth.OAuthProvider("\(provider)")
      provider.customParameters = { \(parameters) }
      local user = Auth.auth():signIn(provider).user
      assert(user.email)
      """
    }

    /// Applies a hint.
    mutating func follow(_ hint: String) throws {
      var isDone = false
      if let start = hint.firstRange(of: "write this luath.lua: ") {
        file = String(hint[start.upperBound...])
        isDone = true
      }
      func change(_ before: String, _ after: String) throws {
        let text = try #require(file)
        #expect(text.contains(before), "\(hint): \(text)")
        file = text.replacing(before, with: after, maxReplacements: 1)
        isDone = true
      }
      if let entry = hint.firstMatch(of: /in luath.lua, add (\{.*\}) to people of project/) {
        try change("people = { ", "people = { \(entry.output.1), ")
      }
      if hint.contains("add people = \"any\" to project") {
        #expect(file?.contains("people") == false, "\(hint)")
        try change("project = {", "project = { people = \"any\",")
      }
      if let account = hint.firstMatch(of: /write microsoft = (\{.*?\}) for (\S+) in people/) {
        let email = "email = \"\(account.output.2)\""
        let old = file?.firstMatch(of: /, microsoft = \{.*?\}/).map { String($0.output) } ?? ""
        try change("\(email)\(old)", "\(email), microsoft = \(account.output.1)")
      }
      if let id = hint.firstMatch(of: /add (".*?") to providers of \S+ in people/) {
        try change("providers = { ", "providers = { \(id.output.1), ")
      }
      if let address = hint.firstMatch(of: /set (login_hint = ".*?")/) {
        parameters.replace(/login_hint = ".*?"(, )?/, with: "")
        parameters = "\(address.output.1), \(parameters)"
        isDone = true
      }
      #expect(isDone, "nothing to do in: \(hint)")
    }
  }

  private static let attempts: [Attempt] = {
    let parameters = [
      "tenant = \"contoso.onmicrosoft.com\"", "tenant = \"\(guid)\"",
      "login_hint = \"new@firstadd.onmicrosoft.com\"",
      "login_hint = \"new@firstadd.onmicrosoft.com\", tenant = \"contoso.onmicrosoft.com\"",
      "login_hint = \"new@firstadd.onmicrosoft.com\", tenant = \"\(guid)\"",
      "login_hint = \"new@firstadd.onmicrosoft.com\", tenant = \"organizations\"",
      "login_hint = \"new@outlook.com\", tenant = \"consumers\"", "login_hint = \"user\"",
      "login_hint = \"ada@contoso.example\", tenant = \"contoso.onmicrosoft.com\"",
      "login_hint = \"ada@contoso.example\", tenant = \"\(guid)\"",
    ]
    var attempts = parameters.flatMap { parameters in
      [
        Attempt(parameters), Attempt(people: nil, parameters), Attempt(people: ada, parameters),
      ]
    }
    attempts += [
      Attempt(people: ada, "tenant = \"consumers\""),
      Attempt(people: ada, "login_hint = \"ada@contoso.example\", tenant = \"consumers\""),
      Attempt(people: personal, "tenant = \"organizations\""),
      Attempt(people: personal, "tenant = \"contoso.example\""),
      Attempt(
        people: personal, "login_hint = \"user@contoso.example\", tenant = \"organizations\""),
      Attempt(people: elsewhere, ""),
      Attempt(people: elsewhere, "login_hint = \"ada@contoso.example\""),
      Attempt(people: "", ""),
      Attempt(people: nil, "login_hint = \"barbara@corp.example\""),
    ]
    for parameters in parameters.suffix(3) {
      var attempt = Attempt(parameters)
      attempt.admitsAnyone = true
      attempts.append(attempt)
    }
    for index in attempts.indices where attempts[index].parameters.isEmpty {
      var attempt = attempts[index]
      attempt.provider = "yahoo.com"
      attempts.append(attempt)
    }
    return attempts
  }()

  @Test(arguments: attempts.indices)
  func `a hint that is followed word for word makes the script work`(_ index: Int) async throws {
    var attempt = Self.attempts[index]
    let before = "\(attempt.file ?? "no file"), \(attempt.parameters)"
    let failure = try await attempt.runner().failure(of: attempt.script)
    let hint = try #require(failure.hint)
    try attempt.follow(hint)
    let outcome = try await attempt.runner().outcome(attempt.script).outcome
    guard case .finished = outcome else {
      Issue.record("\(before): \(failure.message): \(hint): \(outcome)")
      return
    }
  }

  @Test(arguments: [
    "tenant = \"consumers\"", "tenant = \"organizations\"", "tenant = \"common\"",
    "tenant = \"fabrikam.example\"",
    "login_hint = \"ALAN@outlook.example\", tenant = \"consumers\"",
    "tenant = \"9188040d-6c67-4c5b-b112-36a304b66dad\"",
  ])
  func `a test user whom the tenant admits is chosen`(_ parameters: String) async throws {
    try await Attempt(parameters).runner().run(Attempt(parameters).script)
    try await Attempt(people: nil, parameters).runner().run(Attempt(parameters).script)
  }

  @Test func `a user created in one tenant is refused by another with the address to set`()
    async throws
  {
    let failure = try await GuideTests.runner().failure(
      of: """
        local Auth = require "luath.auth"
        local auth = Auth.auth()
        local provider = Auth.OAuthProvider("microsoft.com")
        provider.customParameters = { login_hint = "user@firstadd.onmicrosoft.com" }
        auth:signIn(provider)
        provider.customParameters = {
          login_hint = "user@firstadd.onmicrosoft.com", tenant = "contoso.onmicrosoft.com",
        }
        auth:signIn(provider)
        """)
    #expect(
      failure.hint == "user@firstadd.onmicrosoft.com belongs to another tenant: set "
        + "login_hint = \"user@contoso.onmicrosoft.com\", or leave tenant out")
  }

  @Test(arguments: [
    "login_hint = \"user@firstadd.onmicrosoft.com\"", "tenant = \"contoso.onmicrosoft.com\"",
  ])
  func `the hint for an emulator of another process names its file`(
    _ parameters: String
  ) async throws {
    let emulator = try Emulator(project: .demo, rules: .production)
    let port = try await emulator.start()
    var runner = GuideTests.runner()
    runner.origin = "http://127.0.0.1:\(port)"
    let failure = try await runner.failure(of: Attempt(parameters).script)
    await emulator.stop()
    #expect(
      failure.hint == "in the luath.lua of the emulator, write people = \"any\" in project, and "
        + "start it again")
  }

  @Test func `the file for another provider keeps those that were there`() async throws {
    var attempt = Attempt("")
    attempt.provider = "oidc.other"
    let failure = try await attempt.runner().failure(of: attempt.script)
    try attempt.follow(try #require(failure.hint))
    for provider in ProjectConfiguration.demo.providers.keys + ["oidc.other"] {
      guard !["password", "anonymous", "phone"].contains(provider) else { continue }
      attempt.provider = provider
      try await attempt.runner().run(attempt.script)
    }
    let kept = try attempt.runner().project.providers["oidc.example-provider"]
    #expect(kept?.issuerName == "https://auth.example.com")
  }

  @Test func `the hints for a missing nonce and client secret name what to pass`() async throws {
    try await ScriptRunner().run(
      """
      local Auth, oidc = require "luath.auth", require "luath.oidc"
      local function client(secret)
        return oidc.client {
          issuer = "https://auth.example.com", clientID = "luath-client-oidc.example-provider",
          clientSecret = secret, redirectURI = "http://127.0.0.1:8910/callback",
        }
      end
      local function signIn(tokens, rawNonce)
        return Auth.auth():signIn(Auth.OAuthProvider.credential {
          withProviderID = "oidc.example-provider", idToken = tokens.idToken, rawNonce = rawNonce,
        })
      end
      local good = client "luath-secret-oidc.example-provider"
      local tokens = good:signIn()
      local _, err = pcall(signIn, tokens)
      assert(err.code == "missingOrInvalidNonce", err)
      assert(err.hint:find("rawNonce = tokens.rawNonce", 1, true), err.hint)
      assert(err.hint:find("client:signIn(nil, { nonce = false })", 1, true), err.hint)
      assert(signIn(tokens, tokens.rawNonce).user)
      assert(signIn(good:signIn(nil, { nonce = false })).user)
      local unproved = client()
      local _, refusal = pcall(unproved.signIn, unproved)
      assert(refusal.hint:find("^no client secret was sent: set clientSecret"), refusal.hint)
      """)
  }
}
