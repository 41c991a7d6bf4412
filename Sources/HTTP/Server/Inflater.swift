import CShims
import CZlib

/// Reads what was compressed with gzip (RFC 1952) or deflate (RFC 1950), piece by piece.
public final class Inflater {
  /// Why a piece was not taken.
  public enum Fault: Error {
    /// It is not compressed so, or was damaged.
    case malformed
    /// It stands for more bytes than are allowed.
    case tooLarge
  }

  private var stream = z_stream()
  /// Whether the data has come to an end, after which only another gzip member may follow.
  private var isFinished = false
  private var buffer = [UInt8](repeating: 0, count: 32 << 10)

  /// Nil when there is no memory for the window.
  public init?() {
    guard luath_inflate_begin(&stream) == Z_OK else { return nil }
  }

  deinit { inflateEnd(&stream) }

  /// Whether what came ends where compressed data may end.
  public var isComplete: Bool { isFinished }

  /// Appends what a piece stands for, but never more than `limit` bytes in all.
  public func take(
    _ piece: UnsafeBufferPointer<UInt8>, into body: inout [UInt8], limit: Int
  ) throws(Fault) {
    stream.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
    stream.avail_in = UInt32(piece.count)
    // The pointer is good during this call only.
    defer { stream.next_in = nil }
    while stream.avail_in > 0 {
      if isFinished {
        // RFC 1952 section 2.2: members follow each other without anything between them.
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
      // A full buffer may have left more behind.
    } while status == Z_OK && stream.avail_out == 0
    isFinished = status == Z_STREAM_END
    if status == Z_BUF_ERROR, stream.avail_in > 0 { throw .malformed }
  }
}
