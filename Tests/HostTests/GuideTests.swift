@testable import Emulator
@testable import Host
@testable import Lua
@testable import System
import Foundation
import Testing

/// What readers of Firebase's guides write: the snippets, their literal spellings and `docs/from-the-sdk.md`.
@Suite(.timeLimit(.minutes(10))) struct GuideTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func table(_ name: String) throws -> JSON {
    let file = root.appending(path: "Tests/HostTests/Programs/Guides/\(name).lua")
    return try ProjectScript.evaluate(Array(Data(contentsOf: file)), name: "\(name).lua")
  }

  /// The project of the guides: people and tenants of any name, and an issuer with its own name.
  private static func runner() throws -> ScriptRunner {
    let project = try #require(try table("snippets")["project"])
    return ScriptRunner(project: try ProjectConfiguration(json: project))
  }

  @Test func `all 84 blocks of the five guides are of a known snippet`() throws {
    let table = try Self.table("snippets")
    let known = Set((table["snippets"]?.array ?? []).compactMap { $0["id"]?.string })
    let guides = table["guides"]?.array ?? []
    let named = guides.flatMap { $0["snippets"]?.array ?? [] }.compactMap(\.string)
    #expect(guides.count == 5)
    #expect(known.count == 25)
    #expect(Set(named) == known)
    // Each snippet is there in Swift and in Objective-C.
    #expect(named.count * 2 == 84)
  }

  @Test func `each of the 25 snippets works as luath writes it`() async throws {
    let runner = try Self.runner()
    for snippet in try Self.table("snippets")["snippets"]?.array ?? [] {
      let lines = ["before", "luath", "check"].map { snippet[$0]?.string ?? "" }
      try await expectSuccess(
        lines.joined(separator: "\n"), runner, "\(snippet["id"]?.string ?? "?")")
    }
  }

  @Test func `each snippet in Swift or Objective-C is refused with the line to write`() async throws
  {
    let runner = try Self.runner()
    var count = 0
    for snippet in try Self.table("snippets")["snippets"]?.array ?? [] {
      for language in ["swift", "objc"] {
        let text = try #require(snippet[language]?.string)
        let failure = try await runner.failure(of: text)
        count += 1
        #expect(
          failure.hint?.contains("write ") == true,
          "\(snippet["id"]?.string ?? "?") \(language): \(failure.message)")
      }
    }
    #expect(count == 50)
  }

  @Test func `each literal spelling works or shows the line to write`() async throws {
    let (runner, table) = (try Self.runner(), try Self.table("spellings"))
    let spellings = table["spellings"]?.array ?? []
    #expect(spellings.count >= 74)
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

  @Test func `a mistake of a reader of the SDKs shows the line to write, at its place`()
    async throws
  {
    let mistakes = try Self.table("mistakes").array ?? []
    #expect(mistakes.count >= 90)
    for mistake in mistakes {
      let code = try #require(mistake["code"]?.string)
      let failure = try await ScriptRunner().failure(of: code)
      if let line = mistake["write"]?.string {
        #expect(failure.hint?.hasSuffix("write \(line)") == true, "\(code): \(failure.hint ?? "")")
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
    ("login_hint = 'new@contoso.example'", "add { email = \"new@contoso.example\" } to people"),
    (
      "tenant = 'contoso.onmicrosoft.com'",
      "microsoft = { tenant = \"contoso.onmicrosoft.com\" } } to people"
    ),
    (
      "tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'",
      "tenantId = \"8eaef023-2b34-4da1-9baa-8bc8c9d6a490\" } } to people"
    ),
  ])
  func `a person or tenant that is not there names the key of luath.lua`(
    _ parameters: String, _ hint: String
  ) async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local Auth = require "luath.auth"
        local provider = Auth.OAuthProvider("microsoft.com")
        provider.customParameters = { \(parameters) }
        Auth.auth():signIn(provider)
        """)
    #expect(failure.code == "webPageUnusable")
    #expect(failure.hint?.contains(hint) == true, "\(failure.hint ?? "")")
    #expect(failure.hint?.contains("people = \"any\"") == true)
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

  @Test func `every luath column of the page for SDK users works`() async throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/from-the-sdk.md"), encoding: .utf8)
    var (section, before, rows) = ("", "", [String]())
    var count = 0
    for part in page.components(separatedBy: "\n## ").dropFirst() {
      section = String(part.prefix { $0 != "\n" })
      guard let start = part.range(of: "<!-- before\n"), let end = part.range(of: "-->") else {
        #expect(section == "What luath refuses")
        continue
      }
      before = String(part[start.upperBound..<end.lowerBound])
      rows = part.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        .compactMap(Self.luathColumn)
      #expect(!rows.isEmpty, "\(section)")
      count += rows.count
      try await expectSuccess(before + rows.joined(separator: "\n"), Self.runner(), section)
    }
    #expect(count >= 50)
  }

  /// The code in the column before the last one of a row; nil for the line under the head and for empty cells.
  private static func luathColumn(_ row: Substring) -> String? {
    let cells = row.split(separator: "|", omittingEmptySubsequences: false)
    let code = cells[cells.count - 3].split(separator: "`", omittingEmptySubsequences: false)
      .enumerated().compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    return code.isEmpty ? nil : code.joined(separator: "\n")
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
