@testable import System
import Testing

/// Scripts whose backend answers badly: what is sent again, and what the errors say.
@Suite(.timeLimit(.minutes(2))) struct BadAnswerTests {
  @Test(arguments: [
    ("empty", "internalError", "is empty"), ("page", "internalError", "web page instead of JSON"),
    ("refused-page", "internalError", "status 403"), ("list", "internalError", "not a JSON object"),
    ("truncated", "internalError", "JSON that ends too early"),
    ("text", "internalError", "not JSON"),
    ("damaged", "internalError", "damaged JSON"), ("nameless", "internalError", "no error"),
    ("google", "networkError", "is unavailable: The service is"),
    ("busy", "tooManyRequests", "status 429"),
    ("quota", "quotaExceeded", "Quota exceeded"), ("unknown", "internalError", "SOMETHING_NEW"),
    ("tokens", "invalidUserToken", "no tokens"),
  ])
  func `a strange answer is told for what it is, and its call sent once`(
    _ name: String, _ code: String, _ words: String
  ) async throws {
    let backend = try StrangeBackend()
    defer { backend.stop() }
    var flow = Flow()
    flow.runner.origin = try await backend.start()
    try await flow.run(
      program: "BadAnswer/strange",
      given: [
        "code": .string(code), "email": .string("\(name)@b.example"), "words": .string(words),
      ])
    #expect(backend.count(name) == 1)
  }

  @Test(arguments: [("google", 4), ("truncated", 1), ("page", 1), ("quota", 4)])
  func `a question is asked again only where another answer may come`(
    _ name: String, _ count: Int
  ) async throws {
    let backend = try StrangeBackend()
    defer { backend.stop() }
    var flow = Flow()
    flow.runner.origin = try await backend.start()
    try await flow.run(
      #"assert(not pcall(auth.fetchProviders, auth, "\#(name)@b.example"))"#)
    #expect(backend.count(name) == count)
  }
}
