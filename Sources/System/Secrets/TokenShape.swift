/// Recognizes JSON Web Tokens in a text (RFC 7515 section 7.1).
public enum TokenShape {
  /// The start of a JSON object in Base64, and in doubly encoded Base64 for each alignment.
  private static let beginnings: [(bytes: [UInt8], shortest: Int)] = [
    (Array("eyJ".utf8), 20), (Array("ZXlK".utf8), 40), (Array("V5S".utf8), 40),
    (Array("leU".utf8), 40),
  ]

  /// Whether the whole text has the format of a compact token, signed or not.
  public static func isToken(_ text: String) -> Bool {
    guard text.utf8.starts(with: beginnings[0].bytes), text.utf8.count > 20 else { return false }
    return text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2
      && text.utf8.allSatisfy(isTokenByte)
  }

  /// Decodes header and claims of a token for display; nil when the text is not a token.
  ///
  /// Nothing is verified, and the signature is left out.
  public static func read(_ text: String) -> (header: JSON, claims: JSON)? {
    guard isToken(text) else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let header = json(parts[0]), let claims = json(parts[1]) else { return nil }
    return (header, claims)
  }

  /// The kind of a token, by its claims.
  ///
  /// A full stop behind the token does not matter.
  public static func kind(_ text: String) -> SecretKind {
    let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
    guard let (header, claims) = read(text) ?? read(sentence) else { return .token }
    if header["typ"]?.string?.lowercased() == "at+jwt" { return .accessToken }
    if claims["iss"]?.string?.hasPrefix("https://session.firebase.google.com/") == true {
      return .sessionCookie
    }
    if claims["firebase"] != nil || claims["nonce"] != nil || claims["at_hash"] != nil {
      return .idToken
    }
    return claims["uid"] != nil ? .customToken : .token
  }

  private static func json(_ part: Substring) -> JSON? {
    guard let bytes = Base64URL.decode(String(part)), let json = try? JSON.parse(bytes),
      json.object != nil
    else { return nil }
    return json
  }

  /// The second byte of each beginning, by its first; 0xFF never occurs in text.
  private static let mayBegin: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for kind in beginnings { table[Int(kind.bytes[0])] = kind.bytes[1] }
    return table
  }()

  static func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var position = 0
    let mayBegin = mayBegin
    while position + 20 <= text.count {
      // Compare two bytes first: the first letters alone occur in most words.
      guard mayBegin[Int(text[position])] == text[position + 1],
        let kind = beginnings.first(where: { text[position...].starts(with: $0.bytes) })
      else {
        position += 1
        continue
      }
      let end = text[position...].firstIndex { !isTokenByte($0) } ?? text.count
      if end - position > kind.shortest {
        found.append(position..<end)
        position = end
      } else {
        position += 1
      }
    }
    return found
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }
}
