import CMicroHTTP
import CShims

/// A request at the server, from its first line until its response is sent.
///
/// Sendable, because only the loop's thread uses it: libmicrohttpd runs there, and so does the
/// actor that produces asynchronous responses.
final class ServerExchange: @unchecked Sendable {
  private enum State {
    case new
    case reading(HTTPRequest)
    /// The rest of the body is dropped, then this response is sent.
    case refused(ServerResponse)
    /// The handler is working on the request.
    case waiting
    case ready(ServerResponse)
    case answered
  }

  let server: HTTPServer
  let target: RequestTarget
  /// The size of the target as it was sent, in bytes.
  private let targetSize: Int
  /// The share of this exchange in the server's `heldBodyBytes`.
  private var heldBytes = 0
  /// Nil after libmicrohttpd has released the connection.
  private(set) var connection: OpaquePointer?

  private var state = State.new
  private var body: [UInt8] = []
  private var inflater: Inflater?
  private var fault: BodyFault?
  /// The received bytes of the body, before decompression.
  private var bodyCount = 0
  /// The Content-Length of the request.
  private var promised = 0
  private var isSuspended = false
  private var stream: ServerStream?

  init(
    server: HTTPServer, target: RequestTarget, targetSize: Int, connection: OpaquePointer
  ) {
    self.server = server
    self.target = target
    self.targetSize = targetSize
    self.connection = connection
  }

  // MARK: Called by libmicrohttpd for the headers, for each piece of the body, and at the end

  func proceed(method: UnsafePointer<CChar>, piece: UnsafeBufferPointer<UInt8>) -> MHD_Result {
    server.isActive = true
    if case .new = state { return start(method) }
    guard piece.isEmpty else { return take(piece) }
    if let connection { server.connections.moved(connection, to: .busy) }
    switch state {
    case .new, .waiting, .answered: return .NO
    case .refused(let response), .ready(let response): return send(response)
    case .reading(var request):
      state = .waiting
      if server.isStopping { return send(.stopping) }
      if let inflater, bodyCount > 0, !inflater.isComplete, fault == nil { fault = .truncated }
      if let fault, bodyCount > 0 {
        guard server.passesBodyFaults else { return send(fault.refusal.response) }
        request.bodyFault = fault
        body = []
      }
      swap(&request.body, &body)
      return answer(request)
    }
  }

  func completed() {
    if let connection { server.connections.moved(connection, to: .idle) }
    hold(0)
    connection = nil
    isSuspended = false
    stream?.ended()
    stream = nil
  }

  private func start(_ method: UnsafePointer<CChar>) -> MHD_Result {
    guard let connection else { return .NO }
    server.connections.moved(connection, to: .body)
    // After such a head, the start of the next request is unclear, so nothing more is read.
    if let fault = luath_server_head_fault(connection, method, targetSize) {
      return send(
        ServerRefusal(400, String(cString: fault), headers: ["Connection": "close"]).response)
    }
    do throws(ServerRefusal) {
      let request = try readRequest(method)
      state = .reading(request)
      try prepareBody()
    } catch {
      state = .refused(error.response)
    }
    let largest = server.limits.bodyBytes
    guard let length = contentLength else { return .YES }
    guard length > largest else {
      promised = length
      return .YES
    }
    if case .reading = state { state = .refused(ServerRefusal.tooLarge(limit: largest).response) }
    // A body that is only somewhat too large is read and dropped, because a client that is still
    // sending would see a broken connection instead of the response.
    let mustAnswerNow = header("Expect") != nil || length / 4 > largest
    guard mustAnswerNow, case .refused(let response) = state else { return .YES }
    return send(response)
  }

  private func prepareBody() throws(ServerRefusal) {
    guard let coding = header("Content-Encoding") else { return }
    switch String(decoding: coding, as: UTF8.self).lowercased() {
    case "", "identity": break
    case "gzip", "x-gzip", "deflate":
      inflater = Inflater()
      if inflater == nil { throw ServerRefusal(503, "there is no memory to inflate the body") }
    default: fault = .unknownCoding
    }
  }

  private func take(_ piece: UnsafeBufferPointer<UInt8>) -> MHD_Result {
    let largest = server.limits.bodyBytes
    bodyCount += piece.count
    if let connection { server.connections.received(piece.count, from: connection) }
    if case .reading = state {
      do throws(ServerRefusal) {
        try keep(piece, limit: largest)
        hold(body.count)
        guard server.heldBodyBytes <= server.limits.totalBodyBytes else { throw .tooMuchAtOnce }
      } catch {
        state = .refused(error.response)
        drop()
      }
    }
    // An endless body is cut off; .NO closes the connection.
    return bodyCount / 4 > largest ? .NO : .YES
  }

  private func keep(_ piece: UnsafeBufferPointer<UInt8>, limit: Int) throws(ServerRefusal) {
    guard bodyCount <= limit else { throw .tooLarge(limit: limit) }
    guard fault == nil else { return }
    guard let inflater else {
      // A client may announce more than it sends, so memory is allocated as the body arrives.
      if bodyCount > body.capacity { body.reserveCapacity(min(promised, bodyCount * 2)) }
      return body.append(contentsOf: piece)
    }
    do throws(Inflater.Fault) {
      try inflater.take(piece, into: &body, limit: limit)
    } catch {
      guard error == .malformed else { throw .tooLarge(limit: limit) }
      fault = .malformed
      drop()
    }
  }

