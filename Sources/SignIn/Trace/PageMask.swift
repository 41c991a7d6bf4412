internal import System
internal import HTTP
internal import IdentityToolkit

/// Removes secrets from a page before it is written to disk.
///
/// Known secrets are removed in every encoding a page may use. Whatever looks like a token is
/// removed too, because a page contains codes and states that we do not know.
struct PageMask: Sendable {
  /// The mask inside a URL.
  static let inAddress = "%5Bsecret%5D"

  private let masker: SecretMasker
  /// Secrets too short to search for inside longer texts.
  private let short: Set<String>

  init(_ secrets: [Secret]) {
    let texts = secrets.map { $0.reveal() }.filter { !$0.isEmpty }
    short = Set(texts.filter { $0.utf8.count < SecretMasker.shortest })
    masker = SecretMasker(
      texts.flatMap { [$0, $0.lowercased(), $0.uppercased()] }, insideWords: true)
  }

  /// Returns the values in a URL that are under secret names.
  static func secrets(in url: WebURL) -> [Secret] {
    (url.fields.pairs + url.fragmentFields.pairs).filter { SecretNames.holdSecrets($0.name) }
      .map { Secret($0.value) }
  }

  /// Removes secrets from a text.
  func text(_ text: String) -> String {
    if text.isEmpty { return text }
    if short.contains(PageForm.trimmed(text)) { return Redaction.mask }
    let known = masker.clean(text)
    return Self.mayHoldToken(known) ? Self.maskingTokens(in: known) : known
  }

  /// Removes all parameter values from an absolute or relative URL; their names stay.
  func address(_ reference: String) -> String {
    let reference = PageForm.trimmed(reference)
    let low = reference.lowercased()
    if ["javascript:", "data:", "blob:", "vbscript:"].contains(where: { low.hasPrefix($0) }) {
      return "about:blank"
    }
    let cut = reference.utf8.firstIndex { $0 == 0x3F || $0 == 0x23 }
    guard let cut else { return path(reference) }
    let rest = Substring(reference.utf8[cut...])
    let hash = rest.utf8.firstIndex(of: 0x23) ?? rest.endIndex
    var masked = path(String(reference[..<cut]))
    if rest.utf8.first == 0x3F { masked += "?" + parameters(rest[..<hash].dropFirst()) }
    if hash != rest.endIndex { masked += "#" + parameters(rest[hash...].dropFirst()) }
    return masked
  }

  /// Masks the value of a `<meta>` or header refresh: seconds and a URL.
  func refresh(_ value: String) -> String {
    guard let refresh = Refresh(value) else { return text(value) }
    return "\(refresh.seconds)" + (refresh.reference.map { "; url=\(address($0))" } ?? "")
  }

  private func path(_ head: String) -> String {
    head.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let text = String(segment)
      if text.contains("@"), head.contains("//") { return Self.inAddress }
      let plain = PercentEncoding.decode(text) ?? text
      return self.text(text) == text && self.text(plain) == plain ? text : Self.inAddress
    }.joined(separator: "/")
  }

  private func parameters(_ text: Substring) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.utf8.firstIndex(of: 0x3D) else {
        return pair.isEmpty ? "" : Self.inAddress
      }
      let name = path(String(pair[..<equals]))
      return "\(name)=\(Self.inAddress)"
    }.joined(separator: "&")
  }

  // MARK: Tokens

  /// Whether a word is too long and mixed for a natural language.
  static func looksLikeToken(_ word: some StringProtocol) -> Bool {
    guard word.utf8.count >= 20 else { return false }
    var letters = 0
    var digits = 0
    for byte in word.utf8 {
      if byte.isDigit { digits += 1 }
      if byte.isLetter { letters += 1 }
    }
    return digits >= 2 && letters >= 2 || digits >= 20
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit
      || [0x2B, 0x2D, 0x2F, 0x3D, 0x5F, 0x7E, 0x25].contains(byte)
  }

  private static func mayHoldToken(_ text: String) -> Bool {
    var run = 0
    for byte in text.utf8 {
      run = isTokenByte(byte) ? run + 1 : 0
      if run >= 20 { return true }
    }
    return false
  }

  private static func maskingTokens(in text: String) -> String {
    var result: [UInt8] = []
    var run: [UInt8] = []
    func end() {
      let word = String(decoding: run, as: UTF8.self)
      result += looksLikeToken(word) ? Array(Redaction.mask.utf8) : run
      run = []
    }
    for byte in text.utf8 {
      if isTokenByte(byte) {
        run.append(byte)
      } else {
        end()
        result.append(byte)
      }
    }
    end()
    return String(decoding: result, as: UTF8.self)
  }
}
