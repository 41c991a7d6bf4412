@testable import System
import Foundation
import Glibc

/// A PostgreSQL server of Debian's package, in a folder of its own and reached by a socket in it.
actor PostgresServer {
  /// One server for the tests that leave it alone.
  static let shared = PostgresServer()

  static let programs = "/usr/lib/postgresql"
  static let advice = "Debian's package postgresql is missing: make setup-tests"

  /// Where the newest version's programs are.
  private static var folder: String? {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: programs)) ?? []
    guard let newest = versions.compactMap(Int.init).max() else { return nil }
    let folder = "\(programs)/\(newest)/bin"
    return FileManager.default.isExecutableFile(atPath: "\(folder)/initdb") ? folder : nil
  }

  static var isInstalled: Bool { folder != nil }

  private let path = "/tmp/luath-pg-\(UInt32.random(in: .min ... .max))"
  private var watcher: Process?
  private var start: Task<Void, any Error>?

  static let password = "pass w0rd/é"

  /// The URL of the server with another journal each time; starts it first.
  func url(
    user: String = "luath", password: String = password, database: String = "postgres",
    journal: String? = nil
  ) async throws -> Secret {
    try await run()
    func escape(_ text: String) -> String {
      text.utf8.map { "%" + Hex.encode([$0]) }.joined()
    }
    let name = journal ?? "t\(UInt64.random(in: .min ... .max))"
    return Secret(
      "postgres://\(user):\(escape(password))@/\(database)?host=\(escape(path))#\(name)")
  }

  private func run() async throws {
    if let start { return try await start.value }
    let task = Task { try await self.begin() }
    start = task
    try await task.value
  }

  private func begin() async throws {
    let data = "\(path)/data"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data((Self.password + "\n").utf8).write(to: URL(fileURLWithPath: "\(path)/password"))
    if geteuid() == 0 {
      try await Self.call("/usr/bin/chown", "postgres", path, "\(path)/password")
    }
    try await call(
      "initdb", "-D", data, "-U", "luath", "--auth=scram-sha-256", "--pwfile=\(path)/password",
      "--encoding=UTF8", "--locale=C", "--no-sync")
    try await launch()
    // Ends the server with this process, whatever ends it: the pipe is then closed.
    let watcher = Process()
    watcher.executableURL = URL(fileURLWithPath: "/bin/sh")
    let stop = command("pg_ctl", ["-D", data, "-m", "immediate", "stop"]).joined(separator: " ")
    watcher.arguments = ["-c", "read -r line; \(stop); rm -rf \(path)"]
    watcher.currentDirectoryURL = URL(fileURLWithPath: "/")
    let pipe = Pipe()
    // A server that is started later must not keep it open.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    watcher.standardInput = pipe
    watcher.standardOutput = FileHandle.nullDevice
    watcher.standardError = FileHandle.nullDevice
    try watcher.run()
    self.watcher = watcher
  }

  private func launch() async throws {
    try await call(
      "pg_ctl", "-D", "\(path)/data", "-l", "\(path)/data/log", "-w", "-o",
      "-c fsync=off -c listen_addresses='' -c unix_socket_directories=\(path)", "start")
  }

  /// Ends the server at once, as if it had crashed, and starts it again.
  func crash(_ meanwhile: @Sendable () async throws -> Void = {}) async throws {
    try await run()
    try await call("pg_ctl", "-D", "\(path)/data", "-m", "immediate", "-w", "stop")
    try await meanwhile()
    try await launch()
  }

  private func command(_ program: String, _ arguments: [String]) -> [String] {
    let command = ["\(Self.folder ?? "")/\(program)"] + arguments
    // It refuses to run as root.
    return geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command
  }

  private func call(_ program: String, _ arguments: String...) async throws {
    try await Self.call(command(program, arguments))
  }

  private static func call(_ command: String...) async throws { try await call(command) }

  /// On a thread of its own, as waiting on those that tests share would hold them up.
  private static func call(_ command: [String]) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try wait(for: command) }) }
    }
  }

  private static func wait(for command: [String]) throws {
    // Foundation's Process would wait for the server too, which keeps a socket of it open.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    let arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawn(&process, command[0], &actions, nil, arguments, environ) == 0 else {
      throw Failed(command: command.joined(separator: " "))
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw Failed(command: command.joined(separator: " ")) }
  }

  struct Failed: Error {
    let command: String
  }
}
