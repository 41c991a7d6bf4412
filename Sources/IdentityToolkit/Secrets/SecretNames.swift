internal import System
internal import Synchronization
import System

/// Decides by name which fields, parameters, headers and variables contain secrets.
public enum SecretNames {
  /// In lower case, without hyphens and underscores, so that `idToken` and `id_token` are equal.
  private static let names: Set<String> = [
    "idtoken", "refreshtoken", "accesstoken", "token", "pendingtoken", "oauthidtoken",
    "oauthaccesstoken", "oauthtokensecret", "oauthrefreshtoken", "oauthauthorizationcode",
    "recaptchatoken", "captcharesponse", "captcharesp", "password", "newpassword", "passwordhash",
    "salt", "signerkey", "sessionid", "sessioninfo", "oobcode", "code", "verificationcode",
    "temporaryproof", "mfapendingcredential", "sharedsecretkey", "postbody",
    "clientassertion", "codeverifier", "codechallenge", "devicecode", "usercode", "state",
    "nonce", "samlrequest", "samlresponse", "relaystate", "session", "sid", "sessionstate",
    "sessionkey", "key", "apikey", "xgoogapikey", "xapikey", "passwd", "pwd", "pass", "passcode",
    "passphrase", "pin", "otp", "totp", "assertion", "authorization", "proxyauthorization",
    "xfirebaseappcheck", "setcookie", "csrf", "xsrf", "credential", "privatekey", "signature",
    "credentials", "recoverycode", "mfacode", "smscode", "password2", "pw", "secretanswer",
    "secretaccesskey", "accesskey", "bearer", "jwt", "ticket", "sig", "xcsrf", "xsessionid",
    "xsignature", "ocpapimsubscriptionkey", "xauth", "xauthkey",
  ]

  /// Parts of names that are about a secret, in lower case: `pass_word`, `hashedPin`, `csrf-field`.
  private static let parts = [
    "pass", "hash", "salt", "secret", "token", "cookie", "credential", "nonce", "captcha", "csrf",
    "assertion", "signature", "apikey", "api_key", "api-key", "privatekey", "private_key",
  ]

  private static let endings = [
    "token", "secret", "password", "cookie", "privatekey", "apikey", "passcode", "sharedkey",
    "secretkey", "passwort", "kennwort",
  ]

  /// Words that also end longer names: `adaPass`, `ada_pw`, `X-Amz-Signature`.
  private static let lastWords: Set<String> = [
    "pass", "passwd", "passphrase", "pw", "pwd", "pin", "otp", "totp", "jwt", "bearer", "signature",
    "sig", "credential",
  ]

  /// Words before `code` that make it secret, in lower case: `resetCode`, but not `exitCode`.
  private static let codes: Set<String> = [
    "reset", "action", "backup", "recovery", "oob", "verification", "confirmation", "sms", "mfa",
    "otp", "totp", "auth", "authorization", "access", "security", "login", "time", "in",
    "invite", "pairing", "pin", "factor", "unlock", "email", "phone",
  ]

  /// First words of names that are only about a secret: `forgotPassword`, `hasToken`, `maxPasswords`.
  private static let firstWords: Set<String> = [
    "forgot", "forgotten", "has", "is", "max", "min", "show", "hide", "require", "requires",
    "needs",
    "allow", "allows", "use", "uses", "with", "without", "can", "should",
  ]

  /// Names whose values may be ordinary words.
  ///
  /// The values are masked under these names; elsewhere only if they look random.
  private static let vague: Set<String> = [
    "code", "state", "token", "key", "nonce", "session", "sid", "pin", "salt", "secret", "pass",
    "credential", "signature", "sessionstate", "credentials", "pw", "bearer", "jwt", "ticket",
    "sig", "accesskey", "assertion",
  ]

  /// Vague names under which a long word in a table is a secret.
  private static let mostlySecret: Set<String> = [
    "token", "bearer", "jwt", "accesskey", "secret", "pass", "pin", "pw",
  ]

  /// Shorter words under such a name may be ordinary: `{ pass = "yes" }`.
  private static let shortestWord = 8

