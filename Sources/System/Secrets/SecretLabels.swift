import Synchronization

/// What a secret is, in the words that stand for it where it is masked.
public enum SecretKind: String, Sendable, CaseIterable {
  /// A secret of unknown kind.
  case secret
  case password, token, code, session, state, nonce, cookie, credential, assertion, signature, salt
  case key, form, proof, value
  case passwordHash = "password hash"
  case idToken = "ID token"
  case accessToken = "access token"
  case refreshToken = "refresh token"
  case customToken = "custom token"
  case pendingToken = "pending token"
  case sessionCookie = "session cookie"
  case clientSecret = "client secret"
  case apiKey = "API key"
  case privateKey = "private key"
  case pin = "PIN"
  case actionCode = "action code"
  case deviceCode = "device code"
  case userCode = "user code"
  case codeVerifier = "code verifier"
  case codeChallenge = "code challenge"
  case samlMessage = "SAML message"
}

/// Labels that stand for the secrets of a run: `[password 1]`, `[ID token 2]`.
///
/// Equal values have equal labels. The numbers of a kind begin at 1, in the order in which values are first shown.
/// It stores hashes instead of the values.
public final class SecretLabels: Sendable {
  /// How a secret is replaced.
  public enum Style: Sendable {
    /// By kind and number, `[password 1]`, so that values can be compared within a run.
    case numbered
    /// By kind, `[password]`, so that the text is the same in each run.
    case kind
  }

  private struct State {
    var labels: [Int: String] = [:]
    var counts: [SecretKind: Int] = [:]
  }

  private let state = Mutex(State())

  /// Creates an empty set.
  public init() {}

  /// The label of a value.
  ///
  /// - Parameters:
  ///   - owner: The hash of the value.
  ///   - kind: Called if the value has no label yet.
  func label(_ owner: Int, _ kind: () -> SecretKind) -> String {
    state.withLock { state in
      if let known = state.labels[owner] { return known }
      let kind = kind()
      state.counts[kind, default: 0] += 1
      let label = "[\(kind.rawValue) \(state.counts[kind] ?? 1)]"
      state.labels[owner] = label
      return label
    }
  }

  private static let kinds = Set(SecretKind.allCases.map(\.rawValue))

  /// Whether a whole text is a mask or label of a secret, in any style.
  public static func isLabel(_ text: String) -> Bool {
    isNumbered(text)
      || text.hasPrefix("[") && text.hasSuffix("]")
        && kinds.contains(String(text.dropFirst().dropLast()))
  }

  private static func isNumbered(_ text: String) -> Bool {
    guard text.utf8.count < 40, text.hasPrefix("["), text.hasSuffix("]") else { return false }
    if text == Redaction.mask { return true }
    let inside = text.dropFirst().dropLast()
    guard let blank = inside.lastIndex(of: " ") else { return false }
    let digits = inside[blank...].dropFirst()
    return !digits.isEmpty && digits.utf8.allSatisfy(\.isDigit)
      && kinds.contains(String(inside[..<blank]))
  }

  /// Decodes the labels in a URL or form, where their brackets and blanks are percent-encoded.
  public static func readable(_ encoded: String) -> String {
    replacing(in: encoded, from: "%5B", to: "%5D") { found in
      PercentEncoding.decode(found).flatMap { isLabel($0) ? $0 : nil }
    }
  }

  /// Replaces each mask and numbered label in a text, and on request those of kinds.
  public static func replacing(in text: String, by mark: String, orKinds: Bool = false) -> String {
    replacing(in: text, from: "[", to: "]") { found in
      (orKinds ? isLabel(found) : isNumbered(found)) ? mark : nil
    }
  }

  /// The longest label is shorter, also if it is percent-encoded.
  private static let longest = 60

  /// Replaces texts between brackets for which a function returns another text.
  private static func replacing(
    in text: String, from open: String, to close: String, by change: (String) -> String?
  ) -> String {
    let bytes = Array(text.utf8)
    let (open, close) = (Array(open.utf8), Array(close.utf8))
    guard bytes.contains(open[0]) else { return text }
    var result: [UInt8] = []
    var kept = 0
    var position = 0
    while position < bytes.count {
      guard bytes[position] == open[0], bytes[position...].starts(with: open),
        let end = bytes[position...].prefix(longest).firstIndex(of: close[0], startingWith: close)
      else {
        position += 1
        continue
      }
      let found = String(decoding: bytes[position..<end + close.count], as: UTF8.self)
      guard let label = change(found) else {
        position += 1
        continue
      }
      result += bytes[kept..<position] + Array(label.utf8)
      position = end + close.count
      kept = position
    }
    return String(decoding: result + bytes[kept...], as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// The first position of a sequence of bytes, after the first byte.
  fileprivate func firstIndex(of first: UInt8, startingWith sequence: [UInt8]) -> Int? {
    dropFirst().indices.first { self[$0] == first && self[$0...].starts(with: sequence) }
  }
}
