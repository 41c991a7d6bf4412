import CMicroHTTP
import CShims

/// The open end of an answer that is sent bit by bit, such as Server-Sent Events.
///
/// Use it on the loop's thread only. A client that reads too slowly, so that more than the limit of
/// the server waits for it, is cut off. A client that closes its sending half counts as gone.
public final class ServerStream: @unchecked Sendable {
  // Sendable, because every use checks that it is on the loop's thread.

  private enum Phase {
    case open, closing, broken, ended
  }

  private let server: HTTPServer
  /// Nil when libmicrohttpd has forgotten the connection.
  private var connection: OpaquePointer?
  private let socket: Int32
  private var phase = Phase.open
  private var isSuspended = false
  private var pending: [UInt8]
  /// How many bytes of `pending` are sent.
  private var position = 0
  private var whenEnded: [@Sendable () -> Void] = []

  init(server: HTTPServer, connection: OpaquePointer, first: [UInt8]) {
    self.server = server
    self.connection = connection
    socket = luath_server_socket(connection)
    pending = first
  }

  /// Whether what is sent can still reach the client.
  public var isOpen: Bool { phase == .open }

  /// Sends bytes as soon as the client takes them; after the end this does nothing.
  public func send(_ bytes: [UInt8]) {
    server.loop.requireThread()
    guard phase == .open, !bytes.isEmpty else { return }
    guard pending.count - position + bytes.count <= server.limits.streamBytes else {
      return fail()
    }
    pending.append(contentsOf: bytes)
    wake()
  }

  /// Sends text as UTF-8, as the other `send` does bytes.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Ends the answer after what is sent already.
  public func close() {
    server.loop.requireThread()
    guard phase == .open else { return }
    phase = .closing
    wake()
  }

  /// Calls back once, on the loop's thread, when the answer has ended for whatever reason; soon, when
  /// it has ended before.
  public func onEnd(_ body: @escaping @Sendable () -> Void) {
    server.loop.requireThread()
    guard phase != .ended else { return server.loop.submit(.call(body)) }
    whenEnded.append(body)
  }

  // MARK: For the server

  /// Libmicrohttpd's answer without an end; it keeps the stream.
  func makeResponse() -> OpaquePointer? {
    let stream = Unmanaged.passRetained(self)
    // The largest number stands for a size that nobody knows.
    let made = MHD_create_response_from_callback(
      .max, 4 << 10,
      { stream, _, room, size in
        guard let stream, let room else { return BodyEnd.broken }
        return Unmanaged<ServerStream>.fromOpaque(stream).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: room, count: size))
      }, stream.toOpaque(),
      { stream in
        if let stream { Unmanaged<ServerStream>.fromOpaque(stream).release() }
      })
    if made == nil { stream.release() }
    return made
  }

  /// The answer is on its way.
  func began() {
    server.streams[socket] = self
    // The loop tells of an end that comes later.
    if luath_server_has_ended(socket) { fail() }
  }

  /// Gives up: the client has gone, or is too slow.
  func fail() {
    guard phase == .open || phase == .closing, connection != nil else { return }
    phase = .broken
    pending = []
    position = 0
    // While bytes are on their way nobody asks for more, so only the socket can end it.
    if isSuspended { wake() } else { luath_server_break(socket) }
  }

  /// Libmicrohttpd has done with the answer.
  func ended() {
    guard phase != .ended else { return }
    phase = .ended
    connection = nil
    isSuspended = false
    pending = []
    server.streams[socket] = nil
    // Not at once: libmicrohttpd is at work.
    for body in whenEnded { server.loop.submit(.call(body)) }
    whenEnded = []
  }

  private func wake() {
    guard isSuspended, let connection else { return }
    isSuspended = false
    MHD_resume_connection(connection)
    server.runSoon()
  }

  private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    let rest = pending[position...].prefix(room.count)
    guard rest.isEmpty else {
      room.copyBytes(from: rest)
      position += rest.count
      // What is sent is dropped now and then: each byte is moved once on average.
      if position * 2 >= pending.count {
        pending.removeFirst(position)
        position = 0
      }
      return rest.count
    }
    switch phase {
    case .closing: return BodyEnd.complete
    case .broken, .ended: return BodyEnd.broken
    case .open:
      guard let connection else { return BodyEnd.broken }
      isSuspended = true
      MHD_suspend_connection(connection)
      return 0
    }
  }
}
