@testable import System
import Foundation
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct RecordFileTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "luath-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func `a folder keeps its record, out of version control`() throws {
    try withFolder { folder in
      let file = RecordFile(workingFolder: folder.path)
      #expect(try file.read() == nil)
      var record = RunRecord()
      record.note("a > b", failed: true, duration: 1)
      try file.write(record)
      try file.write(record)
      #expect(try file.read() == record)
      let own = folder.appending(path: ".luath")
      #expect(try String(contentsOf: own.appending(path: ".gitignore"), encoding: .utf8) == "*\n")
      #expect(try FileManager.default.contentsOfDirectory(atPath: own.path).count == 2)
    }
  }

  @Test func `a corrupt record is a problem with a way out`() throws {
    try withFolder { folder in
      let path = folder.appending(path: "record.json").path
      try Data("{\"version\":1,".utf8).write(to: URL(fileURLWithPath: path))
      let problem = try #require(throws: Problem.self) {
        try RecordFile(path: path).read()
      }
      #expect(problem.message.contains(path))
      #expect(problem.message.contains("it is no JSON"))
      try RecordFile(path: path).write(RunRecord())
      #expect(try RecordFile(path: path).read() == RunRecord())
    }
  }

  @Test func `what is no plain file stays as it is`() throws {
    try withFolder { folder in
      let pipe = folder.appending(path: "pipe")
      #expect(mkfifo(pipe.path, 0o600) == 0)
      let link = folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: pipe)
      for path in [pipe.path, link.path] {
        #expect(throws: Problem.self) { try RecordFile(path: path).write(RunRecord()) }
        #expect(throws: Problem.self) { try RecordFile(path: path).read() }
      }
      let type = try FileManager.default.attributesOfItem(atPath: pipe.path)[.type]
      #expect(type as? FileAttributeType != .typeRegular)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }
  }

  @Test func `a place that cannot be written is told, and nothing is left behind`() throws {
    try withFolder { folder in
      let missing = RecordFile(path: folder.appending(path: "none/record.json").path)
      #expect(throws: Problem.self) { try missing.write(RunRecord()) }
      let inTheWay = folder.appending(path: "in-the-way")
      try FileManager.default.createDirectory(
        at: inTheWay.appending(path: "x"), withIntermediateDirectories: true)
      #expect(throws: Problem.self) {
        try RecordFile(path: inTheWay.path).write(RunRecord())
      }
      #expect(throws: Problem.self) { try RecordFile(path: inTheWay.path).read() }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["in-the-way"])
    }
  }
}
