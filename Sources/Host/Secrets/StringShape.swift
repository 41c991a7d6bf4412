/// Classifies strings in source; must be fast, as every string of a file is checked.
enum StringShape {
  static func isEmail(_ value: String) -> Bool {
    let parts = value.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && value.utf8.allSatisfy { $0 > 0x20 }
  }

  /// Whether a text is a URL, form data or JSON, whose fields have their own names.
  static func isData(_ value: String) -> Bool {
    if value.hasPrefix("{") || value.hasPrefix("[") { return true }
    let name = value.utf8.prefix(while: isWord)
    return !name.isEmpty && value.utf8[name.endIndex...].first == UInt8(ascii: "=")
      || value.contains("://")
  }

  /// Whether a text is a provider ID and hardly a password: `microsoft.com`, `oidc.corp`.
  static func isProviderID(_ value: String) -> Bool {
    guard let (name, rest) = id(value) else { return false }
    return rest == "com" || name == "oidc" || name == "saml"
  }

  /// Whether a text is the ID or name of a provider, or the name of a sign-in method.
  static func isProvider(_ value: String) -> Bool {
    id(value) != nil || methods.contains(value) || providers.contains(value.lowercased())
  }

  private static let methods: Set<String> = ["password", "phone", "emailLink"]
  private static let providers: Set<String> = [
    "anonymous", "microsoft", "yahoo", "google", "apple", "facebook", "github", "twitter",
    "playgames", "gamecenter",
  ]

  /// The parts of an ID such as `microsoft.com`; the part before the dot has only lower-case letters.
  private static func id(_ value: String) -> (name: Substring, rest: Substring)? {
    let name = value.utf8.prefix { (0x61...0x7A).contains($0) }
    let rest = value.utf8[name.endIndex...]
    guard !name.isEmpty, rest.first == UInt8(ascii: "."), rest.count > 1,
      rest.allSatisfy({ isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
    else { return nil }
    return (value[..<name.endIndex], value[rest.index(after: rest.startIndex)...])
  }

  /// Whether a text is a selector for a form field, such as `#password` and `input[name=otp]`.
  static func isSelector(_ value: String) -> Bool {
    if value.hasPrefix("//input") || value.hasPrefix("//*[") { return true }
    if value.hasPrefix("#") || value.hasPrefix(".") {
      // A password may also begin with this character, so check the rest.
      let name = value.lowercased()
      return name.utf8.dropFirst().allSatisfy {
        (0x61...0x7A).contains($0) || "_-".utf8.contains($0)
      }
        && fields.contains { name.contains($0) }
    }
    let element = value.utf8.prefix { (0x61...0x7A).contains($0) }
    let rest = value.utf8[element.endIndex...]
    return rest.first == UInt8(ascii: "[") && rest.last == UInt8(ascii: "]")
      && rest.contains(UInt8(ascii: "="))
  }

  private static let fields = [
    "pass", "pwd", "pin", "code", "otp", "token", "secret", "login", "field", "input",
  ]

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
  }
}
