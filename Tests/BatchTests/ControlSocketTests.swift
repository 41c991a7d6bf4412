@testable import Batch
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct ControlSocketTests {
  /// Asks on a thread of its own, as the answer needs those that tests share.
  private func ask(
    _ line: String, at path: String, patience: Int = 60
  ) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try ControlSocket.ask(line, at: path, patience: patience) })
      }
    }
  }

  private func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "luath-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  @Test(arguments: [0, 150])
  func `a line is answered, also under a path that is too long for a socket's address`(
    _ length: Int
  ) async throws {
    let folder = try folder() + (length == 0 ? "" : "/" + String(repeating: "x", count: length))
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/plan.journal.sock"
    let socket = try ControlSocket(path: path) { "you said \($0)" }
    #expect(try await ask("status", at: path) == "you said status")
    #expect(try await ask("pause", at: path) == "you said pause")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(throws: BatchProblem.self) { try ControlSocket(path: path) { $0 } }
    socket.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
    await #expect(throws: BatchProblem.self) { try await ask("status", at: path) }
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  @Test func `a process that was stopped holds nobody up, and keeps its socket`() async throws {
    let path = "\(try folder())/plan.journal.sock"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(Self.withAddress(path) { bind(listener, $0, $1) } == 0)
    try #require(listen(listener, 0) == 0)
    // Nobody accepts, so that with this one as many wait as may.
    let first = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(Self.withAddress(path) { connect(first, $0, $1) } == 0)
    await #expect { try await ask("status", at: path, patience: 1) } throws: {
      ($0 as? BatchProblem)?.code == .inUse
    }
    #expect { try ControlSocket(path: path) { $0 } } throws: {
      ($0 as? BatchProblem)?.code == .inUse
    }
    #expect(FileManager.default.fileExists(atPath: path))
    close(first)
    close(listener)
  }

  @Test func `a socket that nobody listens at makes way, and a file does not`() async throws {
    let folder = try folder()
    let path = "\(folder)/plan.journal.sock"
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let bound = Self.withAddress(path) { bind(descriptor, $0, $1) }
    try #require(bound == 0)
    close(descriptor)
    let socket = try ControlSocket(path: path) { $0 }
    #expect(try await ask("drain", at: path) == "drain")
    socket.stop()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: BatchProblem.self) { try ControlSocket(path: path) { $0 } }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }
}
