import CMicroHTTP
import CShims
import CZlib

extension ServerExchange {
  /// Creates the request from its head, without a body.
  func readRequest(_ method: UnsafePointer<CChar>) throws(ServerRefusal) -> HTTPRequest {
    HTTPRequest(
      method: String(cString: method), url: try readURL(),
      headers: HTTPHeaders(packed: readHeaders()))
  }

  /// Returns the first value of a header, valid while libmicrohttpd keeps the request.
  func header(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    var value: UnsafePointer<CChar>?
    var count = 0
    let isThere = name.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        MHD_lookup_connection_value_n(
          connection, .HEADER_KIND, name.baseAddress, name.count, &value, &count)
      }
    }
    guard isThere == .YES else { return nil }
    let bytes = UnsafeBufferPointer(
      start: UnsafeRawPointer(value)?.assumingMemoryBound(to: UInt8.self), count: count)
    // Trailing white space is not part of the value (RFC 9110 section 5.5).
    let end = bytes.lastIndex { $0 != 0x20 && $0 != 0x09 }
    return UnsafeBufferPointer(rebasing: bytes[..<(end.map { $0 + 1 } ?? 0)])
  }

  var contentLength: Int? {
    guard let text = header("Content-Length") else { return nil }
    var length = 0
    for byte in text {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (product, isTooLarge) = length.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(Int(byte - 0x30))
      if isTooLarge || isLarger { return .max }
      length = sum
    }
    return length
  }

  private func readHeaders() -> [UInt8] {
    let size = luath_server_headers_size(connection)
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      if let start = bytes.baseAddress { luath_server_headers_copy(connection, start) }
      count = size
    }
  }

  /// Returns the absolute URL of the request, with the target's path and query unchanged.
  private func readURL() throws(ServerRefusal) -> WebURL {
    guard let host = header("Host") else {
      throw ServerRefusal(
        400, "the request has no Host header", headers: ["Connection": "close"])
    }
    guard let place = server.hosts.place(host) else {
      throw ServerRefusal(
        403, "this server accepts the hosts 127.0.0.1, localhost and [::1] only")
    }
    guard let target = target.resolved else {
      throw ServerRefusal(400, "the request target is neither a path nor a web address")
    }
    return WebURL(
      scheme: "http", host: place.host, port: place.port, path: target.path, query: target.query,
      fragment: nil)
  }
}

/// Decompresses gzip (RFC 1952) or deflate (RFC 1950) data piece by piece.
public final class Inflater {
  /// Why decompression failed.
  public enum Fault: Error {
    /// The data have another format or are damaged.
    case malformed
    /// The decompressed data exceed the limit.
    case tooLarge
  }

  private var stream = z_stream()
  /// Whether the data are complete, so that only another gzip member may follow.
  private var isFinished = false
  private var buffer = [UInt8](repeating: 0, count: 32 << 10)

  /// Fails when there is no memory for the window.
  public init?() {
    guard luath_inflate_begin(&stream) == Z_OK else { return nil }
  }

  deinit { inflateEnd(&stream) }

  /// Whether the data so far are complete.
  public var isComplete: Bool { isFinished }

  /// Decompresses a piece and appends it to `body`, up to `limit` bytes in all.
  public func take(
    _ piece: UnsafeBufferPointer<UInt8>, into body: inout [UInt8], limit: Int
  ) throws(Fault) {
    stream.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
    stream.avail_in = UInt32(piece.count)
    // The pointer is valid during this call only.
    defer { stream.next_in = nil }
    while stream.avail_in > 0 {
      if isFinished {
        // RFC 1952 section 2.2: members follow each other directly.
        guard inflateReset(&stream) == Z_OK else { throw .malformed }
        isFinished = false
      }
      try inflateOnce(into: &body, limit: limit)
    }
  }

  private func inflateOnce(into body: inout [UInt8], limit: Int) throws(Fault) {
    var status = Z_OK
    repeat {
      let count = buffer.withUnsafeMutableBufferPointer { buffer in
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(buffer.count)
        status = inflate(&stream, Z_NO_FLUSH)
        return buffer.count - Int(stream.avail_out)
      }
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        throw .malformed
      }
      guard count <= limit - body.count else { throw .tooLarge }
      body.append(contentsOf: buffer[..<count])
      // After filling the buffer, there may be more output.
    } while status == Z_OK && stream.avail_out == 0
    isFinished = status == Z_STREAM_END
    if status == Z_BUF_ERROR, stream.avail_in > 0 { throw .malformed }
  }
}
