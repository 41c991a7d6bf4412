public import System

/// Cleans a server's message for an error text: no secrets, no control characters, limited length.
///
/// Backends quote tokens and redirect addresses in refusals, and those messages end up in logs and on terminals.
public struct Redaction: Sendable {
  /// The replacement for a secret.
  public static let mask = "[secret]"

  private static let longest = 600
  private static let shortestSecret = 4

  private let secrets: [[UInt8]]

  /// Creates a redaction for these secrets, plain and percent-encoded.
  public init(secrets: [String] = []) {
    var known: [[UInt8]] = []
    for secret in secrets where secret.utf8.count >= Self.shortestSecret {
      known.append(Array(secret.utf8))
      let encoded = Array(PercentEncoding.encode(secret).utf8)
      if encoded != known.last { known.append(encoded) }
    }
    // Longest first, because a secret may contain another one.
    self.secrets = known.sorted { $0.count > $1.count }
  }

  /// Creates a redaction for the secrets in a request's body, and more.
  init(body: JSONObject, and more: [String] = []) {
    self.init(secrets: Self.secrets(in: body) + more)
  }

  private static func secrets(in body: JSONObject) -> [String] {
    var secrets: [String] = []
    for entry in body.entries {
      // The codes of second factors are in nested objects.
      if let object = entry.value.object { secrets += self.secrets(in: object) }
      guard let value = entry.value.string else { continue }
      switch entry.key {
      case "postBody":
        secrets.append(value)
        secrets += FormFields(parsing: value).pairs.filter { $0.name != "providerId" }.map(\.value)
      case "requestUri":
        secrets += parameters(ofURL: value)
      case let key where secretKeys.contains(key):
        secrets.append(value)
      default: break
      }
    }
    return secrets
  }

  /// The members of bodies whose values are secret.
  static let secretKeys: Set<String> = [
    "idToken", "refreshToken", "refresh_token", "access_token", "id_token", "accessToken",
    "password", "newPassword", "passwordHash", "salt", "token", "pendingToken", "sessionId",
    "oobCode", "oobLink", "code", "sessionInfo", "temporaryProof", "mfaPendingCredential",
    "oauthIdToken", "oauthAccessToken", "oauthTokenSecret", "oauthRefreshToken",
    "oauthAuthorizationCode", "postBody", "authUri", "sharedSecretKey", "verificationCode",
    "signerKey", "recaptchaToken", "captchaResponse", "captchaResp",
  ]

  /// Removes the secrets from a text.
  public func clean(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for secret in secrets { bytes = Self.replacing(secret, in: bytes) }
    bytes = Self.maskingTokensAndQueries(bytes)
    bytes = bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
    // U+0080 to U+009F are control characters too; their encoding is C2 80 to C2 9F.
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 {
        kept.append(0x20)
        index += 2
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    guard kept.count > Self.longest else { return String(decoding: kept, as: UTF8.self) }
    var end = Self.longest
    while end > 0, kept[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: kept[..<end], as: UTF8.self) + "…"
  }

  /// Removes secret members from an object and cleans all texts.
  public func clean(_ json: JSON) -> JSON {
    switch json {
    case .string(let text): return .string(clean(text))
    case .array(let members): return .array(members.map(clean))
    case .object(let object):
      var cleaned = JSONObject()
      for entry in object.entries where !Self.secretKeys.contains(entry.key) {
        cleaned[entry.key] = clean(entry.value)
      }
      return .object(cleaned)
    default: return json
    }
  }

  private static func parameters(ofURL text: String) -> [String] {
    guard let mark = text.utf8.firstIndex(where: { $0 == 0x3F || $0 == 0x23 }) else { return [] }
    let parameters = String(Substring(text.utf8[mark...].dropFirst()))
    let separated = String(
      decoding: parameters.utf8.map { $0 == 0x23 ? 0x26 : $0 }, as: UTF8.self)
    return [parameters] + FormFields(parsing: separated).pairs.map(\.value)
  }

  private static func replacing(_ secret: [UInt8], in text: [UInt8]) -> [UInt8] {
    guard text.count >= secret.count else { return text }
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == secret[0], text[index...].starts(with: secret) {
        result += Array(mask.utf8)
        index += secret.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }

  /// Masks what looks like a JWT, and what follows `?` or `#` in a URL.
  private static func maskingTokensAndQueries(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for word in words(of: text) {
      if let scheme = firstRange(of: Array("://".utf8), in: word),
        let mark = word[scheme...].firstIndex(where: { $0 == 0x3F || $0 == 0x23 })
      {
        result += word[...mark] + Array(mask.utf8)
      } else if let start = firstRange(of: Array("eyJ".utf8), in: word), word.endIndex - start > 20
      {
        result += word[..<start] + Array(mask.utf8)
      } else {
        result += word
      }
    }
    return result
  }

  /// Splits the text into alternating runs of separators and other bytes.
  private static func words(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    func isSeparator(_ byte: UInt8) -> Bool {
      byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
    }
    var words: [ArraySlice<UInt8>] = []
    var start = 0
    while start < text.count {
      var end = start + 1
      while end < text.count, isSeparator(text[end]) == isSeparator(text[start]) { end += 1 }
      words.append(text[start..<end])
      start = end
    }
    return words
  }

  private static func firstRange(of needle: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
    guard text.count >= needle.count else { return nil }
    return (text.startIndex...(text.endIndex - needle.count)).first {
      text[$0...].starts(with: needle)
    }
  }
}
