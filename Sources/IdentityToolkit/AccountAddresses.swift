import System

/// E-mail addresses as the backend compares them.
public enum EmailAddress {
  /// The address in lower case, or nil if it does not look like one.
  public static func normalized(_ text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, let local = parts.first, let domain = parts.last, !local.isEmpty else {
      return nil
    }
    // Control characters, spaces and DEL are not allowed; bytes above ASCII are (RFC 6531).
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty }) else { return nil }
    return text.asciiLowercased
  }
}

/// Phone numbers in international form (E.164), as Google's servers read them.
public enum PhoneNumber {
  /// The number as a plus and digits; nil if the text is not a number.
  ///
  /// Measured: spaces, hyphens, dots and parentheses are ignored, and letters map to the digits of a keypad.
  public static func normalized(_ text: String) -> String? {
    guard text.utf8.first == UInt8(ascii: "+") else { return nil }
    var digits: [UInt8] = []
    for byte in text.utf8.dropFirst() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digits.append(key(of: byte))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digits.append(key(of: byte + 32))
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("),
        UInt8(ascii: ")"):
        continue
      default: return nil
      }
    }
    // No calling code begins with zero.
    guard (4...15).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
    return "+" + String(decoding: digits, as: UTF8.self)
  }

  /// The keypad digit of a lower-case letter (ITU-T E.161).
  private static func key(of letter: UInt8) -> UInt8 {
    let keys = Array("22233344455566677778889999".utf8)
    return keys[Int(letter - UInt8(ascii: "a"))]
  }
}
