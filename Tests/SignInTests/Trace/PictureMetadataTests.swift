import Testing

@testable import SignIn

/// Pictures lose all that is not shown.
@Suite struct PictureMetadataTests {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
    let length = UInt32(content.count)
    let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> UInt32($0)) }
    return size + Array(name.utf8) + content + [1, 2, 3, 4]
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  @Test func `a PNG keeps what decides how it looks`() throws {
    let head = Self.chunk("IHDR", Array(repeating: 7, count: 13))
    let pixels = Self.chunk("IDAT", [9, 9, 9])
    let secret = Array("Comment\0hunter2-pass".utf8)
    let picture =
      Self.signature + head + Self.chunk("tEXt", secret) + Self.chunk("pHYs", [1])
      + Self.chunk("zTXt", secret) + Self.chunk("eXIf", secret) + pixels + Self.chunk("tIME", [1])
      + Self.chunk("iTXt", secret) + Self.chunk("IEND") + secret
    #expect(
      PictureMetadata.removed(from: picture)
        == Self.signature + head + Self.chunk("pHYs", [1]) + pixels + Self.chunk("IEND"))
    #expect(PictureMetadata.removed(from: picture, type: "image/jpeg") == nil)
  }

  @Test func `a JPEG loses comments and application data, between scans too`() throws {
    let secret = Array("hunter2-pass".utf8)
    let jfif = Self.segment(0xE0, Array("JFIF\0".utf8) + Array(repeating: 1, count: 9))
    let table = Self.segment(0xDB, [1, 2, 3])
    let scan = Self.segment(0xDA, [1]) + [0x11, 0xFF, 0x00, 0x22, 0xFF, 0xD3, 0x33]
    let picture =
      [0xFF, 0xD8] + jfif + Self.segment(0xE1, Array("Exif\0".utf8) + secret) + table
      + Self.segment(0xFE, secret) + scan + Self.segment(0xFE, secret) + scan + [0xFF, 0xD9]
      + secret
    #expect(
      PictureMetadata.removed(from: picture, type: "image/jpeg")
        == [0xFF, 0xD8] + jfif + table + scan + scan + [0xFF, 0xD9])
  }

  @Test(arguments: [
    [], Array("GIF89a".utf8), signature, signature + [0, 0, 0], signature + chunk("IHDR"),
    signature + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + [1, 2, 3, 4],
    [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 2], [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3],
    [0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF, 0],
  ])
  func `what is damaged or no such picture is refused`(_ bytes: [UInt8]) {
    #expect(PictureMetadata.removed(from: bytes) == nil)
  }
}
