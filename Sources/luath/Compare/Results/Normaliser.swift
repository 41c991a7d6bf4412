import HTTP
import Host
import OIDC
import System

/// Rewrites responses so that those of two servers, or of two runs, can be compared.
///
/// Generated values become the placeholders of the conformance corpus. `<uid:1>` is the same account throughout a
/// scenario.
struct Normaliser {
  /// Texts that differ from run to run, with their replacements.
  let texts: [(text: String, symbol: String)]
  let projectID: String
  let key: String
  private var symbols: [(value: String, symbol: String)] = []
  private var counts: [String: Int] = [:]

  /// The seconds by which the server's clock is ahead.
  var secondsAhead: Int64
  /// When the scenario began by the server's clock, in seconds since 1970.
  private let began: Int64

  /// Times within this many seconds of the scenario are considered generated.
  private static let near: Int64 = 3600

  init(
    projectID: String, key: String, texts: [(text: String, symbol: String)], secondsAhead: Int64
  ) {
    self.secondsAhead = secondsAhead
    began = Timestamp.now / 1000 + secondsAhead
    self.projectID = projectID
    self.key = key
    self.texts = texts
  }

  /// The document with placeholders.
  mutating func normalise(_ document: JSON, unordered: [String] = []) -> JSON {
    var document = open(document, "")
    for path in unordered {
      document = sorting(document, path.split(separator: ".").map(String.init))
    }
    meet(document, "")
    return close(document, "")
  }

  // MARK: Decoding

  private func open(_ value: JSON, _ key: String) -> JSON {
    switch value {
    case .object(let object):
      return .object(JSONObject(object.entries.map { ($0.key, open($0.value, $0.key)) }))
    case .array(let items): return .array(items.map { open($0, key) })
    case .string(let text):
      if GeneratedValue.tokens.contains(key), let token = Self.token(text) {
        return open(token, "")
      }
      if GeneratedValue.links.contains(key), let link = Self.link(text) { return link }
      if GeneratedValue.jsonTexts.contains(key), let json = try? JSON.parse(text) {
        return ["$json": json]
      }
      return value
    default: return value
    }
  }

  private static func token(_ text: String) -> JSON? {
    guard let token = try? JWT(decoding: text) else { return nil }
    var claims = token.claims
    if let issued = claims["iat"]?.integer, let end = claims["exp"]?.integer {
      claims["exp"] = .string("<iat+\(end - issued)>")
    }
    var parts: JSONObject = ["header": .object(token.header), "claims": .object(claims)]
    if text.utf8.last != UInt8(ascii: ".") { parts["signed"] = true }
    return ["$jwt": .object(parts)]
  }

  private static func link(_ text: String) -> JSON? {
    guard let url = WebURL(text) else { return nil }
    var link: JSONObject = ["to": .string(url.origin + url.path)]
    var query = JSONObject()
    for pair in url.fields.pairs { query[pair.name] = .string(pair.value) }
    if !query.isEmpty { link["query"] = .object(query) }
    if let fragment = url.fragment { link["fragment"] = .string(fragment) }
    return ["$link": .object(link)]
  }

  /// The document with the array at a path in an order that does not depend on the server.
  private func sorting(_ document: JSON, _ path: [String]) -> JSON {
    guard let first = path.first else {
      guard case .array(let rows) = document else { return document }
      let keyed = rows.map { ($0, masked($0, "").encoded(sortedKeys: true)) }
      return .array(keyed.sorted { $0.1 < $1.1 }.map(\.0))
    }
    guard var object = document.object, let member = object[first] else { return document }
    object[first] = sorting(member, Array(path.dropFirst()))
    return .object(object)
  }

  /// The value without ids that have no placeholder yet.
  private func masked(_ value: JSON, _ key: String) -> JSON {
    switch value {
    case .object(let object):
      return .object(JSONObject(object.entries.map { ($0.key, masked($0.value, $0.key)) }))
    case .array(let items): return .array(items.map { masked($0, key) })
    case .string(let text) where isNew(text, key): return "?"
    default: return close(value, key)
    }
  }

  // MARK: Numbering ids, in the order of sorted keys

  private func isNew(_ text: String, _ key: String) -> Bool {
    GeneratedValue.kind(of: text, under: key) != nil && !symbols.contains { $0.value == text }
  }

  private mutating func meet(_ value: JSON, _ key: String) {
    switch value {
    case .object(let object):
      for entry in object.entries.sorted(by: { $0.key < $1.key }) {
        meet(entry.value, entry.key)
        // A tenant's `name` ends with its id.
        if entry.key == "name", let name = entry.value.string, name.contains("/tenants/"),
          let id = name.split(separator: "/").last
        {
          meet(.string(String(id)), "tenantId")
        }
      }
    case .array(let items): for item in items { meet(item, key) }
    case .string(let text):
      guard isNew(text, key), let kind = GeneratedValue.kind(of: text, under: key) else { return }
      let number = counts[kind, default: 0] + 1
      counts[kind] = number
      symbols.append((text, "<\(kind):\(number)>"))
      if kind == "uid" {
        symbols.append((Base64.encode(Array(text.utf8)), "<base64 \(kind):\(number)>"))
      }
    default: return
    }
  }

  // MARK: Writing placeholders

  private func close(_ value: JSON, _ key: String) -> JSON {
    switch value {
    case .object(let object):
      return .object(
        JSONObject(object.entries.map { (plain($0.key), close($0.value, $0.key)) }))
    case .array(let items): return .array(items.map { close($0, key) })
    case .integer(let number): return clock(number, "#").map(JSON.string) ?? value
    case .string(let text): return .string(close(text, key))
    default: return value
    }
  }

