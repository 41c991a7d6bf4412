import Glibc

/// A plain connected socket, for peers that do not keep to HTTP.
struct RawSocket {
  let descriptor: Int32

  /// Connects to 127.0.0.1; nil when nothing listens there.
  init?(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status != 0 {
      close(descriptor)
      return nil
    }
  }

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// False when the peer has gone.
  @discardableResult
  func write(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// What comes until the peer closes, or until a text has come.
  func read(until end: String? = nil) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65536)
    while end == nil || !text.contains(end ?? "") {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
  }

  func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  func end() { close(descriptor) }
}

/// Sends text to a server and returns everything it answers until it closes.
func rawExchange(port: UInt16, _ text: String, closes: Bool = true) async -> String {
  await onThread {
    guard let socket = RawSocket(port: port) else { return "no connection" }
    defer { socket.end() }
    socket.write(text)
    if closes { socket.shutdownWriting() }
    return socket.read()
  }
}

/// Sends text to a server and hangs up.
func rawSend(port: UInt16, _ text: String) async {
  await onThread {
    guard let socket = RawSocket(port: port) else { return }
    socket.write(text)
    socket.end()
  }
}

/// Runs blocking code on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    _ = Thread { continuation.resume(returning: body()) }
  }
}
