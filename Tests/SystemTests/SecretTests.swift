@testable import System
import Testing

@Suite("Exact strings and secrets", .timeLimit(.minutes(1)))
struct SecretTests {
  @Test func `an exact string is its bytes`() {
    #expect("\u{E9}" == "e\u{301}")
    #expect(ExactString("\u{E9}") != ExactString("e\u{301}"))
    // These two have the same number of bytes and are one text to String.
    #expect(ExactString("q\u{323}\u{307}") != ExactString("q\u{307}\u{323}"))
    #expect(ExactString("abc") == ExactString(string: "abc"))
    #expect(Set(["\u{E9}", "e\u{301}", "\u{E9}"].map { ExactString($0) }).count == 2)
  }

  @Test func `constant-time comparison gives the plain answer`() {
    #expect(constantTimeEqual("", ""))
    #expect(constantTimeEqual("abc", "abc"))
    #expect(!constantTimeEqual("abc", "abd"))
    #expect(!constantTimeEqual("abc", "abcd"))
    #expect(!constantTimeEqual("\u{E9}", "e\u{301}"))
    #expect(constantTimeEqual([1, 2], [1, 2] as [UInt8]))
  }

  @Test func `a secret does not show itself`() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump([secret], to: &dumped)
    let shown = ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped]
    #expect(shown.allSatisfy { !$0.contains("hunter2") })
    #expect(shown[0] == "[secret]")
    #expect(secret.reveal() == "hunter2")
    #expect(secret == Secret("hunter2"))
    #expect(secret != Secret("hunter3"))
  }

  @Test func `secret bytes do not show themselves`() {
    let secret = SecretBytes([104, 117, 110])
    var dumped = ""
    dump([secret], to: &dumped)
    let shown = ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped]
    #expect(shown.allSatisfy { !$0.contains("104") && !$0.contains("117") })
    #expect(shown[0] == "[secret]")
    #expect(secret.reveal() == [104, 117, 110])
    #expect(secret.count == 3)
    #expect(secret == SecretBytes([104, 117, 110]))
    #expect(secret != SecretBytes([104, 117]))
  }
}
