/// Converts a page's bytes to UTF-8 as browsers do; no byte is an error.
///
/// libxml2 and iconv convert the rarer charsets.
enum Charset {
  /// Returns the charset in which the page's forms are submitted.
  static func name(of bytes: [UInt8], header: String?) -> String? {
    if let name = header ?? declared(in: bytes) { return name }
    return String(validating: bytes, as: UTF8.self) == nil ? "windows-1252" : nil
  }

  /// Returns the bytes to parse and their encoding.
  static func prepare(_ bytes: [UInt8], header: String?) -> (bytes: [UInt8], name: String) {
    let name = (header ?? declared(in: bytes))?.lowercased()
    switch name {
    case "utf-8", "utf8":
      return (cleaned(bytes), "UTF-8")
    case nil:
      // Without a declaration: UTF-8 if valid, otherwise windows-1252.
      let isUnicode = String(validating: bytes, as: UTF8.self) != nil
      return (isUnicode ? cleaned(bytes) : western(bytes), "UTF-8")
    case "iso-8859-1", "latin1", "windows-1252", "us-ascii", "ascii", "cp1252":
      // The Encoding standard maps all of these names to windows-1252.
      return (western(bytes), "UTF-8")
    case let name?:
      let isSound = name.utf8.count <= 40 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      return isSound && keepsASCII(name) ? (bytes, name) : (cleaned(bytes), "UTF-8")
    }
  }

  /// Whether the charset encodes ASCII as ASCII, apart from zero bytes.
  ///
  /// Those of the Encoding standard do. Others that iconv supports, such as UTF-7 and EBCDIC, could
  /// hide tags from checks of the bytes.
  private static func keepsASCII(_ name: String) -> Bool {
    let families = [
      "utf-16", "iso-8859-", "iso8859", "windows-", "cp125", "shift", "sjis", "x-sjis", "euc-",
      "gb", "big5", "koi8-", "iso-2022-jp", "ibm866", "cp866", "macintosh", "x-mac-", "tis-620",
      "ks_c_", "latin",
    ]
    return families.contains { name.hasPrefix($0) }
  }

  /// Returns the charset declared in a `<meta>` in the first 2 KiB.
  private static func declared(in bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(2048), as: UTF8.self).lowercased()
    guard let mark = head.ranges(of: "charset=").first else { return nil }
    let value = head[mark.upperBound...].drop { $0 == "\"" || $0 == "'" || $0 == " " }
    let name = value.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_:.".contains($0)) }
    return name.isEmpty ? nil : String(name)
  }

  /// Replaces malformed sequences and NUL by U+FFFD.
  private static func cleaned(_ bytes: [UInt8]) -> [UInt8] {
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    guard text.contains(0) else { return text }
    return text.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
  }

  private static func western(_ bytes: [UInt8]) -> [UInt8] {
    var text = ""
    for byte in bytes {
      switch byte {
      case 0: text.unicodeScalars.append("\u{FFFD}")
      case 0x80...0x9F: text.unicodeScalars.append(upperControls[Int(byte) - 0x80])
      default: text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return Array(text.utf8)
  }

  /// The characters of windows-1252 at 0x80 to 0x9F.
  private static let upperControls = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
