import CZlib

/// Compression and checksums of zlib.
public enum Zlib {
  /// The data in zlib's format (RFC 1950).
  public static func compressed(_ data: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(data.count))
    var compressed = [UInt8](repeating: 0, count: Int(size))
    let status = compress2(
      &compressed, &size, data, uLong(data.count), Z_DEFAULT_COMPRESSION)
    precondition(status == Z_OK, "zlib has no memory")
    return Array(compressed.prefix(Int(size)))
  }

  /// The CRC-32 of the data, as in PNG (annex D) and gzip.
  public static func checksum(_ data: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, data, uInt(data.count)))
  }
}
