import System
import Glibc
import Synchronization

/// A Unix socket for commands to a running batch: one line each way, then the connection closes.
///
/// Only the user who started the run can connect.
final class ControlSocket: Sendable {
  private let path: String
  private let descriptor: Int32
  private let isClosed = Mutex(false)

  /// The maximum length of a command, in bytes.
  private static let mostBytes = 256

  /// Listens at a path; replaces a stale socket there.
  ///
  /// - Parameter answer: Executes a command line and returns the response line.
  /// - Throws: If no socket can be created; the run can continue without it.
  init(
    path: String, _ answer: @escaping @Sendable (String) async -> String
  ) throws(BatchProblem) {
    self.path = path
    var facts = stat()
    if lstat(path, &facts) == 0 {
      guard facts.st_mode & S_IFMT == S_IFSOCK else {
        throw Self.problem(path, "is there already and no socket")
      }
      guard !Self.isListenedAt(path) else {
        throw BatchProblem(
          .inUse, "another process listens at \(path)",
          hint: "another run of this plan is under way")
      }
      unlink(path)
    }
    descriptor = try Self.socket(path)
    // On Linux, the socket file gets the mode that the descriptor has before bind.
    fchmod(descriptor, 0o600)
    guard Self.withAddress(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 8) == 0
    else {
      let words = SystemError(errno).message
      close(descriptor)
      throw Self.problem(path, words)
    }
    chmod(path, 0o600)
    do throws(SystemError) {
      try SystemThread.start { [descriptor] in Self.serve(descriptor, answer) }
    } catch {
      close(descriptor)
      unlink(path)
      throw Self.problem(path, "the system refused a thread")
    }
  }

  /// Stops listening and removes the socket file.
  func stop() {
    let isFirst = isClosed.withLock { closed in
      defer { closed = true }
      return !closed
    }
    guard isFirst else { return }
    // Makes `accept` return; its thread closes the descriptor.
    shutdown(descriptor, Int32(SHUT_RDWR))
    unlink(path)
  }

  /// Sends a command line to the run that listens at a path, and returns its response.
  ///
  /// - Parameter patience: The timeout in seconds.
  /// - Throws: `unavailable` when no process listens, `inUse` when the process does not respond in time.
  static func ask(
    _ line: String, at path: String, patience: Int = 10
  ) throws(BatchProblem) -> String {
    let descriptor = try connected(path, patience: patience)
    defer { if let descriptor { close(descriptor) } }
    guard let descriptor, send(line + "\n", to: descriptor),
      let answer = read(descriptor, untilEnd: true)
    else {
      let process = descriptor.flatMap(listener(of:))
      throw BatchProblem(
        .inUse,
        "\(process.map { "process \($0)" } ?? "a process") runs the plan and does not respond",
        hint: process.map {
          "it may have been stopped: kill -CONT \($0) lets it go on, and kill -9 \($0) ends it; either "
            + "way nothing is lost"
        } ?? "it may have been stopped; when it ends, the same run continues")
    }
    return answer
  }

  /// The process id of the listener at the other end (unix(7), `SO_PEERCRED`).
  private static func listener(of descriptor: Int32) -> Int32? {
    // struct ucred: process, user and group.
    var facts: [Int32] = [0, 0, 0]
    var size = socklen_t(facts.count * MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &facts, &size) == 0, facts[0] > 0 else {
      return nil
    }
    return facts[0]
  }

  // MARK: Connections

  /// A connection; nil when the listener accepts none within the timeout, for example because it is suspended.
  private static func connected(
    _ path: String, patience: Int
  ) throws(BatchProblem) -> Int32? {
    let descriptor = try socket(path)
    // The send timeout also limits connect while the listen backlog is full (unix(7)).
    setPatience(descriptor, seconds: patience)
    guard withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
      let reason = errno
      close(descriptor)
      if reason == EAGAIN { return nil }
      throw BatchProblem(
        .unavailable, "no run listens at \(path)",
        hint:
          "the plan is not being run on this machine; luath batch status shows its progress")
    }
    return descriptor
  }

  private static func isListenedAt(_ path: String) -> Bool {
    do throws(BatchProblem) {
      if let other = try connected(path, patience: 1) { close(other) }
      return true
    } catch {
      return false
    }
  }

  private static func socket(_ path: String) throws(BatchProblem) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw problem(path, SystemError(errno).message) }
    return descriptor
  }

  private static func problem(_ path: String, _ words: String) -> BatchProblem {
    BatchProblem(
      .unavailable, "cannot listen at \(path): \(words)",
      hint: "luath batch ctl cannot reach this run")
  }

  /// Calls `body` with the socket address of a path; a path that is too long goes through its folder's descriptor.
  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    var text = path
    var folder: Int32 = -1
    if text.utf8.count > room {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      folder = open(
        parts.count > 1 ? "\(parts.dropLast().joined(separator: "/"))/" : ".",
        O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      text = "/proc/self/fd/\(folder)/\(parts.last ?? "")"
    }
    defer { if folder >= 0 { close(folder) } }
    guard text.utf8.count <= room else {
      errno = ENAMETOOLONG
      return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func setPatience(_ descriptor: Int32, seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private static func send(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// One line, or everything up to the end; nil on a timeout or when there is too much data.
  private static func read(_ descriptor: Int32, untilEnd: Bool) -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let most = untilEnd ? 1 << 20 : mostBytes
    while untilEnd || !bytes.contains(UInt8(ascii: "\n")) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += buffer[..<count]
      guard bytes.count <= most else { return nil }
    }
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return bytes.isEmpty ? nil : text
  }

  // MARK: The listener

  /// Answers the clients one after the other.
  private static func serve(
    _ descriptor: Int32, _ answer: @escaping @Sendable (String) async -> String
  ) {
    while true {
      let connection = accept(descriptor, nil, nil)
      if connection < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        close(descriptor)
        return
      }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      // A silent client must not block others for long.
      ControlSocket.setPatience(connection, seconds: 1)
      guard let line = ControlSocket.read(connection, untilEnd: false) else {
        close(connection)
        continue
      }
      Task {
        _ = ControlSocket.send(await answer(line) + "\n", to: connection)
        close(connection)
      }
    }
  }
}
