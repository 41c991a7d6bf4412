import Glibc
@testable import HTTP
import Synchronization

/// A server on plain sockets that does to each connection what a test wants.
final class MisbehavingServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let acceptor: Mutex<Thread?>
  private let count = Atomic(0)

  /// How many connections came.
  var connections: Int { count.load(ordering: .relaxed) }

  var url: WebURL {
    get throws { try url("/") }
  }

  func url(_ path: String) throws -> WebURL {
    guard let url = WebURL("http://127.0.0.1:\(port)\(path)") else {
      throw HTTPError(.malformedURL, "no URL: \(path)", hint: "")
    }
    return url
  }

  /// Runs the behaviour for every connection, each on a thread of its own.
  init(backlog: Int32 = 128, _ behaviour: @escaping @Sendable (RawSocket) -> Void) {
    let listener = Self.listen(backlog)
    descriptor = listener.descriptor
    port = listener.port
    acceptor = Mutex(nil)
    let descriptor = descriptor
    let thread = Thread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        self?.count.add(1, ordering: .relaxed)
        _ = Thread {
          let socket = RawSocket(descriptor: connection)
          behaviour(socket)
          socket.end()
        }
      }
    }
    acceptor.withLock { $0 = thread }
  }

  deinit {
    // Ends the accept; closing alone would not.
    shutdown(descriptor, Int32(SHUT_RDWR))
    acceptor.withLock { $0?.join() }
    close(descriptor)
  }

  /// Reads the request's head, then sends this text and closes.
  static func answering(_ text: String) -> MisbehavingServer {
    MisbehavingServer { socket in
      _ = socket.read(until: "\r\n\r\n")
      socket.write(text)
    }
  }

  /// A socket that listens on 127.0.0.1.
  static func listen(_ backlog: Int32) -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        precondition(bind(descriptor, address, length) == 0, "no port is free")
        precondition(Glibc.listen(descriptor, backlog) == 0, "cannot listen")
        getsockname(descriptor, address, &length)
      }
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}
