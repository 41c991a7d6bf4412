internal import Synchronization

/// Which fields, parameters, headers and variables hold secrets, by their names.
public enum SecretNames {
  /// In lower case and without hyphens and underscores, as `idToken` and `id_token` are one name.
  private static let names: Set<String> = {
    var names: Set<String> = [
      "clientassertion", "codeverifier", "codechallenge", "devicecode", "usercode", "state",
      "nonce", "samlrequest", "samlresponse", "relaystate", "session", "sid", "sessionstate",
      "sessionkey", "key", "apikey", "xgoogapikey", "xapikey", "passwd", "pwd", "pass", "passcode",
      "passphrase", "pin", "otp", "totp", "assertion", "authorization", "proxyauthorization",
      "xfirebaseappcheck", "setcookie", "csrf", "xsrf", "credential", "privatekey", "signature",
      "credentials", "recoverycode", "mfacode", "smscode", "password2", "pw", "secretanswer",
      "secretaccesskey", "accesskey", "bearer", "jwt", "ticket", "sig", "xcsrf", "xsessionid",
      "xsignature", "ocpapimsubscriptionkey", "xauth", "xauthkey",
    ]
    for name in Redaction.secretKeys where !addresses.contains(name) { names.insert(plain(name)) }
    return names
  }()

  /// Members that hold addresses: what is secret in those are parameters.
  private static let addresses: Set<String> = ["authUri", "oobLink"]

  private static let endings = [
    "token", "secret", "password", "cookie", "privatekey", "apikey", "passcode", "sharedkey",
    "secretkey", "passwort", "kennwort",
  ]

  /// Names of one word that end longer names as well: `adaPass`, `ada_pw`, `X-Amz-Signature`.
  private static let lastWords: Set<String> = [
    "pass", "passwd", "passphrase", "pw", "pwd", "pin", "otp", "totp", "jwt", "bearer", "signature",
    "sig", "credential",
  ]

  /// What makes a code one that signs in or confirms, in lower case: `resetCode`, but not `exitCode`.
  private static let codes: Set<String> = [
    "reset", "action", "backup", "recovery", "oob", "verification", "confirmation", "sms", "mfa",
    "otp", "totp", "auth", "authorization", "access", "security", "login", "time", "in",
    "invite", "pairing", "pin", "factor", "unlock", "email", "phone",
  ]

  /// What makes a name one about a secret: `forgotPassword`, `hasToken`, `maxPasswords`.
  private static let firstWords: Set<String> = [
    "forgot", "forgotten", "has", "is", "max", "min", "show", "hide", "require", "requires",
    "needs",
    "allow", "allows", "use", "uses", "with", "without", "can", "should",
  ]

  /// Names whose values may be any word: those count as secrets only where they stand, and elsewhere
  /// when they look like it.
  private static let vague: Set<String> = [
    "code", "state", "token", "key", "nonce", "session", "sid", "pin", "salt", "secret", "pass",
    "credential", "signature", "sessionstate", "credentials", "pw", "bearer", "jwt", "ticket",
    "sig", "accesskey", "assertion",
  ]

  /// Those of the vague names under which a word of some length is a secret, where it stands in a table.
  private static let mostlySecret: Set<String> = [
    "token", "bearer", "jwt", "accesskey", "secret", "pass", "pin", "pw",
  ]

  /// A shorter word under a name that is mostly one of secrets may be any: `{ pass = "yes" }`.
  private static let shortestWord = 8

  /// Whether what stands under the name must not be shown.
  public static func holdSecrets(_ name: String) -> Bool {
    // The same few names come with every exchange.
    if let known = judged.withLock({ $0[name] }) { return known }
    let answer = judge(name)
    judged.withLock { if $0.count < 1000 { $0[name] = answer } }
    return answer
  }

  private static let judged = Mutex<[String: Bool]>([:])

  private static func judge(_ name: String) -> Bool {
    let plain = core(name)
    if names.contains(plain) { return true }
    if endings.contains(where: { plain.hasSuffix($0) }) { return !isAbout(name) }
    // `user[password]` and `password[new]` of forms, `user.password` of options.
    let parts = name.split { "[].".contains($0) }.map(String.init)
    return parts.count > 1 && parts.contains(where: judge)
  }

