/// Removes what a picture file has besides its pixels: comments, times, places, names of programs.
public enum PictureMetadata {
  /// The chunks of a PNG that decide how it looks (PNG specification, section 11).
  private static let shown: Set<String> = [
    "IHDR", "PLTE", "tRNS", "sRGB", "gAMA", "cHRM", "sBIT", "bKGD", "pHYs", "IDAT", "IEND",
  ]
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns the picture without its metadata; nil when it is neither a PNG nor a JPEG, or damaged.
  ///
  /// - Parameter type: The media type that the picture must have; nil for either.
  public static func removed(from picture: [UInt8], type: String? = nil) -> [UInt8]? {
    if picture.starts(with: signature) {
      return type ?? "image/png" == "image/png" ? png(picture) : nil
    }
    if picture.starts(with: [0xFF, 0xD8]) {
      return type ?? "image/jpeg" == "image/jpeg" ? jpeg(picture) : nil
    }
    return nil
  }

  /// Whether bytes begin like a PNG or JPEG.
  public static func isPicture(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: signature) || bytes.starts(with: [0xFF, 0xD8, 0xFF])
  }

  /// Keeps the chunks that are shown, up to the end of the picture.
  private static func png(_ picture: [UInt8]) -> [UInt8]? {
    var kept = signature
    var at = signature.count
    while at + 12 <= picture.count {
      let length = picture[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = at + 12 + length
      guard end <= picture.count else { return nil }
      let name = String(decoding: picture[at + 4..<at + 8], as: UTF8.self)
      if shown.contains(name) { kept += picture[at..<end] }
      if name == "IEND" { return kept }
      at = end
    }
    return nil
  }

  /// Keeps all segments but comments and application data.
  ///
  /// Of application data, JFIF (APP0) and Adobe (APP14) decide how the picture looks.
  private static func jpeg(_ picture: [UInt8]) -> [UInt8]? {
    var kept: [UInt8] = [0xFF, 0xD8]
    var at = 2
    while at + 4 <= picture.count, picture[at] == 0xFF {
      let marker = picture[at + 1]
      let length = Int(picture[at + 2]) << 8 | Int(picture[at + 3])
      var end = at + 2 + length
      guard length >= 2, end <= picture.count else { return nil }
      if marker == 0xDA {
        // The pixels of a scan follow.
        while end + 1 < picture.count, !isMarker(picture[end], picture[end + 1]) { end += 1 }
        guard end + 1 < picture.count else { return nil }
      }
      let isData = (0xE0...0xEF).contains(marker)
      let isShown = marker == 0xE0 && length == 16 || marker == 0xEE && length == 14
      if marker != 0xFE, !isData || isShown { kept += picture[at..<end] }
      if picture[end...].starts(with: [0xFF, 0xD9]) { return kept + [0xFF, 0xD9] }
      at = end
    }
    return nil
  }

  /// Whether two bytes begin a segment: among pixels, FF is followed by 00 or is a restart.
  private static func isMarker(_ first: UInt8, _ second: UInt8) -> Bool {
    first == 0xFF && second != 0 && !(0xD0...0xD7).contains(second)
  }
}
