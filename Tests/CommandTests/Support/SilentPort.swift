import Foundation
import Testing

/// A port where the system accepts connections and nobody answers.
final class SilentPort: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    try #require(bound)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// Waits until somebody has connected.
  func connection() async {
    let descriptor = descriptor
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var listening = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&listening, 1, 60_000)
        continuation.resume()
      }
    }
  }

  /// A port where nothing listens, and which the system gives to no other socket (ip(7), ip_local_port_range).
  static func unused() -> UInt16 {
    var port: UInt16
    repeat { port = UInt16.random(in: 20_000..<32_768) } while !isFree(port)
    return port
  }

  /// Whether nobody listens on a port of this machine.
  static func isFree(_ port: UInt16) -> Bool {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(client) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    address.sin_port = port.bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) != 0 }
    }
  }
}
