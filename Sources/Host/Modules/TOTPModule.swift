import Client
import Lua
import OIDC
import System

enum TOTPModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var totp = Declarations(interpreter, owner: "totp")
    let at = LuaParameter(
      "at", .number, optional: true, "seconds since 1970; now, by the emulator's clock, otherwise")
    let period = LuaParameter("period", .integer, optional: true, "seconds a code lasts; 30")
    totp.add(
      "code", "The code that an authenticator app with the secret shows (RFC 6238).",
      [
        LuaParameter(
          "secret", .either([.secret, .object(interpreter.classes.totpSecret), .table]),
          "in base 32, a TOTPSecret, or what totp.parse gave"),
        LuaParameter(
          "options",
          .options([
            at, period, LuaParameter("digits", .integer, optional: true, "6 to 8; 6"),
            LuaParameter("algorithm", .string, optional: true, "SHA1, SHA256 or SHA512; SHA1"),
          ]), optional: true),
      ], returns: "the digits, a string"
    ) { [unowned interpreter] call throws(LuaError) in
      let totp = try TOTPReader(call, "code").totp()
      let now = try time(call, 2, "code", interpreter)
      let code = totp.code(at: totp.step(at: now))
      interpreter.mark(secret: code, kind: .code)
      call.push(code)
      return .results(1)
    }
    totp.add(
      "secret", "A new secret of 20 random bytes.",
      returns: "base 32, as authenticator apps take it"
    ) { [unowned interpreter] call in
      let secret = Base32.encode(TOTP.freshSecret().reveal())
      interpreter.mark(secret: secret, kind: .key)
      call.push(secret)
      return .results(1)
    }
    totp.add(
      "remaining", "The seconds after which the next code is shown.",
      [LuaParameter("options", .options([at, period]), optional: true)],
      returns: "integer, 1 to period"
    ) { [unowned interpreter] call throws(LuaError) in
      let period = try TOTPReader.period(call, 1, "remaining")
      let now = try time(call, 1, "remaining", interpreter)
      let passed = now % Int64(period)
      call.push(Int64(period) - (passed < 0 ? passed + Int64(period) : passed))
      return .results(1)
    }
    totp.add(
      "parse", "The fields of the address in an authenticator app's QR code.",
      [LuaParameter("url", .secret, "otpauth://totp/…")],
      returns: "a table with secret, account, issuer, algorithm, digits and period"
    ) { call throws(LuaError) in
      call.push(try OTPAuthURL(parsing: call.string(1) ?? "").value)
      return .results(1)
    }
    return Module("luath.totp", "The codes of authenticator apps.", totp.list)
  }

  /// The option `at`, or the current time of the script's clock, which follows the emulator's.
  private static func time(
    _ call: LuaCall, _ index: Int, _ function: String, _ interpreter: Interpreter
  ) throws(LuaError) -> Int64 {
    guard call.isTable(index), let at = call.field(index, "at", { $0.number($1) }) else {
      return interpreter.clock.now
    }
    // Beyond 2^53 a Lua float cannot represent every second.
    guard at.isFinite, at.magnitude < 0x1p53 else {
      throw .message("bad argument to '\(function)' (option 'at': seconds since 1970 expected)")
    }
    return Int64(at.rounded(.down))
  }
}

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
      ("code", .string("invalidTOTPURL")),
      ("message", .string("the address cannot be used: \(why)")),
      ("hint", .string(hint)),
    ])
  }
}
