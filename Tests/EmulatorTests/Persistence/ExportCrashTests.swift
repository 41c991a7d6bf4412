@testable import Emulator
@testable import System
import Foundation
import Glibc
import Synchronization
import Testing

/// How many exports the process that is about to die has written.
private let finished = Atomic<Int>(0)

/// An export is the older or the newer one, whatever ends its writing.
@Suite(.timeLimit(.minutes(2))) struct ExportCrashTests {
  /// An export in which every account says which one it is.
  static func generation(_ number: Int) -> ExportedProject {
    let users = (0..<200).map { index -> JSON in ["localId": "\(index)", "n": "\(number)"] }
    return ExportedProject(
      users: users, tenants: [.init(id: "t", users: users)], config: ["n": "\(number)"])
  }

  @Test(arguments: [1, 2, 5, 9])
  func `a killed writer leaves one whole export`(count: Int) async throws {
    let scratch = try ExportScratch()
    let path = scratch.export
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, count = count as Int] in
      Thread.detachNewThread {
        while finished.load(ordering: .acquiring) < count {}
        kill(getpid(), SIGKILL)
      }
      for number in 1... {
        try ExportFolder.write(Self.generation(number), to: path, version: "1")
        finished.add(1, ordering: .releasing)
      }
    }
    let project = try ExportFolder.read(path)
    let number = try #require(project.config?["n"]?.string.flatMap { Int($0) })
    #expect(number >= count)
    #expect(project == Self.generation(number))
    // And the next one clears away what it left.
    try ExportFolder.write(Self.generation(0), to: path, version: "1")
    #expect(try scratch.names().count == 5)
  }

  @Test func `a full disk leaves the older export`() async throws {
    let scratch = try ExportScratch()
    let path = scratch.export
    try ExportFolder.write(Self.generation(1), to: path, version: "1")
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var room = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      room.rlim_cur = 1000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      let error = try #require(throws: ExportError.self) {
        try ExportFolder.write(Self.generation(2), to: path, version: "1")
      }
      #expect(error.code == .full)
    }
    #expect(try ExportFolder.read(path) == Self.generation(1))
    #expect(try scratch.names().count == 5)
  }
}
