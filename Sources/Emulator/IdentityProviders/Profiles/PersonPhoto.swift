/// A user's photo, generated from the e-mail address: a mirrored pattern in one color, as a PNG.
struct PersonPhoto: Sendable {
  private let seed: [UInt8]
  private static let cell = 16
  private static let margin = 8
  static let side = cell * 5 + margin * 2

  /// - Parameter seed: at least eighteen bytes, different for each user.
  init(seed: [UInt8]) { self.seed = seed }

  /// The picture as a PNG file (ISO/IEC 15948): eight bits of palette, uncompressed deflate.
  var png: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let side = Self.bigEndian(UInt32(Self.side))
    // Bit depth 8, color type 3 (palette), default compression, filter and interlace.
    file += Self.chunk("IHDR", side + side + [8, 3, 0, 0, 0])
    file += Self.chunk("PLTE", [0xF2, 0xF3, 0xF5] + colour)
    file += Self.chunk("IDAT", Self.zlib(pixels))
    file += Self.chunk("IEND", [])
    return file
  }

  private var colour: [UInt8] {
    // Dark enough to contrast with the light background, for all values.
    (0..<3).map { UInt8(40 + Int(seed[$0]) * 130 / 255) }
  }

  private var pixels: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.side * (Self.side + 1))
    for y in 0..<Self.side {
      bytes.append(0)
      for x in 0..<Self.side { bytes.append(isSet(x, y) ? 1 : 0) }
    }
    return bytes
  }

  private func isSet(_ x: Int, _ y: Int) -> Bool {
    let range = Self.margin..<Self.side - Self.margin
    guard range.contains(x), range.contains(y) else { return false }
    let column = (x - Self.margin) / Self.cell
    let row = (y - Self.margin) / Self.cell
    return seed[3 + row * 3 + min(column, 4 - column)] & 1 == 1
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + data
    return bigEndian(UInt32(data.count)) + content + bigEndian(checksum(content))
  }

  /// Stored blocks with zlib's header and checksum (RFC 1950, RFC 1951 section 3.2.4).
  private static func zlib(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + 65_535, data.count)
      let length = UInt16(end - start)
      stream.append(end == data.count ? 1 : 0)
      for word in [length, ~length] {
        stream += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
      }
      stream += data[start..<end]
      start = end
    } while start < data.count
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in data {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + bigEndian(high << 16 | low)
  }

  /// CRC-32 of PNG's annex D.
  private static func checksum(_ data: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in data {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }
    return ~crc
  }
}