  /// The words of a name in lower case: `ada`, `pw` of `ada_pw`, `adaPw` and `ADA_PW`.
  private static func words(of name: String) -> [String] {
    var words: [[UInt8]] = [[]]
    var last: UInt8 = 0
    for byte in name.utf8 {
      let isUpper = (0x41...0x5A).contains(byte)
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      if !isLetter || isUpper && (0x61...0x7A).contains(last) { words.append([]) }
      if isLetter { words[words.count - 1].append(byte | 0x20) }
      last = byte
    }
    return words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The name that decides: `pw` of `adaPw`, `verificationcode` of `smsResetCode`, or else all of it.
  private static func core(_ name: String) -> String {
    let whole = plain(name)
    guard !names.contains(whole) else { return whole }
    let words = words(of: name)
    guard words.count > 1, let last = words.last, !isAbout(name) else { return whole }
    if lastWords.contains(last) { return last }
    let isCode = last == "code" && codes.contains(words[words.count - 2])
    return isCode ? "verificationcode" : whole
  }

  /// Whether a value that stands under such a name must not be shown anywhere else either.
  public static func isSecret(_ value: String, under name: String) -> Bool {
    guard value.utf8.count >= SecretBook.shortest, !isCommon(value) else { return false }
    // `{ wrongPassword = "the password is wrong" }` maps error codes to messages.
    if value.contains(" "), ErrorCode(rawValue: name) != nil { return false }
    return !vague.contains(core(name)) || looksRandom(value)
  }

  /// Whether a value must not be shown where it stands as a table's field, though elsewhere it may be a word.
  public static func isHidden(_ value: String, inField name: String) -> Bool {
    mostlySecret.contains(core(name)) && value.utf8.count >= shortestWord && !value.contains(" ")
  }

  /// Whether what stands under such a name may be any word.
  public static func isVague(_ name: String) -> Bool { vague.contains(core(name)) }

  /// Whether people use the name for other things in what they write: `ticket: JIRA-1`.
  public static func isAnyWord(_ name: String) -> Bool {
    ["state", "session", "ticket", "key", "sid"].contains(plain(name))
  }

  // MARK: Variables

  /// Ends of names of variables that are about a secret and hold none: `passwordField`.
  private static let harmlessEndings = [
    "field", "label", "hint", "url", "uri", "endpoint", "policy", "name", "type", "error",
    "message", "page", "length", "selector", "input", "button", "variable", "file", "path", "id",
    "kind", "count", "rule", "rules", "hash", "reset", "updatedat",
  ]

  /// The names of a vague kind under which source code has hardly anything but secrets.
  private static let almostCertain: Set<String> = [
    "secret", "pass", "pw", "pin", "bearer", "jwt", "accesskey",
  ]

  /// Whether whatever a variable or field of source code holds is a secret.
  public static func isCertain(_ variable: String) -> Bool {
    guard !isAbout(variable) else { return false }
    let name = singular(variable)
    if holdSecrets(name) { return !vague.contains(name) }
    return ["password", "passwd", "passphrase"].contains { name.contains($0) }
      && !harmlessEndings.contains { name.hasSuffix($0) }
  }

  /// Whether a variable or field of source code mostly holds a secret.
  public static func isNameOfSecret(_ variable: String) -> Bool {
    isCertain(variable) || mostlySecret.contains(singular(variable))
  }

  /// Whether the name is one of many secrets: `passwords`.
  public static func isNameOfSecrets(_ variable: String) -> Bool {
    plain(variable).hasSuffix("s") && isNameOfSecret(variable)
  }

  /// Whether a text in source code is a secret because of the variable or field that gets it.
  public static func isSecret(_ value: String, inVariable variable: String) -> Bool {
    if isCertain(variable) {
      // Codes of errors and their messages: `{ wrongPassword = "the password is wrong" }`.
      let isCode = ErrorCode(rawValue: variable) != nil || ServerError(rawValue: variable) != nil
      return !errorNames.contains(value.lowercased()) && !(isCode && value.contains(" "))
    }
    let name = singular(variable)
    guard vague.contains(name) else { return false }
    return almostCertain.contains(name) && !["yes", "no"].contains(value.lowercased())
      || isSecret(value, under: name) || isHidden(value, inField: name)
  }

  /// Whether a variable or field is about a secret, and holds none: `forgotPassword`.
  private static func isAbout(_ variable: String) -> Bool {
    let words = words(of: variable)
    return words.count > 1 && firstWords.contains(words[0])
  }

  /// Whether a number that a variable or field of source code holds is a secret: a PIN or a code.
  public static func mayHoldNumber(_ variable: String) -> Bool {
    let name = singular(variable)
    return ["pin", "otp", "totp"].contains(name) || name.hasSuffix("code")
      || isCertain(variable) && !isNameOfSecrets(variable)
  }

  /// A name without digits at its end and without the `s` of many.
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
      || value.utf8.count >= 6 && value.utf8.contains { (0x30...0x39).contains($0) }
  }

  /// Words that stand in every other message, whoever takes them for a password.
  private static func isCommon(_ value: String) -> Bool {
    let value = value.lowercased()
    return ["true", "false", "null", "none"].contains(value) || names.contains(value)
      || endings.contains(value) || errorNames.contains(value)
  }

  /// The names of errors: many end with `Password` or `Token`, and each is a value under itself in
  /// `Auth.ErrorCode`.
  private static let errorNames: Set<String> = Set(
    ErrorCode.allCases.map { $0.rawValue.lowercased() }
      + ServerError.allCases.map { $0.rawValue.lowercased() })

  private static func plain(_ name: String) -> String {
    String(
      decoding: name.utf8.lazy.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        .map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