  /// Whether values under the name must not be shown.
  public static func holdSecrets(_ name: String) -> Bool {
    // A cache, because the same few names occur in every exchange.
    if let known = judged.withLock({ $0[name] }) { return known }
    let answer = judge(name)
    judged.withLock { if $0.count < 1000 { $0[name] = answer } }
    return answer
  }

  /// Whether values under the name may be secrets, although it may also be about something else.
  ///
  /// Only for displays where it does no harm to mask too much.
  public static func mayHoldSecrets(_ name: String) -> Bool {
    let lower = name.lowercased()
    return holdSecrets(name) || parts.contains { lower.contains($0) }
  }

  private static let judged = Mutex<[String: Bool]>([:])

  private static func judge(_ name: String) -> Bool {
    let plain = core(name)
    if names.contains(plain) { return true }
    if endings.contains(where: { plain.hasSuffix($0) }) { return !isAbout(name) }
    // Form names `user[password]` and `password[new]`, option names `user.password`.
    let parts = name.split { "[].".contains($0) }.map(String.init)
    return parts.count > 1 && parts.contains(where: judge)
  }

  /// Splits a name into lower case words: `ada`, `pw` for `ada_pw`, `adaPw` and `ADA_PW`.
  private static func words(of name: String) -> [String] {
    var words: [[UInt8]] = [[]]
    var last: UInt8 = 0
    for byte in name.utf8 {
      let isUpper = (0x41...0x5A).contains(byte)
      let isLetter = byte.isLetter
      if !isLetter || isUpper && (0x61...0x7A).contains(last) { words.append([]) }
      if isLetter { words[words.count - 1].append(byte | 0x20) }
      last = byte
    }
    return words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the deciding part: `pw` for `adaPw`, `verificationcode` for `smsResetCode`, else all of it.
  static func core(_ name: String) -> String {
    let whole = plain(name)
    guard !names.contains(whole) else { return whole }
    let words = words(of: name)
    guard words.count > 1, let last = words.last, !isAbout(name) else { return whole }
    if lastWords.contains(last) { return last }
    let isCode = last == "code" && codes.contains(words[words.count - 2])
    return isCode ? "verificationcode" : whole
  }

  /// Whether a value under such a name must not be shown anywhere else either.
  public static func isSecret(_ value: String, under name: String) -> Bool {
    guard value.utf8.count >= SecretMasker.shortest, !isCommon(value) else { return false }
    // `{ wrongPassword = "the password is wrong" }` maps error codes to messages.
    if value.utf8.contains(0x20), ErrorCode(rawValue: name) != nil { return false }
    return !vague.contains(core(name)) || looksRandom(value)
  }

  /// Whether the value of a table field is a secret, and no error code.
  public static func isSecretField(_ name: String, _ value: String) -> Bool {
    holdSecrets(name) && isSecret(value, under: name) && !isErrorName(value, under: name)
  }

  /// Whether the value of a table field is an error code: each code without a digit is one.
  public static func isErrorName(_ value: String, under name: String) -> Bool {
    // `Auth.ErrorCode` has each code as a field of the same name, such as `malformedJWT`.
    name.lowercased() == "code" && !value.contains(where: \.isNumber)
      || ErrorCode(rawValue: value) != nil
  }

  /// Whether a value must be masked as a table field, even if elsewhere it may be an ordinary word.
  public static func isHidden(_ value: String, inField name: String) -> Bool {
    mostlySecret.contains(core(name)) && value.utf8.count >= shortestWord && !value.contains(" ")
  }

  /// Whether a value is the name of a variable for a secret, as in `password = oldPassword` or
  /// `idToken = result.credential.idToken` in source.
  static func isVariable(_ value: String, under name: String) -> Bool {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isLetter) }) else { return false }
    let value = String(parts[parts.count - 1])
    let (long, short) = value.utf8.count < name.utf8.count ? (name, value) : (value, name)
    guard names.contains(plain(short)), plain(long).hasSuffix(plain(short)) else { return false }
    let first = long.dropFirst(long.count - short.count).first
    return long.count == short.count || first?.isUppercase == true
  }

  /// Whether values under the name may be ordinary words.
  static func isVague(_ name: String) -> Bool { vague.contains(core(name)) }

  /// Whether the name is also used in prose: `ticket: JIRA-1`.
  static func isAnyWord(_ name: String) -> Bool {
    ["state", "session", "ticket", "key", "sid"].contains(plain(name))
  }

  // MARK: Variables

  /// Endings of variable names that are about a secret but do not contain one: `passwordField`.
  private static let harmlessEndings = [
    "field", "label", "hint", "url", "uri", "endpoint", "policy", "name", "type", "error",
    "message", "page", "length", "selector", "input", "button", "variable", "file", "path", "id",
    "kind", "count", "rule", "rules", "hash", "reset", "updatedat",
  ]

  /// Vague names that almost always mean a secret in source code.
  private static let almostCertain: Set<String> = [
    "secret", "pass", "pw", "pin", "bearer", "jwt", "accesskey",
  ]

  /// Whether every value of a variable or field in source code is a secret.
  public static func isCertain(_ variable: String) -> Bool {
    guard !isAbout(variable) else { return false }
    let name = singular(variable)
    if holdSecrets(name) { return !vague.contains(name) }
    return ["password", "passwd", "passphrase"].contains { name.contains($0) }
      && !harmlessEndings.contains { name.hasSuffix($0) }
  }

  /// Whether most values of a variable or field in source code are secrets.
  public static func isNameOfSecret(_ variable: String) -> Bool {
    isCertain(variable) || mostlySecret.contains(singular(variable))
  }

  /// Whether the name means several secrets: `passwords`.
  public static func isNameOfSecrets(_ variable: String) -> Bool {
    plain(variable).hasSuffix("s") && isNameOfSecret(variable)
  }

  /// Whether a text in source code is a secret because of the variable or field it is assigned to.
  public static func isSecret(_ value: String, inVariable variable: String) -> Bool {
    if isCertain(variable) {
      // Error codes with their messages: `{ wrongPassword = "the password is wrong" }`.
      let isCode = ErrorCode(rawValue: variable) != nil || ServerError(rawValue: variable) != nil
      return !errorNames.contains(value.lowercased()) && !(isCode && value.contains(" "))
    }
    let name = singular(variable)
    guard vague.contains(name) else { return false }
    return almostCertain.contains(name) && !["yes", "no"].contains(value.lowercased())
      || isSecret(value, under: name) || isHidden(value, inField: name)
  }

  /// Whether a name is about a secret but does not contain one: `forgotPassword`.
  private static func isAbout(_ variable: String) -> Bool {
    let words = words(of: variable)
    return words.count > 1 && firstWords.contains(words[0])
  }

  /// Whether a number in a variable or field of source code is a secret: a PIN or a code.
  public static func mayHoldNumber(_ variable: String) -> Bool {
    let name = singular(variable)
    return ["pin", "otp", "totp"].contains(name) || name.hasSuffix("code")
      || isCertain(variable) && !isNameOfSecrets(variable)
  }

  /// Removes digits at the end and the plural `s` of a name.
  private static func singular(_ variable: String) -> String {
    var variable = variable
    while let last = variable.last, last.isNumber || last == "_" { variable.removeLast() }
    var name = core(variable)
    while let last = name.last, last.isNumber { name.removeLast() }
    if name.hasSuffix("s"), !names.contains(name), name.utf8.count > 4 { name.removeLast() }
    return name
  }

  /// Whether a value is more than a word: it has a digit, or is very long.
  public static func looksRandom(_ value: String) -> Bool {
    value.utf8.count >= 20
      || value.utf8.count >= 6 && value.utf8.contains { $0.isDigit }
  }

  /// Words too common to be masked, even if someone uses them as a password.
  private static func isCommon(_ value: String) -> Bool {
    let value = value.lowercased()
    return ["true", "false", "null", "none"].contains(value) || names.contains(value)
      || endings.contains(value) || errorNames.contains(value)
  }

  /// Names of errors.
  ///
  /// Many end with `Password` or `Token`, and each is a value under its own name in
  /// `Auth.ErrorCode`.
  private static let errorNames: Set<String> = Set(
    ErrorCode.allCases.flatMap { [$0.rawValue.lowercased(), $0.webCode] }
      + ServerError.allCases.map { $0.rawValue.lowercased() })

  private static func plain(_ name: String) -> String {
    String(
      decoding: name.utf8.lazy.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        .map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
