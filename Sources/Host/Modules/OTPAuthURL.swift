import System
import Lua
import OIDC

/// The address that authenticator apps read from a QR code: `otpauth://totp/LABEL?secret=…`.
///
/// Error messages contain no part of it, because it contains the secret.
struct OTPAuthURL {
  private let secret: String
  private let account: String
  private let issuer: String?
  private let algorithm: String
  private let digits: Int64
  private let period: Int64

  init(parsing text: String) throws(LuaError) {
    let address = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
    let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let prefix = "otpauth://totp/"
    guard parts[0].lowercased().hasPrefix(prefix) else {
      let isCounter = parts[0].lowercased().hasPrefix("otpauth://hotp/")
      throw Self.failure(
        isCounter ? "its codes follow a counter and not the clock" : "it is no otpauth address",
        hint: isCounter
          ? "enrol the app with a code that follows the clock"
          : "pass the text of the QR code, which begins with \(prefix)")
    }
    let fields = FormFields(parsing: parts.count > 1 ? String(parts[1]) : "")
    guard let secret = fields["secret"], TOTPReader.key(Secret(secret)) != nil else {
      throw Self.failure("its secret is missing or not base 32")
    }
    let algorithm = fields["algorithm"] ?? "SHA1"
    guard let known = TOTPReader.algorithm(algorithm) else {
      throw Self.failure("its algorithm is not SHA1, SHA256 or SHA512")
    }
    guard let digits = Int64(fields["digits"] ?? "6"), (6...8).contains(digits) else {
      throw Self.failure("its digits are not 6, 7 or 8")
    }
    guard let period = Int64(fields["period"] ?? "30"), TOTPReader.periods.contains(period) else {
      throw Self.failure("its period is no number of seconds up to an hour")
    }
    guard let label = PercentEncoding.decode(String(parts[0].dropFirst(prefix.count))) else {
      throw Self.failure("its label has a bad escape")
    }
    // The issuer may precede the account in the label; the parameter takes precedence.
    let names = label.split(separator: ":", maxSplits: 1).map(String.init)
    account = String((names.last ?? "").drop { $0 == " " })
    issuer = fields["issuer"] ?? (names.count > 1 ? names[0] : nil)
    self.secret = secret
    self.algorithm = known.rawValue
    self.digits = digits
    self.period = period
  }

  /// The table that `totp.code` accepts.
  var value: LuaValue {
    .record([
      ("secret", .string(secret)), ("account", .string(account)),
      ("issuer", .string(ifAny: issuer)), ("algorithm", .string(algorithm)),
      ("digits", .integer(digits)), ("period", .integer(period)),
    ])
  }

  private static func failure(
    _ why: String, hint: String = "show the QR code again, and read all of it"
  ) -> LuaError {
    .object([
      ("code", .string("invalidTOTPURL")), ("message", .string("the address is of no use: \(why)")),
      ("hint", .string(hint)),
    ])
  }
}
