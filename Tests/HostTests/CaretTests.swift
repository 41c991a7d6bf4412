@testable import Host
import Testing

/// Where the caret of an error is: under the call that failed, never in a text or a comment.
@Suite(.timeLimit(.minutes(2))) struct CaretTests {
  /// Scripts whose last line fails; « and » stand around what the caret marks.
  private static let scripts = [
    #"auth:«signIn»{ email = "signIn" }"#,
    #"auth:«signIn»{ email = "signIn" } -- signIn("x")"#,
    #"local s = "signIn" auth:«signIn»(nil) local t = "auth:signIn(nil)""#,
    #"local signIn = auth.signIn  auth:«signIn»(nil)  signIn = nil"#,
    #"require("luath.oidc").«client» { issuer = "https://x.example", clientID = "the-client-1", client = 1 }"#,
    #"local user = { user = "user" } print("user", user.«usr».user) -- usr"#,
    #"auth:«currentUser»("currentUser")"#,
    #"local s = [[ auth:signIn()⏎]] auth:«signIn»(nil) s = [[⏎signIn"#,
    #"print(auth:«signIn»(auth:signOut(), "signIn"))"#,
    #"local t = { x = false, s = "t.x" } print(t.s, "x", t.«x».s)"#,
    #"«error»("the 'error'")"#,
  ]

  @Test(arguments: scripts)
  func `the caret marks the call`(_ marked: String) async throws {
    var text = marked.replacing("⏎", with: "\n")
    if text.hasSuffix("\nsignIn") { text += "]]" }
    let start = try #require(text.firstRange(of: "«")).lowerBound
    let end = try #require(text.firstRange(of: "»")).lowerBound
    let name = text[text.index(after: start)..<end]
    let before = text[..<start]
    let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    let script = text.replacing("«", with: "").replacing("»", with: "")
    let prelude = "local auth = require(\"luath.auth\").auth()\n"
    let failure = try await ScriptRunner().failure(of: prelude + script)
    let place = try #require(failure.place.flatMap(SourceLine.init), "\(failure.message)")
    let source = ShownSource(Array((prelude + script).utf8))
    let excerpt = try #require(SourceExcerpt(place.line, of: source, for: failure))
    let shown = excerpt.text(marking: failure.name, as: failure.role, near: failure.column)
    let caret =
      String(repeating: " ", count: line.count) + String(repeating: "^", count: name.count)
    #expect(shown.hasSuffix(" | \(caret)\n"), "\(failure.message)\n\(shown)")
  }
}
