import CMicroHTTP
import CShims

/// A handler's response; the server adds Date, Content-Length and Connection.
public struct ServerResponse: Sendable {
  /// The status code, 200 to 599.
  public var status: Int

  /// The header lines.
  public var headers: HTTPHeaders

  /// The whole body.
  public var body: [UInt8]

  /// How much of the response is sent; less than all simulates a fault.
  public var delivery = Delivery.whole

  /// Creates a response; the default is an empty one with status 200.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a text response, plain text by default.
  public init(
    status: Int = 200, text: String, type: String = "text/plain; charset=utf-8",
    headers: HTTPHeaders = [:]
  ) {
    self.init(status: status, headers: headers, body: Array(text.utf8))
    self.headers.set("Content-Type", type)
  }

  /// The response to requests that are pending when the server stops.
  static var stopping: ServerResponse {
    ServerResponse(status: 503, text: "the server is stopping\n", headers: ["Connection": "close"])
  }
}

/// An error response that the server sends without calling the handler.
struct ServerRefusal: Error {
  let response: ServerResponse

  init(_ status: Int, _ sentence: String, headers: HTTPHeaders = [:]) {
    response = ServerResponse(status: status, text: sentence + "\n", headers: headers)
  }

  static var tooMuchAtOnce: ServerRefusal {
    ServerRefusal(
      503, "too many request bodies at once; send this one again",
      headers: ["Connection": "close", "Retry-After": "1"])
  }

  static func tooLarge(limit: Int) -> ServerRefusal {
    ServerRefusal(
      413, "the request body is larger than \(limit) bytes; send less at once",
      headers: ["Connection": "close"])
  }
}

/// A handler's response: immediate, asynchronous, or streamed.
public enum Answer: Sendable {
  case now(ServerResponse)

  /// The response is computed by a task on the server's event loop.
  case later(@Sendable () async -> ServerResponse)

  /// The response starts with this status, headers and body and continues with the stream.
  ///
  /// `opened` receives the stream on the loop's thread.
  case stream(ServerResponse, opened: @Sendable (ServerStream) -> Void)
}

/// How much of a response is sent; less than all simulates a broken network.
public enum Delivery: Sendable, Equatable {
  case whole

  /// The headers, which announce the whole body, and this many bytes of it; then the connection closes.
  case cutAfter(bytes: Int)

  /// Nothing: the connection closes without a response.
  case drop
}

/// A response that is sent piece by piece, such as Server-Sent Events.
///
/// Use it on the loop's thread only. A client that reads too slowly is disconnected when more than
/// the server's limit is buffered. A client that closes its sending half counts as disconnected.
public final class ServerStream: @unchecked Sendable {
  // Sendable, because every use checks that it is on the loop's thread.

  private enum Phase {
    case open, closing, broken, ended
  }

  private let server: HTTPServer
  /// Nil after libmicrohttpd has released the connection.
  private var connection: OpaquePointer?
  private let socket: Int32
  private var phase = Phase.open
  private var isSuspended = false
  private var pending: [UInt8]
  /// How many bytes of `pending` were sent.
  private var position = 0
  private var whenEnded: [@Sendable () -> Void] = []

  init(server: HTTPServer, connection: OpaquePointer, first: [UInt8]) {
    self.server = server
    self.connection = connection
    socket = luath_server_socket(connection)
    pending = first
  }

  /// Whether data can still be sent.
  var isOpen: Bool { phase == .open }

  /// Sends bytes as soon as the client can receive them; has no effect after the end.
  func send(_ bytes: [UInt8]) {
    server.loop.requireThread()
    guard phase == .open, !bytes.isEmpty else { return }
    guard pending.count - position + bytes.count <= server.limits.streamBytes else {
      return fail()
    }
    pending.append(contentsOf: bytes)
    wake()
  }

  /// Sends text as UTF-8.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Ends the response after the data sent so far.
  func close() {
    server.loop.requireThread()
    guard phase == .open else { return }
    phase = .closing
    wake()
  }

  /// Calls `body` once on the loop's thread when the response has ended, for whatever reason.
  ///
  /// If it has already ended, `body` is called soon.
  public func onEnd(_ body: @escaping @Sendable () -> Void) {
    server.loop.requireThread()
    guard phase != .ended else { return server.loop.submit(.call(body)) }
    whenEnded.append(body)
  }

  // MARK: Called by the server

  /// Creates a libmicrohttpd response of unknown length, which retains the stream.
  func makeResponse() -> OpaquePointer? {
    let stream = Unmanaged.passRetained(self)
    // MHD_SIZE_UNKNOWN is this maximum.
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

  /// Registers the stream when its response has started.
  func began() {
    server.streams[socket] = self
    // The loop reports a later end.
    if luath_server_has_ended(socket) { fail() }
  }

  /// Gives up, because the client is gone or too slow.
  func fail() {
    guard phase == .open || phase == .closing, connection != nil else { return }
    phase = .broken
    pending = []
    position = 0
    // While data are being sent, `read` is not called, so closing the socket is the only way to end.
    if isSuspended { wake() } else { luath_server_break(socket) }
  }

  /// Called when libmicrohttpd has finished the response.
  func ended() {
    guard phase != .ended else { return }
    phase = .ended
    connection = nil
    isSuspended = false
    pending = []
    server.streams[socket] = nil
    // Deferred, because libmicrohttpd is running.
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
      // Sent bytes are dropped occasionally, so that each byte is moved once on average.
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
