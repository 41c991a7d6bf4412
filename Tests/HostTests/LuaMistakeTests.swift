@testable import Host
@testable import Lua
@testable import System
import Foundation
import Testing

/// The lines that errors show are put back into their scripts.
@Suite(.timeLimit(.minutes(5))) struct LuaMistakeTests {
  private static let before = """
    local Auth = require "luath.auth"
    local auth = Auth.auth()
    local json = require "luath.json"
    local p = Auth.OAuthProvider("microsoft.com")
    local email, password = "known@example.com", "correct horse"
    auth:createUser(email, password)
    auth:signOut()

    """

  private static func table(_ name: String) throws -> [JSON] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/Guides/\(name).lua")
    let text = try Array(Data(contentsOf: file))
    return try ProjectScript.evaluate(text, name: "\(name).lua").array ?? []
  }

  @Test func `a mistake in Lua shows the line to write, which works in its place`() async throws {
    let mistakes = try Self.table("lua-mistakes")
    #expect(mistakes.count >= 40)
    for mistake in mistakes {
      let code = try #require(mistake["code"]?.string)
      let line = try #require(mistake["write"]?.string)
      let given = Self.before + (mistake["given"]?.string.map { "\($0)\n" } ?? "")
      let failure = try await GuideTests.runner().failure(of: given + code)
      let shown =
        line.contains("\n") ? "\n    \(line.replacing("\n", with: "\n    "))" : "write \(line)"
      #expect(failure.hint?.hasSuffix(shown) == true, "\(code): \(failure)")
      try await GuideTests.runner().run(given + line)
    }
  }

  @Test func `a line in place of another language's has no second mistake`() async throws {
    var count = 0
    for mistake in try Self.table("mistakes") + Self.table("promises") {
      guard let line = mistake["write"]?.string else { continue }
      count += 1
      // The line may begin a block or a call, or be an expression.
      let isInside = ["else", "end"].contains { line.hasPrefix($0) }
      let start = isInside ? "if x then \(line)" : line
      let whole = [start, "\(start) end", "\(start) end)", "return \(start)"]
      let text = try #require(whole.first(where: Self.compiles), "\(line)")
      let names = Set(LuaGlobals(text).reads.map(\.name))
        .subtracting(["ipairs", "pcall", "print", "require"])
      let isModule = text.contains("luath.auth")
      let list = names.sorted().joined(separator: ", ")
      let locals = names.isEmpty || isModule ? "" : "local \(list)\n"
      let outcome = try await ScriptRunner().outcome("do return end\n\(locals)\(text)")
      if case .notLoaded(let failure) = outcome.outcome {
        Issue.record("\(line): \(failure.message) (\(failure.hint ?? ""))")
      }
    }
    #expect(count >= 85)
  }

  private static func compiles(_ text: String) -> Bool {
    let lua = LuaState()
    defer { lua.close() }
    return (try? lua.load(Array(text.utf8), name: "=line")) != nil
  }

  @Test(arguments: [
    "local user = auth.currentUser; user:delete()",
    "local user = auth.currentUser\nprint(user.uid)",
  ])
  func `a user that is nil is explained where it is used`(_ code: String) async throws {
    let failure = try await ScriptRunner().failure(of: Self.before + code)
    #expect(
      failure.hint?.hasPrefix("nobody is signed in, so user is nil: call auth:signIn(credential)")
        == true, "\(failure)")
  }

  @Test(arguments: [
    "pcall(f(1))", "pcall(cache:get(1))", "pcall(cache.link(1))", "local x = cache.length",
  ])
  func `calls that may return functions are left alone`(_ code: String) async throws {
    try await ScriptRunner().run(
      """
      local cache = { link = function() return print end }
      function cache:get() return print end
      local function f() return print end
      \(code)
      """)
  }

  @Test(arguments: [
    ("auth:createUser{ email = 'a@b.example', password = 'correct horse' }"),
    ("assert(Auth.OAuthProvider{ providerId = 'microsoft.com' }.providerID == 'microsoft.com')"),
    ("Auth.EmailAuthProvider.credential{ email = email, password = password }"),
    ("auth:fetchProviders{ email = email }"),
  ])
  func `labels of the web SDK are keys too`(_ code: String) async throws {
    try await ScriptRunner().run(Self.before + code)
  }
}
