/// What a string in source looks like; every string of a file is looked at, so none of these is slow.
enum StringShape {
  /// Whether a text is an e-mail address.
  static func isEmail(_ value: String) -> Bool {
    let parts = value.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && value.utf8.allSatisfy { $0 > 0x20 }
  }

  /// Whether a text is an address, a form or JSON, whose fields have names of their own.
  static func isData(_ value: String) -> Bool {
    if value.hasPrefix("{") || value.hasPrefix("[") { return true }
    let name = value.utf8.prefix(while: isWord)
    return !name.isEmpty && value.utf8[name.endIndex...].first == UInt8(ascii: "=")
      || value.contains("://")
  }

  /// Whether a text is the id of a provider, and hardly a password: `microsoft.com`, `oidc.corp`.
  static func isProviderID(_ value: String) -> Bool {
    guard let (name, rest) = id(value) else { return false }
    return rest == "com" || name == "oidc" || name == "saml"
  }

  /// Whether a text is the id or name of a provider, or the name of a sign-in method.
  static func isProvider(_ value: String) -> Bool {
    id(value) != nil || methods.contains(value) || providers.contains(value.lowercased())
  }

  private static let methods: Set<String> = ["password", "phone", "emailLink"]
  private static let providers: Set<String> = [
    "anonymous", "microsoft", "yahoo", "google", "apple", "facebook", "github", "twitter",
    "playgames", "gamecenter",
  ]

  /// The parts of `microsoft.com`: lower-case letters before the dot.
  private static func id(_ value: String) -> (name: Substring, rest: Substring)? {
    let name = value.utf8.prefix { (0x61...0x7A).contains($0) }
    let rest = value.utf8[name.endIndex...]
    guard !name.isEmpty, rest.first == UInt8(ascii: "."), rest.count > 1,
      rest.allSatisfy({ isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
    else { return nil }
    return (value[..<name.endIndex], value[rest.index(after: rest.startIndex)...])
  }

  /// Whether a text says where a field of a page is, such as `#password` and `input[name=otp]`.
  static func isSelector(_ value: String) -> Bool {
    if value.hasPrefix("//input") || value.hasPrefix("//*[") { return true }
    if value.hasPrefix("#") || value.hasPrefix(".") {
      // A password may begin so as well.
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
