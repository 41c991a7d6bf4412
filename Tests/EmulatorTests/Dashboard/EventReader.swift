import Foundation
import Testing

/// Reads an answer that does not end, from a socket and on threads of its own.
final class EventReader: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  static func open(_ origin: String, _ path: String, _ headers: [String]) async throws
    -> EventReader
  {
    let port = try #require(origin.split(separator: ":").last.flatMap { UInt16($0) })
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    // A test that waits in vain fails with what came so far.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers + ["", ""]
    let request = Array(lines.joined(separator: "\r\n").utf8)
    try #require(write(descriptor, request, request.count) == request.count)
    return EventReader(descriptor: descriptor)
  }

  /// What comes, up to and with the piece that completes `mark`, or until the end.
  func read(until mark: String) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [descriptor] in
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !text.contains(mark) {
          let count = recv(descriptor, &buffer, buffer.count, 0)
          guard count > 0 else { break }
          text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        continuation.resume(returning: text)
      }
    }
  }

  func close() { _ = Foundation.close(descriptor) }
}
