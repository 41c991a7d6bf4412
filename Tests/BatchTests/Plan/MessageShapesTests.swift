@testable import Batch
@testable import System
import Testing

@Suite struct MessageShapesTests {
  private func shapes(_ messages: [(String, String)]) -> String {
    var shapes = MessageShapes()
    for (uid, message) in messages {
      shapes.add(
        message,
        of: PlannedRow(
          number: 1, line: 2, key: uid, input: ["name": .string("Name\(uid)")],
          decision: .run([.delete(uid: uid)])))
    }
    return shapes.more
  }

  @Test func `messages that differ in what is their row's own are one`() {
    #expect(shapes([("a", "there is no account with the uid a")]) == "")
    #expect(
      shapes([
        ("ada", "there is no account with the uid ada"),
        ("bo", "there is no account with the uid bo"),
      ]) == "")
    #expect(
      shapes([("ada", "plan.lua:3: (Nameada): no"), ("bo", "plan.lua:3: (Namebo): no")]) == "")
    #expect(
      shapes([
        ("a", "row 1 has x@contoso.example as well"), ("b", "row 20 has y@contoso.example as well"),
      ]) == "")
  }

  @Test func `other words, and other places in a script, are other messages`() {
    #expect(shapes([("a", "plan.lua:3: no"), ("b", "plan.lua:7: no")]) == ", and 1 other message")
    #expect(shapes([("a", "no"), ("a", "yes"), ("b", "perhaps")]) == ", and 2 other messages")
    // Words that are no numbers.
    let many = (0..<1200).map { ("a", String(repeating: "x", count: $0)) }
    #expect(shapes(many) == ", and more than 998 other messages")
  }
}
