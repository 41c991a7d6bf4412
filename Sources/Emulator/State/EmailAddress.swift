/// E-mail addresses as the backend compares them.
enum EmailAddress {
  /// The address in lower case, or nil if it does not look like one.
  static func normalized(_ text: String) -> String? {
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

  /// The address in lower case, or nil unless there is exactly one `@` with something on each side.
  static func roughlyNormalized(_ text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return ScriptCase.lowered(text)
  }

  static func domain(_ address: String) -> String {
    address.utf8.lastIndex(of: UInt8(ascii: "@")).map {
      String(address[address.utf8.index(after: $0)...])
    } ?? ""
  }
}

extension String {
  /// The text with A to Z in lower case and every other character untouched.
  var asciiLowercased: String {
    guard utf8.contains(where: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
      return self
    }
    return String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 },
      as: UTF8.self)
  }
}