  private func close(_ text: String, _ key: String) -> String {
    if let known = symbols.first(where: { $0.value == text }) { return known.symbol }
    if let sealed = GeneratedValue.sealed(text, under: key) { return sealed }
    let isNumber = !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
    if key == "code", isNumber, text.utf8.count == 6 { return "<smsCode>" }
    if key == "projectId" || key == "project_id", isNumber { return "<number>" }
    if isNumber, let number = Int64(text), let time = clock(number, "") { return time }
    if text.hasSuffix("Z"), let seconds = Timestamp.seconds(of: text), isNear(seconds) {
      return "<iso>"
    }
    return plain(text)
  }

  private func clock(_ number: Int64, _ suffix: String) -> String? {
    if isNear(number) { return "<seconds\(suffix)>" }
    return isNear(number / 1000) ? "<millis\(suffix)>" : nil
  }

  private func isNear(_ seconds: Int64) -> Bool {
    (began - Self.near...Timestamp.now / 1000 + secondsAhead + Self.near).contains(seconds)
  }

  /// A text with placeholders for ids, the project and the run.
  private func plain(_ text: String) -> String {
    var text = text
    for (value, symbol) in symbols where text.contains(value) {
      text = text.replacing(value, with: symbol)
    }
    for (value, symbol) in texts where text.contains(value) {
      text = text.replacing(value, with: symbol)
    }
    text = Self.withoutSalt(text)
    text.replace(/^projects\/\d{9,14}(?=\/)/, with: "projects/<number>")
    text = Self.replacing(key, in: text, with: RunName.shownKey)
    return Self.replacing(projectID, in: text, with: "<project>")
  }

  /// The text with all occurrences of a name replaced that are whole words or parts of a host name.
  private static func replacing(_ name: String, in text: String, with symbol: String) -> String {
    guard !name.isEmpty, text.contains(name) else { return text }
    func isWord(_ character: Character?) -> Bool {
      character.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false
    }
    var result = ""
    var rest = text[...]
    while let found = rest.firstRange(of: name) {
      let isPart =
        isWord(text[..<found.lowerBound].last) || isWord(text[found.upperBound...].first)
      result += rest[..<found.lowerBound] + (isPart ? name : symbol)
      rest = rest[found.upperBound...]
    }
    return result + rest
  }

  /// The hash format of Firebase's emulator, without its random part.
  private static func withoutSalt(_ text: String) -> String {
    guard text.contains("fakeSalt") else { return text }
    return text.replacing(/fakeSalt[A-Za-z0-9]{20}/, with: "<salt>")
  }
}

/// The formats of values that servers generate, by member name.
enum GeneratedValue {
  /// The kind of a generated id in a member of this name; nil for other values.
  static func kind(of value: String, under key: String) -> String? {
    switch key {
    case "localId", "user_id", "sub", "uid": isID(value) ? "uid" : nil
    case "mfaEnrollmentId", "second_factor_identifier":
      isID(value) || isUUID(value) ? "factor" : nil
    case "tenantId", "tenant", "tenant_id": isID(value) || isTenantName(value) ? "tenant" : nil
    case "oobCode": isOpaque(value) ? "oobCode" : nil
    case "temporaryProof": isOpaque(value) ? "temporaryProof" : nil
    case "sessionId": value.utf8.count == 27 && isAlphanumeric(value) ? "sessionId" : nil
    default: nil
    }
  }

  /// The placeholder for an opaque value, of which only the presence is compared.
  static func sealed(_ value: String, under key: String) -> String? {
    guard value.utf8.count >= 16 else { return nil }
    return switch key {
    case "refreshToken", "refresh_token": "<refreshToken>"
    case "mfaPendingCredential": "<mfaPendingCredential>"
    case "challenge": "<challenge>"
    case "sharedSecretKey": "<secret>"
    case "sessionInfo": "<sessionInfo>"
    // `n` is the modulus of a public key.
    case "pendingToken", "n": "<text>"
    case "salt" where !value.hasPrefix("fakeSalt"): "<bytes>"
    case "signerKey": "<bytes>"
    case "kid": "<kid>"
    // Google's servers send every caller this text instead of the hash: REDACTED in base64.
    case "passwordHash" where value != "UkVEQUNURUQ=": "<hash>"
    default: nil
    }
  }

  /// The members with tokens, whose claims are compared.
  static let tokens: Set = ["idToken", "id_token", "access_token", "sessionCookie", "jwt"]
  /// The members with URLs.
  static let links: Set = ["oobLink", "urlTemplate", "location", "authUri"]
  /// The members with JSON as text.
  static let jsonTexts: Set = ["rawUserInfo", "raw_user_info"]

  private static func isID(_ value: String) -> Bool {
    value.utf8.count == 28 && isAlphanumeric(value)
  }

  private static func isUUID(_ value: String) -> Bool {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.joined().utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
  }

  /// Whether it is a display name followed by five random characters.
  private static func isTenantName(_ value: String) -> Bool {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last, last.utf8.count == 5 else { return false }
    return (10...26).contains(value.utf8.count)
      && value.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D }
  }

  private static func isOpaque(_ value: String) -> Bool {
    value.utf8.count >= 16
      && value.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isAlphanumeric(_ value: String) -> Bool {
    value.utf8.allSatisfy(\.isLetterOrDigit)
  }
}
