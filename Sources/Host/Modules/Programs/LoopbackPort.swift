import Glibc
import System

/// Whether something listens on a port of this machine, and which process that is.
enum LoopbackPort {
  /// The process that listens on a port and started earlier than another process; nil if there is none, or without
  /// `/proc`.
  ///
  /// A later one may be a descendant of the other, or work for it, as Docker's proxy does.
  static func earlierListener(on port: UInt16, than process: Int32) -> Int32? {
    guard let began = start(of: process) else { return nil }
    let sockets = Set(
      ["tcp", "tcp6"].flatMap { listeners(on: port, in: "/proc/net/\($0)") }
        .map { "socket:[\($0)]" })
    guard !sockets.isEmpty else { return nil }
    return FolderListing.names(in: "/proc").lazy.compactMap { Int32($0) }.first { other in
      guard other != process, let start = start(of: other), start < began else { return false }
      let folder = "/proc/\(other)/fd"
      return FolderListing.names(in: folder).contains { sockets.contains(link("\(folder)/\($0)")) }
    }
  }

  /// The inodes of the sockets that listen on a port (proc(5), /proc/net/tcp).
  private static func listeners(on port: UInt16, in path: String) -> [String] {
    lines(of: path).dropFirst().compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[3] == "0A",
        fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }) == port
      else { return nil }
      return String(fields[9])
    }
  }

  /// When a process started, in clock ticks since the machine did: the 22nd field of its `stat` (proc(5)).
  private static func start(of process: Int32) -> UInt64? {
    let text = lines(of: "/proc/\(process)/stat").joined(separator: " ")
    // The second field is a name in parentheses, which may contain any character.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 19 ? UInt64(fields[19]) : nil
  }

  private static func lines(of path: String) -> [Substring] {
    let bytes = (try? WholeFile.read(path)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  private static func link(_ path: String) -> String {
    var text = [CChar](repeating: 0, count: 64)
    let count = readlink(path, &text, text.count)
    return String(decoding: text.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether a connection to the port succeeds, by IPv4 or IPv6.
  static func accepts(_ port: UInt16) -> Bool {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = port.bigEndian
    four.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    six.sin6_addr = in6addr_loopback
    return connects(&four, AF_INET) || connects(&six, AF_INET6)
  }

  private static func connects<Address>(_ address: inout Address, _ family: Int32) -> Bool {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let end = socket(family, kind, 0)
    guard end >= 0 else { return false }
    defer { close(end) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(end, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result != 0 else { return true }
    guard errno == EINPROGRESS else { return false }
    // A connection to this machine is accepted or refused at once, unless the server's queue is full.
    var progress = pollfd(fd: end, events: Int16(POLLOUT), revents: 0)
    guard poll(&progress, 1, 1) == 1 else { return false }
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(end, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0
  }
}