  /// Updates the memory counted for this body.
  private func hold(_ count: Int) {
    server.heldBodyBytes += count - heldBytes
    heldBytes = count
  }

  private func drop() {
    hold(0)
    body = []
    inflater = nil
  }

  // MARK: Responses

  private func answer(_ request: HTTPRequest) -> MHD_Result {
    switch server.handler(request) {
    case .now(let response): return send(response)
    case .later(let work): return wait(for: work)
    case .stream(let head, let opened):
      guard let connection else { return .NO }
      let stream = ServerStream(server: server, connection: connection, first: head.body)
      guard let made = stream.makeResponse(), queue(head, made) == .YES else { return .NO }
      state = .answered
      self.stream = stream
      stream.began()
      opened(stream)
      return .YES
    }
  }

  private func wait(for work: @escaping @Sendable () async -> ServerResponse) -> MHD_Result {
    guard let connection else { return .NO }
    isSuspended = true
    server.suspend(self)
    MHD_suspend_connection(connection)
    let answers = server.answers
    // With this preference, the task and what it awaits stay on this thread.
    Task(executorPreference: server.loop) { await answers.answer(self, work) }
    return .YES
  }

  /// Sends an asynchronous response, unless the server has sent another one instead.
  func resume(_ response: ServerResponse) {
    guard isSuspended, let connection else { return }
    isSuspended = false
    state = .ready(response)
    server.resumed(self)
    MHD_resume_connection(connection)
  }

  private func send(_ response: ServerResponse) -> MHD_Result {
    state = .answered
    if response.delivery == .drop { return .NO }
    if let made = makeResponse(response), queue(response, made) == .YES { return .YES }
    let excuse = ServerResponse(status: 500, text: "the response cannot be sent as HTTP\n")
    guard let made = makeResponse(excuse) else { return .NO }
    return queue(excuse, made)
  }

  /// Queues and releases a libmicrohttpd response; returns .NO when HTTP does not allow it.
  private func queue(_ response: ServerResponse, _ made: OpaquePointer) -> MHD_Result {
    defer { MHD_destroy_response(made) }
    guard let connection, (200...599).contains(response.status),
      addHeaders(response.headers, to: made)
    else { return .NO }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }

  /// Copies a response's body to a libmicrohttpd response.
  func makeResponse(_ response: ServerResponse) -> OpaquePointer? {
    if case .cutAfter(let count) = response.delivery, count < response.body.count {
      return CutBody.makeResponse(response.body, count: count)
    }
    return response.body.withUnsafeBytes { bytes in
      // The data are copied, so the pointer is only read.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
  }

  /// Adds the headers; returns false when HTTP does not allow one of them.
  func addHeaders(_ headers: HTTPHeaders, to made: OpaquePointer) -> Bool {
    for field in headers.fields {
      // libmicrohttpd sets both from the body.
      if isSameName(field.name, "Content-Length") || isSameName(field.name, "Transfer-Encoding") {
        continue
      }
      // libmicrohttpd rejects empty values, which mean nothing, and tabs, which equal spaces (RFC
      // 9110 section 5.5).
      var value = field.value
      guard !value.isEmpty else { continue }
      if value.utf8.contains(0x09) {
        value = String(decoding: value.utf8.map { $0 == 0x09 ? 0x20 : $0 }, as: UTF8.self)
      }
      guard MHD_add_response_header(made, field.name, value) == .YES else { return false }
    }
    return true
  }
}

extension LoopActor {
  fileprivate func answer(
    _ exchange: ServerExchange, _ work: @Sendable () async -> ServerResponse
  ) async {
    exchange.resume(await work())
  }
}

/// Results of a body reader in place of a count.
///
/// `MHD_CONTENT_READER_END_OF_STREAM` and `MHD_CONTENT_READER_END_WITH_ERROR` are macros that Swift
/// does not import.
enum BodyEnd {
  static let complete = -1
  static let broken = -2
}

/// A body of which only the beginning is sent.
private final class CutBody {
  private let bytes: ArraySlice<UInt8>

  private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static func makeResponse(_ body: [UInt8], count: Int) -> OpaquePointer? {
    let cut = Unmanaged.passRetained(CutBody(body.prefix(max(count, 0))))
    let made = MHD_create_response_from_callback(
      UInt64(body.count), 16 << 10,
      { cut, position, room, size in
        guard let cut, let room else { return BodyEnd.broken }
        return Unmanaged<CutBody>.fromOpaque(cut).takeUnretainedValue()
          .copy(from: Int(position), to: UnsafeMutableRawBufferPointer(start: room, count: size))
      }, cut.toOpaque(),
      { cut in
        if let cut { Unmanaged<CutBody>.fromOpaque(cut).release() }
      })
    if made == nil { cut.release() }
    return made
  }

  private func copy(from position: Int, to room: UnsafeMutableRawBufferPointer) -> Int {
    let rest = bytes.dropFirst(position).prefix(room.count)
    guard !rest.isEmpty else { return BodyEnd.broken }
    room.copyBytes(from: rest)
    return rest.count
  }
}
