/// Percent-encoding of URI components (RFC 3986 section 2.1).
public enum PercentEncoding {
  /// Encodes everything except unreserved characters (section 2.3) as `%XX`.
  public static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.append(byte)
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(upper(byte >> 4))
        encoded.append(upper(byte & 0xF))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Decodes escapes; nil when an escape is invalid or the result is not UTF-8.
  ///
  /// A plus sign means a space in form bodies and query strings, and itself elsewhere.
  public static func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
    guard let bytes = bytes(text.utf8, plusIsSpace: plusIsSpace, keepsFaults: false) else {
      return nil
    }
    return String(utf8: bytes)
  }

  /// Decodes a form field; an invalid escape stands for itself.
  static func decodeForm(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(decoding: text, as: UTF8.self)
    }
    let bytes = bytes(text, plusIsSpace: true, keepsFaults: true) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func bytes(
    _ text: some Collection<UInt8>, plusIsSpace: Bool, keepsFaults: Bool
  ) -> [UInt8]? {
    let text = Array(text)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "+"), plusIsSpace {
        decoded.append(0x20)
      } else if byte != UInt8(ascii: "%") {
        decoded.append(byte)
      } else if index + 1 < text.count, let high = Hex.value(of: text[index]),
        let low = Hex.value(of: text[index + 1])
      {
        decoded.append(high << 4 | low)
        index += 2
      } else if keepsFaults {
        decoded.append(byte)
      } else {
        return nil
      }
    }
    return decoded
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func upper(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + (nibble - 10)
  }
}
