import Foundation
import Glibc
@testable import Storage
import Synchronization
import System
import Testing

/// How many commits the process that is about to die has acknowledged.
private let acknowledged = Atomic<Int>(0)

/// What was acknowledged is in the file, whatever ends the process or the writing.
@Suite(.timeLimit(.minutes(2))) struct CrashTests {
  /// The value of a row: some rows need pages of their own.
  static func value(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number * 7919 % 9000)
  }

  /// Commits pairs of rows for ever and says so on the standard output, until another thread kills
  /// the process somewhere after the given acknowledgement.
  static func writeUntilKilled(path: String, from first: Int, dyingAfter last: Int) throws {
    let file = try StateFile(path: path)
    Thread.detachNewThread {
      while acknowledged.load(ordering: .acquiring) < last {}
      kill(getpid(), SIGKILL)
    }
    for number in first... {
      file.put("left", key: "\(number)", value: value(number))
      file.put("right", key: "\(number)", value: value(number))
      try file.commit()
      let line = "acknowledged \(number)\n"
      write(STDOUT_FILENO, line, line.utf8.count)
      acknowledged.add(1, ordering: .releasing)
    }
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func `every acknowledged row survives kill -9`(seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file()
    var generator = SeededGenerator(seed: seed)
    var written = 0
    for _ in 1...3 {
      let first = written + 1
      let last = Int.random(in: 0...900, using: &generator)
      let death = await #expect(
        processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
      ) { [path = path as String, first = first as Int, last = last as Int] in
        try Self.writeUntilKilled(path: path, from: first, dyingAfter: last)
      }
      let result = try #require(death)
      let output = String(decoding: result.standardOutputContent, as: UTF8.self)
      let numbers = output.split(separator: "\n").compactMap { line in
        line.hasPrefix("acknowledged ") ? Int(line.dropFirst("acknowledged ".count)) : nil
      }
      let promised = numbers.last ?? written
      #expect(numbers == Array(first..<first + numbers.count))
      #expect(numbers.count >= last)

      let file = try StateFile(path: path)
      var sides: [String: Int] = [:]
      try file.forEach { row in
        sides[row.collection, default: 0] += 1
        #expect(row.key == "\(sides[row.collection] ?? 0)")
        #expect(row.value == Self.value(Int(row.key) ?? 0))
      }
      file.close()
      // The last commit may have been made without its acknowledgement; it is there as a whole.
      written = sides["left", default: 0]
      #expect(sides["right", default: 0] == written)
      #expect((promised...promised + 1).contains(written))
    }
  }

  @Test func `a full disk ends the writing and loses nothing that was acknowledged`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var room = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      let whole = room
      // From no room at all, over too little for the tables and for the log, to some commits.
      for limit in [0, 100, 4096, 5000, 9000, 16_384, 30_000, 60_000, 5_000_000] {
        let file = "\(path)/\(limit).db"
        room.rlim_cur = rlim_t(limit)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
        let (count, error) = Self.writeUntilFull(file)
        room.rlim_cur = whole.rlim_cur
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
        #expect(error.code == .full, "\(limit): \(error)")
        #expect((count > 0) == (limit >= 60_000), "\(limit)")
        var found = 0
        try StateFile(path: file).forEach { _ in found += 1 }
        #expect(found == count, "\(limit)")
      }
    }
  }

  /// Commits rows until that fails, and gives how many were acknowledged.
  static func writeUntilFull(_ path: String) -> (count: Int, error: JournalError) {
    var count = 0
    do {
      let file = try StateFile(path: path)
      do {
        while true {
          file.put("a", key: "\(count)", value: [UInt8](repeating: 1, count: 20_000))
          try file.commit()
          count += 1
        }
      } catch {
        // Nothing is acknowledged any more, though a small row might still fit.
        file.put("a", key: "small", value: [])
        #expect(throws: error) { try file.commit() }
        #expect(throws: error) { try file.forEach { _ in } }
        return (count, error)
      }
    } catch {
      return (count, error)
    }
  }
}
