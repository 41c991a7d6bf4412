@testable import Journeys
@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct SnapshotFileTests {
  private static let head = "# luath snapshots 1; luath test --update-snapshots writes this file\n"

  private static func key(_ journey: String, _ name: String) -> SnapshotFile.Key {
    SnapshotFile.Key(journey: journey, name: name)
  }

  @Test func `what is written is read, in the order of names and numbers`() throws {
    var file = SnapshotFile()
    file[Self.key("signs in > again", "10")] = "{\n  a = 1,\n}\n"
    file[Self.key("signs in > again", "2")] = "\"--- no header\"\n"
    file[Self.key("a journey", "claims: all")] = "  | === text\n  |\n  | --- text\n"
    file[Self.key(" \"quoted\"\nname ", "=== x")] = "null\n"
    let text = file.encoded
    #expect(text.hasPrefix(Self.head))
    #expect(
      text == Self.head + """

        === " \\"quoted\\"\\nname "
        --- === x
        null

        === a journey
        --- claims: all
          | === text
          |
          | --- text

        === signs in > again
        --- 2
        "--- no header"
        --- 10
        {
          a = 1,
        }

        """)
    #expect(try SnapshotFile(text) == file)
    #expect(try SnapshotFile(text.replacing("\n", with: "\r\n")) == file)
    #expect(try SnapshotFile(text.replacing("\n}\n", with: "\n}\n\n\n")) == file)
    #expect(try SnapshotFile(Self.head).entries.isEmpty)
  }

  @Test(arguments: [
    ("", 1, "does not begin"), ("{ }\n", 1, "does not begin"),
    ("# luath snapshots 2\n", 1, "of version '2'"), (head + "words\n", 2, "no snapshot"),
    (head + "--- 1\n1\n", 2, "no journey"), (head + "=== a\n--- 1\n\n--- 2\n2\n", 3, "is empty"),
    (head + "=== a\n--- 1\n1\n--- 1\n2\n", 5, "twice"), (head + "=== a\n1\n", 3, "no snapshot"),
    (head + "=== \"a\n--- 1\n1\n", 2, "quotation marks"),
    (head + "=== a\n--- 1\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> b\n", 4, "merge conflict"),
  ])
  func `a broken file is refused with its line`(text: String, line: Int, message: String) throws {
    let mistake = try #require(throws: SnapshotFile.Mistake.self) { try SnapshotFile(text) }
    #expect(mistake.line == line && mistake.message.contains(message), "\(mistake)")
  }
}
