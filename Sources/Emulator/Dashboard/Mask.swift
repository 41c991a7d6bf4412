internal import System
internal import IdentityToolkit

/// Replaces all secrets in a request or response before it is shown.
///
/// Strings are shown only under keys that are known to be harmless, so that a secret in an unexpected place stays
/// hidden. A hidden value is also hidden in messages of the same exchange.
struct Mask {
  static let dots = "•••"

  /// Keys with harmless strings, in lowercase.
  private static let harmless: Set<String> = [
    "action", "alg", "algorithm", "appname", "audience", "auth_time", "authdomain", "aud",
    "canhandlecodeinapp",
    "clienttype", "config", "continueurl", "createdat", "creationtime", "customattributes",
    "dateofbirth", "deleteattribute", "deleteprovider", "displayname", "disabled", "domain",
    "email",
    "emailverified", "enabledproviders", "enrolledat", "error_uri", "event", "exp", "expiresin",
    "expires_in", "family_name", "federatedid", "firstname", "fullname", "given_name", "grant_type",
    "hashalgorithm", "hd", "iat", "identifier", "idpconfigid", "iss", "issuer", "kid", "kind",
    "lang",
    "language", "lastlogin", "lastloginat", "lastname", "lastrefreshat", "limit", "locale",
    "localid",
    "location", "locationtype", "maxresults", "mfaenrollmentid", "mode", "name", "nbf", "newemail",
    "nickname", "offset", "oid", "operation", "order", "originalemail", "parent",
    "passwordupdatedat",
    "phoneinfo", "phonenumber", "phone_number", "photourl", "picture", "project_id", "projectid",
    "provider", "provider_id", "providerid", "rawid", "reason", "recordscount", "requesttype", "rp",
    "screenname", "scope", "sign_in_provider", "sign_in_second_factor", "signinmethods",
    "signinprovider",
    "sortby", "status", "sub", "targetprojectid", "tenant", "tenantid", "test", "tid",
    "timezone", "token_type", "typ", "type", "uid", "updatemask", "updatetime", "user_id", "userid",
    "validsince", "verifiedprovider", "@type", "upn", "unobfuscatedphoneinfo", "allproviders",
    "authorizeddomains", "usagemode", "subtype", "passwordpolicyenforcementstate",
  ]

  /// More substrings of keys that mark a value of any kind as secret; these are secret in this API only.
  private static let telling = [
    "code", "proof", "session", "link", "verifier", "challenge", "signerkey", "certificate",
    "receipt", "postbody", "requesturi", "authuri",
  ]

  /// Keys with messages, in which only known secrets and tokens are hidden.
  private static let sentences: Set<String> = [
    "message", "error", "error_description", "errormessage",
  ]

  private var hidden: Set<ExactString> = []

  mutating func cover(_ value: JSON) -> JSON { cover(value, under: "") }

  /// Records the secrets of another value, so that no message repeats them.
  mutating func learn(from value: JSON) { _ = cover(value) }

  private mutating func cover(_ value: JSON, under key: String) -> JSON {
    switch value {
    case .object(let object):
      var covered = JSONObject()
      for (name, member) in object.entries {
        let lower = name.asciiLowercased
        covered[shown(name: name)] =
          Self.isTelling(name, lower) ? hide(member) : cover(member, under: lower)
      }
      return .object(covered)
    case .array(let items): return .array(items.map { cover($0, under: key) })
    case .string(let text):
      if Self.sentences.contains(key) { return .string(sentence(text)) }
      guard Self.harmless.contains(key) || text.isEmpty else { return hide(value) }
      return .string(Self.withoutTokens(text))
    case .null, .bool, .integer, .number: return value
    }
  }

  private static func isTelling(_ name: String, _ lower: String) -> Bool {
    guard !harmless.contains(lower), !sentences.contains(lower) else { return false }
    return SecretNames.mayHoldSecrets(name) || telling.contains { lower.contains($0) }
  }

  /// Hides a value and everything in it.
  private mutating func hide(_ value: JSON) -> JSON {
    switch value {
    case .string(let text):
      if text.utf8.count >= 4 { hidden.insert(ExactString(text)) }
      return text.isEmpty ? value : .string(Self.dots)
    case .integer(let number):
      // Such a number beside an error is its HTTP status; no code is that short.
      guard !(400...599).contains(number) else { return value }
      if number > 999 { hidden.insert(ExactString(String(number))) }
      return .string(Self.dots)
    case .number: return .string(Self.dots)
    case .null, .bool: return value
    case .array(let items): return .array(items.map { hide($0) })
    case .object(let object):
      return .object(JSONObject(object.entries.map { (shown(name: $0.key), hide($0.value)) }))
    }
  }

  /// The name of a member; a long name may be a token, so it is replaced like one.
  private func shown(name: String) -> String { Self.withoutTokens(name) }

  /// A message without recorded secrets and anything that looks like a token.
  func sentence(_ text: String) -> String {
    let masker = SecretMasker(hidden.map(\.string), insideWords: true)
    return Self.withoutTokens(masker.clean(text, mask: Self.dots))
  }

  /// Replaces words longer than any id, and the values of query parameters.
  static func withoutTokens(_ text: String) -> String {
    guard text.utf8.count > 40 || text.utf8.contains(UInt8(ascii: "=")) else { return text }
    var result: [UInt8] = []
    var word: [UInt8] = []
    var isValue = false
    func flush() {
      if isValue ? !word.isEmpty : word.count > 40 {
        result += Array(dots.utf8)
      } else {
        result += word
      }
      word = []
    }
    for byte in text.utf8 {
      if isWordByte(byte) {
        word.append(byte)
        continue
      }
      flush()
      isValue = byte == UInt8(ascii: "=")
      result.append(byte)
    }
    flush()
    return String(decoding: result, as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-_.%+".utf8.contains(byte)
  }
}
