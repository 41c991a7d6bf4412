import CMicroHTTP

extension ServerExchange {
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
