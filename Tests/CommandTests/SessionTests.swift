import Foundation
import Testing

/// Every transcript of `Sessions/` against the built binary; `LUATH_RECORD=1` writes what the
/// binary answers into the transcripts, and fails, so that nobody records by accident.
@Suite struct SessionTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Sessions")
  // The thread sanitizer holds back, while Lua runs, the signal that stops it, and has no room for
  // many tasks.
  private static let skipped =
    ProcessInfo.processInfo.environment["LUATH_SANITIZER"] == "thread"
    ? ["stopped-project-file.session", "many-tasks.session", "batch-own.session"] : []
  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".session") && !skipped.contains($0) }
    .map { String($0.dropLast(8)) }.sorted()

  @Test func `there are sessions`() { #expect(Self.names.count > 15) }

  @Test(.timeLimit(.minutes(5)), arguments: names)
  func `the session goes as written`(_ name: String) async throws {
    let file = Self.folder.appending(path: "\(name).session")
    let session = Session(try String(contentsOf: file, encoding: .utf8))
    try #require(!session.steps.isEmpty)
    let answers = try await session.play()
    if ProcessInfo.processInfo.environment["LUATH_RECORD"] == "1" {
      try session.text(answers: answers).write(to: file, atomically: true, encoding: .utf8)
      Issue.record("\(name).session was recorded")
      return
    }
    for (step, answer) in zip(session.steps, answers) {
      let expected = step.answer.joined(separator: "\n")
      let actual = answer.joined(separator: "\n")
      #expect(actual == expected, "\(name).session: $ \(step.command)")
    }
  }
}
