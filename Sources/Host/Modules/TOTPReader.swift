import Client
import System
import Lua
import OIDC

/// Reads a TOTP secret and its parameters from a script's arguments.
struct TOTPReader {
  private let secret: Secret
  private let algorithm: String
  private let digits: Int64
  private let period: Int64
  private let function: String

  /// Reads the secret at index 1 and the options at index 2, which override the secret's own parameters.
  init(_ call: LuaCall, _ function: String) throws(LuaError) {
    self.function = function
    var algorithm: String?
    var (digits, period): (Int64?, Int64?)
    if let secret = call.object(1, as: TOTPSecret.self) {
      self.secret = secret.sharedSecretKey
      (algorithm, digits, period) = (secret.hashingAlgorithm, secret.digits, secret.period)
    } else if let text = call.string(1) {
      secret = Secret(text)
    } else {
      guard let text = call.field(1, "secret", { $0.string($1) }) else {
        throw .message("bad argument #1 to '\(function)' (a table with a field 'secret' expected)")
      }
      secret = Secret(text)
      algorithm = call.field(1, "algorithm") { $0.string($1) }
      digits = call.field(1, "digits") { $0.integer($1) }
      period = call.field(1, "period") { $0.integer($1) }
    }
    if call.isTable(2) {
      algorithm = call.field(2, "algorithm") { $0.string($1) } ?? algorithm
      digits = call.field(2, "digits") { $0.integer($1) } ?? digits
      period = call.field(2, "period") { $0.integer($1) } ?? period
    }
    self.algorithm = algorithm ?? "SHA1"
    self.digits = digits ?? 6
    self.period = period ?? 30
  }

  /// The code generator; raises an error for an invalid secret or parameter.
  func totp() throws(LuaError) -> TOTP {
    guard let algorithm = Self.algorithm(algorithm) else {
      throw mistake("algorithm: SHA1, SHA256 or SHA512 expected")
    }
    guard (6...8).contains(digits) else { throw mistake("digits: 6, 7 or 8 expected") }
    guard Self.periods.contains(period) else { throw mistake(Self.periodExpected) }
    guard let key = Self.key(secret) else {
      throw .object([
        ("code", .string("invalidTOTPSecret")),
        ("message", .string("the secret is not base 32, which has the signs A to Z and 2 to 7")),
        ("hint", .string("pass secret.sharedSecretKey, totp.secret(), or what the app was given")),
      ])
    }
    return TOTP(
      secret: key, algorithm: algorithm, digits: Int(digits), period: Int(period))
  }

  private func mistake(_ words: String) -> LuaError {
    .message("bad argument to '\(function)' (\(words))")
  }

  // MARK: Rules

  /// Up to an hour; apps support half a minute to two minutes.
  static let periods: ClosedRange<Int64> = 1...3600

  private static let periodExpected = "period: 1 to 3600 seconds expected"

  static func period(
    _ call: LuaCall, _ index: Int, _ function: String
  ) throws(LuaError) -> Int64 {
    let period = call.isTable(index) ? call.field(index, "period") { $0.integer($1) } : nil
    guard periods.contains(period ?? 30) else {
      throw .message("bad argument to '\(function)' (\(periodExpected))")
    }
    return period ?? 30
  }

  /// A hash function by its name in any spelling: `SHA1`, `sha-1`, `HmacSHA1`.
  static func algorithm(_ name: String) -> DigestFunction? {
    let name = String(name.filter { $0 != "-" }.uppercased())
    let known = DigestFunction(rawValue: name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name)
    return known == .md5 ? nil : known
  }

  /// Decodes a secret, which may be grouped by blanks or hyphens and in either case.
  static func key(_ secret: Secret) -> SecretBytes? {
    let text = String(
      decoding: secret.reveal().utf8.filter { $0 != 0x20 && $0 != 0x2D }, as: UTF8.self)
    guard !text.isEmpty, let bytes = Base32.decode(text), !bytes.isEmpty else { return nil }
    return SecretBytes(bytes)
  }
}
