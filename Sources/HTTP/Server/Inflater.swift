import CShims
import CZlib

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
