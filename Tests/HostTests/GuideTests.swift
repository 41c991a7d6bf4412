@testable import Emulator
@testable import Host
@testable import Lua
@testable import System
import Foundation
import Testing

/// What readers of Firebase's guides write: the snippets and their literal spellings, without a project file.
@Suite(.timeLimit(.minutes(10))) struct GuideTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Programs/Guides")

  private static func table(_ name: String) throws -> JSON {
    let file = folder.appending(path: "\(name).lua")
    return try ProjectScript.evaluate(Array(Data(contentsOf: file)), name: "\(name).lua")
  }

  /// What `luath run` uses without a project file: people and tenants of any name.
  static func runner() -> ScriptRunner {
    var project = ProjectConfiguration.demo
    project.admitsAnyone = true
    return ScriptRunner(project: project)
  }

  /// The names in a text, in which no letter or digit stands beside them.
  static func names(in text: String) -> Set<String> {
    Set(text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) && $0 != "_" }.map(String.init))
  }

  @Test func `every name in the 84 blocks of the five guides is in code that runs`() throws {
    let (table, steps) = (try Self.table("snippets"), try Self.table("blocks"))
    let snippets = table["snippets"]?.array ?? []
    let code = try (Self.table("spellings")["spellings"]?.array ?? [])
      .compactMap { $0["code"]?.string }
    let spelled = Self.names(in: code.joined(separator: "\n"))
    let guides = table["guides"]?.array ?? []
    var blocks = 0
    var seen: Set<String> = []
    for id in guides.flatMap({ $0["snippets"]?.array ?? [] }).compactMap(\.string) {
      let snippet = try #require(snippets.first { $0["id"]?.string == id }, "\(id) is no snippet")
      seen.insert(id)
      let step = try #require(id.split(separator: ".").last.flatMap { steps[String($0)] }, "\(id)")
      for language in ["swift", "objc"] {
        let words = try #require(step[language]?.string, "\(id): \(language)")
        blocks += 1
        let known = spelled.union(Self.names(in: snippet["luath"]?.string ?? ""))
        #expect(Self.names(in: words).subtracting(known) == [], "\(id): \(language)")
      }
    }
    #expect(guides.count == 5)
    #expect(blocks == 84)
    #expect(snippets.count == 25)
    #expect(seen.count == 25)
    let sentences =
      "\(steps["text"]?["swift"]?.string ?? "") \(steps["text"]?["objc"]?.string ?? "")"
    #expect(Self.names(in: sentences).count > 20)
    #expect(Self.names(in: sentences).subtracting(spelled) == [])
  }

  @Test func `each of the 25 snippets works as luath writes it`() async throws {
    let runner = Self.runner()
    for snippet in try Self.table("snippets")["snippets"]?.array ?? [] {
      let lines = ["before", "luath", "check"].map { snippet[$0]?.string ?? "" }
      try await expectSuccess(
        lines.joined(separator: "\n"), runner, "\(snippet["id"]?.string ?? "?")")
    }
  }

  @Test func `each snippet in Swift or Objective-C is refused with Lua that works`() async throws {
    let runner = Self.runner()
    // The checks of the table read variables of luath's own code.
    let checks = [
      "signIn": "assert(auth.currentUser)", "manual": "assert(auth:signIn(credential).user)",
      "signOut": "assert(not auth.currentUser)",
      "merge": "assert(#auth.currentUser.providerData == 2)",
    ]
    var count = 0
    for snippet in try Self.table("snippets")["snippets"]?.array ?? [] {
      let step = snippet["id"]?.string?.split(separator: ".").last.map(String.init) ?? ""
      let parts = [snippet["before"]?.string ?? "", checks[step] ?? snippet["check"]?.string ?? ""]
      for language in ["swift", "objc"] {
        let text = try #require(snippet[language]?.string)
        let name = "\(snippet["id"]?.string ?? "?") \(language)"
        let failure = try await runner.failure(of: "\(parts[0])\n\(text)")
        let hint = try #require(failure.hint, "\(name): \(failure.message)")
        let start = try #require(hint.firstRange(of: /write\s+/), "\(name): \(hint)")
        let lines = hint[start.upperBound...].replacing("\n    ", with: "\n")
        // The merge returns from the script, as the guide returns from the callback.
        let atEnd =
          "local last <close> = setmetatable({}, { __close = function() \(parts[1]) end })"
        let script =
          step == "merge"
          ? [parts[0], atEnd, String(lines)] : [parts[0], String(lines), parts[1]]
        try await expectSuccess(script.joined(separator: "\n"), runner, name)
        count += 1
      }
    }
    #expect(count == 50)
  }

  @Test(arguments: [("spellings", 74), ("members", 34)])
  func `each literal spelling works or shows the line to write`(
    _ file: String, _ least: Int
  ) async throws {
    let (runner, table) = (Self.runner(), try Self.table(file))
    let spellings = table["spellings"]?.array ?? []
    #expect(Set(spellings.compactMap { $0["code"]?.string }).count == spellings.count)
    #expect(spellings.count >= least)
    for spelling in spellings {
      let code = spelling["code"]?.string ?? ""
      let before = spelling["given"]?.string.flatMap { table["given"]?[$0]?.string } ?? ""
      let text = "\(table["before"]?.string ?? "")\(before)\(code)"
      guard let shown = spelling["shows"]?.string else {
        try await expectSuccess(text, runner, code)
        continue
      }
      let failure = try await runner.failure(of: text)
      let words = "\(failure.message) \(failure.hint ?? "")"
      #expect(words.contains(shown), "\(code): \(words)")
    }
  }

  @Test(arguments: [("mistakes", 90), ("promises", 19)])
  func `a mistake of a reader of the SDKs shows the line to write, at its place`(
    _ file: String, _ least: Int
  ) async throws {
    let mistakes = try Self.table(file).array ?? []
    #expect(mistakes.count >= least)
    for mistake in mistakes {
      let code = try #require(mistake["code"]?.string)
      let failure = try await ScriptRunner().failure(of: code)
      if let line = mistake["write"]?.string {
        let shown = line.replacing("\n", with: "\n    ")
        let start = line == shown ? "write " : "\n    "
        #expect(failure.hint?.hasSuffix(start + shown) == true, "\(code): \(failure.hint ?? "")")
        #expect(isLua(line), "\(line)")
      } else {
        let hint = mistake["says"]?.string ?? ""
        #expect(failure.hint?.contains(hint) == true, "\(code): \(failure.hint ?? "")")
        #expect(failure.hint?.contains("write ") == false, "\(code): \(failure.hint ?? "")")
      }
      if let word = mistake["at"]?.string { #expect(failure.name == word, "\(code)") }
      #expect(failure.place == "test.lua:\(mistake["line"]?.integer ?? 0)", "\(code)")
    }
  }

  /// Whether a line is Lua, or the beginning of a block or call.
  private func isLua(_ line: String) -> Bool {
    let lua = LuaState()
    defer { lua.close() }
    let isInside = ["else", "end"].contains { line.hasPrefix($0) }
    do throws(LuaError) {
      _ = try lua.load(Array((isInside ? "if x then \(line)" : line).utf8), name: "=line")
      return true
    } catch {
      guard case .message(let text) = error else { return false }
      return text.hasSuffix("near <eof>")
    }
  }

  @Test(arguments: [
    ("oidc.my-company", "", "operationNotAllowed"),
    ("microsoft.com", "login_hint = 'user@firstadd.onmicrosoft.com'", "webPageUnusable"),
    ("microsoft.com", "tenant = 'contoso.onmicrosoft.com'", "webPageUnusable"),
    ("oidc.example-provider", "login_hint = 'user@example.com'", "webPageUnusable"),
  ])
  func `without a project file the hint is the file to write, and that file works`(
    _ provider: String, _ parameters: String, _ code: String
  ) async throws {
    let script = """
      local Auth = require "luath.auth"
      local provider = Auth.OAuthProvider("\(provider)")
      provider.customParameters = { \(parameters) }
      local user = Auth.auth():signIn(provider).user
      assert(user.email)
      assert(Auth.session():createUser("password@example.com", "correct horse"))
      """
    let failure = try await ScriptRunner().failure(of: script)
    #expect(failure.code == code)
    let hint = try #require(failure.hint)
    let start = try #require(hint.firstRange(of: "write this luath.lua: "))
    let file = String(hint[start.upperBound...])
    let table = try ProjectScript.evaluate(Array(file.utf8), name: "luath.lua")
    #expect(table.object?.keys == ["project"])
    let project = try ProjectConfiguration(json: #require(table["project"]))
    try await ScriptRunner(project: project).run(script)
  }

  @Test(arguments: [
    ("{ people = \"any\" }", "providers = { [\"oidc.my-company\"] = {}, anonymous = {}, "),
    ("{ providers = { [\"google.com\"] = {} } }", "add [\"oidc.my-company\"] = {} to providers"),
    (
      "{ providers = { [\"oidc.my-company\"] = { enabled = false } } }",
      "remove enabled = false from [\"oidc.my-company\"]"
    ),
  ])
  func `with a project file the hint is what to change in it`(
    _ project: String, _ hint: String
  ) async throws {
    let table = try ProjectScript.evaluate(Array("return \(project)".utf8), name: "luath.lua")
    var runner = ScriptRunner(project: try ProjectConfiguration(json: table))
    runner.projectFile = "/shop/luath.lua"
    let failure = try await runner.failure(
      of: "require('luath.auth').OAuthProvider('oidc.my-company'):getCredential()")
    #expect(failure.code == "operationNotAllowed")
    #expect(failure.hint?.hasPrefix("in luath.lua, ") == true)
    #expect(failure.hint?.contains(hint) == true, "\(failure.hint ?? "")")
  }

  @Test func `a provider that the emulator does not have is not written into a file`() async throws
  {
    let failure = try await ScriptRunner().failure(
      of: "require('luath.auth').OAuthProvider('apple.com'):getCredential()")
    #expect(failure.hint?.hasPrefix("the emulator has no pages of apple.com") == true)
  }

  @Test(arguments: [
    "auth:fetchProviders(err.email)", "auth:fetchSignInMethods(err.email)",
    "Auth.fetchSignInMethodsForEmail(auth, err.email)",
  ])
  func `after a conflict an empty list of sign-in methods is explained, once`(
    _ call: String
  ) async throws {
    let trace = try await Self.runner().run(
      """
      local Auth = require "luath.auth"
      local auth = Auth.auth()
      local provider = Auth.OAuthProvider("microsoft.com")
      provider.customParameters = { login_hint = "user@example.com" }
      auth:createUser("user@example.com", "correct horse")
      auth:signOut()
      assert(#auth:fetchProviders("user@example.com") == 0)
      local ok, err = pcall(auth.signIn, auth, provider)
      assert(#auth:fetchProviders("nobody@example.com") == 0)
      assert(#\(call) == 0 and #auth:fetchSignInMethods(err.email) == 0)
      """)
    let warnings = trace.filter { $0.hasPrefix("warning: ") }
    #expect(warnings.count == 1, "\(warnings)")
    #expect(warnings.first?.contains("enumerationProtection = false") == true)
    #expect(warnings.first?.contains("user@example.com") == false)
  }

  @Test(arguments: ["local auth, password = Auth.auth(), \"correct horse\"", ""])
  func `the lines of that warning solve the conflict`(_ names: String) async throws {
    let auth = names.isEmpty ? "Auth.auth()" : "auth"
    let script = """
      local Auth = require "luath.auth"
      \(names.isEmpty ? "local password = \"correct horse\"" : names)
      local account = \(auth):createUser("user@example.com", password)
      \(auth):signOut()
      local provider = Auth.OAuthProvider("microsoft.com")
      provider.customParameters = { login_hint = "user@example.com" }
      local ok, err = pcall(\(auth).signIn, \(auth), provider)
      local methods = \(auth):fetchSignInMethods(err.email)

      """
    let trace = try await Self.runner().run(
      "\(script)if methods[1] == 'password' then error 'not reached' end")
    let warning = try #require(trace.first { $0.hasPrefix("warning: ") })
    let lines = try #require(
      warning.firstMatch(
        of:
          /in place of the check of the list\n(.*\n.*)\n  or write at the top of the script\n(.*)\)?/
      ))
    let count = "assert(#\(auth).currentUser.providerData == 2)"
    try await Self.runner().run("\(script)\(lines.output.1) \(count)")
    let setting = lines.output.2.prefix { $0 != "}" } + "}"
    let rest = "if methods[1] == 'password' then \(lines.output.1) end \(count)"
    let later = try await Self.runner().run(
      script.replacing("local methods", with: "\(setting) local methods") + rest)
    #expect(!later.contains { $0.hasPrefix("warning: ") })
  }

  @Test func `the merge in one call needs no list, and warns of none`() async throws {
    let trace = try await Self.runner().run(
      """
      local Auth = require "luath.auth"
      local auth, merge = Auth.auth(), require "luath.merge"
      auth:createUser("user@example.com", "correct horse")
      auth:signOut()
      local provider = Auth.OAuthProvider("microsoft.com")
      provider.customParameters = { login_hint = "user@example.com" }
      assert(merge.signIn(auth, provider, { prove = merge.password("correct horse") }).merged)
      """)
    #expect(!trace.contains { $0.hasPrefix("warning: ") }, "\(trace)")
  }

  @Test(arguments: [
    ("auth:signIn(credential)", false), ("print(credential.providerID)", true),
    ("auth:signInAnonymously().user:link(credential)", false),
  ])
  func `a conflict that nothing can raise is explained at the end`(
    _ use: String, _ isWarned: Bool
  ) async throws {
    let trace = try await Self.runner().run(
      """
      local Auth = require "luath.auth"
      local auth, provider = Auth.auth(), Auth.OAuthProvider("microsoft.com")
      provider.customParameters = { login_hint = "user@example.com" }
      local ok, credential = pcall(provider.getCredential, provider)
      if not ok and credential.code == Auth.ErrorCode.accountExistsWithDifferentCredential then
        error "not reached"
      end
      \(use)
      """)
    let warnings = trace.filter { $0.hasPrefix("warning: ") }
    #expect(warnings.contains { $0.contains("raisesConflict = true") } == isWarned, "\(warnings)")
  }

  @Test(arguments: [("user@yahoo.com", true), ("user@gmail.example", false)])
  func `a provider that takes over an account with a password is explained`(
    _ email: String, _ isTaken: Bool
  ) async throws {
    let trace = try await Self.runner().run(
      """
      local Auth = require "luath.auth"
      local auth, provider = Auth.auth(), Auth.OAuthProvider("yahoo.com")
      auth:createUser("\(email)", "correct horse")
      provider.customParameters = { login_hint = "\(email)" }
      local ok, result = pcall(auth.signIn, auth, provider)
      assert(ok == \(isTaken))
      if ok then auth:signIn(provider) end
      """)
    let warnings = trace.filter { $0.contains("removed the account's password") }
    #expect(warnings.count == (isTaken ? 1 : 0), "\(trace)")
  }

  @Test func `people of any address belong to the tenant that is asked for`() async throws {
    try await Flow(runner: Self.runner()).run(
      """

      local provider = Auth.OAuthProvider("microsoft.com")
      local function tenantOf(parameters)
        provider.customParameters = parameters
        return crypto.claims(auth:signIn(provider).credential.idToken).tid
      end
      local id = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
      assert(tenantOf { tenant = id } == id)
      local domain = tenantOf { tenant = "contoso.onmicrosoft.com" }
      assert(domain == tenantOf { login_hint = "other@contoso.onmicrosoft.com" })
      local personal = tenantOf { login_hint = "someone@outlook.com" }
      assert(personal == "9188040d-6c67-4c5b-b112-36a304b66dad")
      -- Somebody who is known already stays in the tenant.
      provider.customParameters = { login_hint = "someone@outlook.com", tenant = id }
      assert(not pcall(auth.signIn, auth, provider))
      """)
  }

  @Test func `a nonce is left out only where the token comes for a code`() async throws {
    let failure = try await Self.runner().failure(
      of: """
        local client = require("luath.oidc").client {
          issuer = "https://auth.example.com", clientID = "luath-client-oidc.example-provider",
          clientSecret = "luath-secret-oidc.example-provider",
          redirectURI = "http://127.0.0.1:8910/",
        }
        local flow = client:begin{ nonce = false }
        assert(flow.nonce == nil and flow.rawNonce == nil and not flow.url:find "nonce")
        client:begin{ nonce = false, responseType = "id_token" }
        """)
    #expect(failure.code == "unsupported")
    #expect(failure.hint?.contains("nonce = false") == true)
  }

  private func expectSuccess(
    _ text: String, _ runner: ScriptRunner, _ name: String
  ) async throws {
    switch try await runner.outcome(text).outcome {
    case .finished: break
    case .failed(let failure), .notLoaded(let failure):
      Issue.record(
        "\(name): \(failure.place ?? "?"): \(failure.code ?? "") \(failure.message) (\(failure.hint ?? ""))"
      )
    case let other: Issue.record("\(name): \(other)")
    }
  }
}
