import CMicroHTTP
import CShims

/// One request at the server, from its first line until its answer is sent.
///
/// Sendable, because only the loop's thread touches it: libmicrohttpd runs there, and so does the
/// actor that produces late answers.
final class ServerExchange: @unchecked Sendable {
  private let server: HTTPServer
  private let target: String
  /// Nil when libmicrohttpd has forgotten the connection.
  private var connection: OpaquePointer?

  private var request: HTTPRequest?
  private var refusal: ServerResponse?
  private var bodyCount = 0
  private var isSuspended = false
  private var lateAnswer: ServerResponse?

  init(server: HTTPServer, target: String, connection: OpaquePointer) {
    self.server = server
    self.target = target
    self.connection = connection
  }

  // MARK: Called by libmicrohttpd: once for the headers, for each piece of body, and at the end

  func proceed(method: String, piece: UnsafeBufferPointer<UInt8>) -> MHD_Result {
    guard request != nil || refusal != nil else { return start(method) }
    guard piece.isEmpty else { return take(piece) }
    if let lateAnswer { return send(lateAnswer) }
    if let refusal { return send(refusal) }
    guard let request else { return .NO }
    if server.isStopping { return send(.stopping) }
    switch server.handler(request) {
    case .now(let response): return send(response)
    case .later(let work): return wait(for: work)
    }
  }

  func completed() {
    connection = nil
    isSuspended = false
  }

  private func start(_ method: String) -> MHD_Result {
    let headers = readHeaders()
    do throws(ServerRefusal) {
      request = HTTPRequest(
        method: method, url: try url(headers), headers: headers)
    } catch {
      refusal = error.response
    }
    let largest = server.limits.bodyBytes
    guard let text = headers["Content-Length"], let length = Int(text), length > largest else {
      return .YES
    }
    refusal = refusal ?? tooLarge
    // A body that is not much too large is read and dropped, because a client that is still sending
    // would otherwise see a broken connection instead of the answer.
    let mustAnswerNow = headers["Expect"] != nil || length / 4 > largest
    return mustAnswerNow ? send(refusal ?? tooLarge) : .YES
  }

  private func take(_ piece: UnsafeBufferPointer<UInt8>) -> MHD_Result {
    let largest = server.limits.bodyBytes
    bodyCount += piece.count
    if refusal == nil {
      if bodyCount <= largest {
        request?.body.append(contentsOf: piece)
      } else {
        refusal = tooLarge
        request?.body = []
      }
    }
    // An endless body is cut off; false closes the connection.
    return bodyCount / 4 > largest ? .NO : .YES
  }

  private var tooLarge: ServerResponse {
    ServerResponse(
      status: 413, text: "the request body is larger than \(server.limits.bodyBytes) bytes\n",
      headers: ["Connection": "close"])
  }

  // MARK: Late answers

  private func wait(for work: @escaping @Sendable () async -> ServerResponse) -> MHD_Result {
    guard let connection else { return .NO }
    isSuspended = true
    server.suspend(self)
    MHD_suspend_connection(connection)
    let answers = server.answers
    // With the loop preferred, neither the start nor what the work awaits leaves this thread.
    Task(executorPreference: server.loop) { await answers.answer(self, work) }
    return .YES
  }

  /// Gives a late answer, unless the server has given one in its place.
  func resume(_ response: ServerResponse) {
    guard isSuspended, let connection else { return }
    isSuspended = false
    lateAnswer = response
    server.resumed(self)
    MHD_resume_connection(connection)
  }

  // MARK: Reading and writing

  private func readHeaders() -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserveCapacity(8)
    withUnsafeMutablePointer(to: &headers) { pointer in
      _ = MHD_get_connection_values(connection, .HEADER_KIND, addHeader, pointer)
    }
    return headers
  }

  /// The absolute URL of the request; the target's path and query stay as they were sent.
  private func url(_ headers: HTTPHeaders) throws(ServerRefusal) -> WebURL {
    guard let host = headers["Host"] else {
      throw ServerRefusal(400, "the request has no Host header")
    }
    guard let place = server.hosts.place(host) else {
      throw ServerRefusal(
        403, "this server answers for 127.0.0.1, localhost and [::1] only, not for another Host")
    }
    var target = target
    if !target.utf8.starts(with: [0x2F]) {
      // The absolute form, as proxies send it (RFC 9112 section 3.2.2).
      guard let absolute = WebURL(target) else {
        throw ServerRefusal(400, "the request target is neither a path nor a web address")
      }
      target = absolute.pathAndQuery
    }
    let withoutFragment = target.utf8.prefix { $0 != 0x23 }
    let mark = withoutFragment.firstIndex(of: 0x3F)
    let path = withoutFragment[..<(mark ?? withoutFragment.endIndex)]
    let query = mark.map { withoutFragment[withoutFragment.index(after: $0)...] }
    return WebURL(
      scheme: "http", host: place.host, port: place.port,
      path: encodedComponent(String(Substring(path))),
      query: query.map { encodedComponent(String(Substring($0))) }, fragment: nil)
  }

  private func send(_ response: ServerResponse) -> MHD_Result {
    guard let connection else { return .NO }
    guard (200...599).contains(response.status), let made = make(response) else {
      let excuse = ServerResponse(status: 500, text: "the answer cannot be sent as HTTP\n")
      guard let made = make(excuse) else { return .NO }
      defer { MHD_destroy_response(made) }
      return MHD_queue_response(connection, 500, made)
    }
    defer { MHD_destroy_response(made) }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }

  /// Libmicrohttpd's copy of an answer; nil when a header is not allowed in HTTP.
  private func make(_ response: ServerResponse) -> OpaquePointer? {
    let made = response.body.withUnsafeBytes { bytes in
      // Copied, so the pointer is only read.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return nil }
    for field in response.headers.fields {
      // Both follow from the body, and libmicrohttpd writes them.
      if isSameName(field.name, "Content-Length") || isSameName(field.name, "Transfer-Encoding") {
        continue
      }
      guard MHD_add_response_header(made, field.name, field.value) == .YES else {
        MHD_destroy_response(made)
        return nil
      }
    }
    return made
  }
}

/// A request that is answered without asking the handler.
private struct ServerRefusal: Error {
  let response: ServerResponse

  init(_ status: Int, _ sentence: String) {
    response = ServerResponse(status: status, text: sentence + "\n")
  }
}

extension ServerResponse {
  /// The answer to requests that the end of the server cuts short.
  static var stopping: ServerResponse {
    ServerResponse(
      status: 503, text: "the server is stopping\n", headers: ["Connection": "close"])
  }
}

extension LoopActor {
  fileprivate func answer(
    _ exchange: ServerExchange, _ work: @Sendable () async -> ServerResponse
  ) async {
    exchange.resume(await work())
  }
}

private func addHeader(
  context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?,
  value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let context, let name else { return .NO }
  context.assumingMemoryBound(to: HTTPHeaders.self).pointee.append(
    String(cString: name), value.map { String(cString: $0) } ?? "")
  return .YES
}
