public import HTTP
import IdentityToolkit
import SignIn
public import System

/// Finds the secrets of an exchange by the names of their fields: collects them, or masks them for display.
///
/// For display it also keeps names and decodes tokens.
public struct ExchangeCleaner {
  /// A JWT that was sent or received, with the field it stood in.
  public typealias Token = (kind: String, header: JSON, claims: JSON, isInAnswer: Bool)

  /// Larger bodies are neither read nor shown.
  private static let readableBytes = 1 << 20
  private static let shownBytes = 64 << 10
  private static let mask = Redaction.mask

  /// The fields of sign-in pages that are not secret, in lower case.
  ///
  /// Any other field of a page may contain a code or the answer to a question.
  private static let shownFields: Set<String> = [
    "username", "user", "login", "email", "e-mail", "login_hint", "loginfmt", "hint", "account",
    "consent", "scope", "scopes", "response_type", "response_mode", "client_id", "redirect_uri",
    "prompt", "display", "locale", "hl", "lang", "ui_locales", "action", "accept", "deny", "button",
    "submit", "remember", "providerid", "grant_type", "code_challenge_method", "error",
    "error_description", "tenant",
  ]

  /// The secrets of the run so far; nil while secrets are collected, and nothing is shown.
  private let masker: SecretMasker?
  private let isBrowser: Bool
  private var isAnswer = false
  private var secrets: [String] = []
  private var seen = SeenValues()
  /// The tokens, decoded and cleaned.
  public private(set) var tokens: [Token] = []

  /// Prepares to clean an exchange.
  ///
  /// - Parameter isBrowser: Whether the browser sent it, so that any field may be an answer to a page.
  public init(_ masker: SecretMasker, isBrowser: Bool) {
    self.init(masker: masker, isBrowser: isBrowser)
  }

  private init(masker: SecretMasker?, isBrowser: Bool) {
    self.masker = masker
    self.isBrowser = isBrowser
  }

  /// Returns the secrets of an exchange.
  ///
  /// - Parameter seen: Values that were read before; what is read here is added to it.
  static func secrets(of exchange: ObservedExchange, seen: inout SeenValues) -> [String] {
    var reader = ExchangeCleaner(masker: nil, isBrowser: exchange.sender == .browser)
    // Swapped rather than copied.
    swap(&reader.seen, &seen)
    defer { swap(&reader.seen, &seen) }
    let request = exchange.request
    _ = reader.address(request.url)
    _ = reader.headers(request.headers)
    _ = reader.body(request.body, type: request.headers["Content-Type"])
    if case .success(let response) = exchange.result {
      _ = reader.headers(response.headers)
      _ = reader.body(response.body, type: response.headers["Content-Type"])
    }
    return reader.secrets
  }

  /// Switches to the response: tokens found from now on belong to it.
  public mutating func beginAnswer() { isAnswer = true }

  /// Records a value that must not be shown anywhere else either, and returns the mask.
  private mutating func hide(_ value: String) -> String {
    if masker == nil { secrets.append(value) }
    return Self.mask
  }

  private func clean(_ text: String, keepsTokens: Bool = false) -> String {
    masker?.clean(text, keepsTokens: keepsTokens) ?? text
  }

  // MARK: Values

  /// Returns the URL without its secrets.
  public mutating func address(_ url: WebURL) -> String {
    let address = url.description
    if masker != nil { return text(address) }
    // Only its parameters: read as a loose text, the last one would go on into the fragment.
    guard seen.isNew(address, under: isBrowser ? "?" : ""), let parts = AddressParts(address) else {
      return ""
    }
    for (_, fields) in parts.parameters { _ = encoded(fields) }
    return ""
  }

  private mutating func value(
    _ value: String, under name: String, isField: Bool = false
  ) -> String {
    guard masker != nil || seen.isNew(value, under: isBrowser && isField ? "?\(name)" : name) else {
      return ""
    }
    if name == "postBody" { return form(value) }
    if TokenShape.isToken(value) {
      add(value, name)
      return hide(value)
    }
    if SecretNames.holdSecrets(name), !value.isEmpty {
      if SecretNames.isSecret(value, under: name) { _ = hide(value) }
      // It may contain other secrets, such as a form with a token.
      if masker == nil { _ = text(value) }
      return Self.mask
    }
    // Elsewhere than in a field it may be a sentence, so it is masked, but not collected.
    if isBrowser, isField || masker != nil, !Self.shownFields.contains(name.lowercased()),
      SecretNames.looksRandom(value), !value.contains("://")
    {
      return hide(value)
    }
    return text(value)
  }

  /// Cleans any text; in a URL, parameter names stay.
  private mutating func text(_ text: String) -> String {
    if let json = JSON.structure(text) { return encoded(json) }
    guard let parts = AddressParts(text),
      let cut = masker == nil ? parts : AddressParts(clean(text, keepsTokens: true))
    else { return loose(text) }
    var shown = masker == nil ? loose(text) : clean(cut.place)
    for (mark, fields) in cut.parameters { shown += mark + encoded(fields) }
    return shown
  }

  /// Cleans a form.
  ///
  /// Secrets are removed before and after parsing, because one may span several values or be encoded.
  private mutating func form(_ text: String) -> String {
    encoded(FormFields(parsing: clean(text, keepsTokens: true)))
  }

  private mutating func encoded(_ fields: FormFields) -> String {
    let shown = fields.pairs.map { ($0.name, value($0.value, under: $0.name, isField: true)) }
    return masker == nil ? "" : Self.readable(FormFields(shown).encoded)
  }

  /// Decodes the mask in a URL or form, where its brackets are percent-encoded.
  private static func readable(_ encoded: String) -> String {
    encoded.replacing("%5Bsecret%5D", with: mask)
  }

  private mutating func encoded(_ json: JSON) -> String {
    let shown = self.json(json, under: "")
    return masker == nil ? "" : shown.encoded()
  }

  private mutating func json(_ json: JSON, under name: String) -> JSON {
    switch json {
    case .object(let object):
      let members = object.entries.map { ($0.key, self.json($0.value, under: $0.key)) }
      return masker == nil ? json : .object(JSONObject(members))
    case .array(let members): return .array(members.map { self.json($0, under: name) })
    case .string(let text): return .string(value(text, under: name))
    // `code` is a secret name (one-time codes), but small numbers under it are error codes.
    case .integer(let number):
      let isError = name == "code" && number.magnitude < 1000
      return SecretNames.holdSecrets(name) && !isError ? .string(Self.mask) : json
    default: return json
    }
  }

  /// Cleans a text of unknown format.
  private mutating func loose(_ text: String) -> String {
    if let masker { return LooseFields.masking(masker.clean(text), by: Self.mask) }
    for (name, value) in LooseFields(text).pairs
    where SecretNames.isSecret(value, under: name) || TokenShape.isToken(value) {
      secrets.append(value)
    }
    return ""
  }

  private mutating func add(_ value: String, _ kind: String) {
    guard let masker, let token = TokenShape.read(value) else { return }
    var cleaner = ExchangeCleaner(masker, isBrowser: false)
    let header = cleaner.json(token.header, under: "")
    let claims = cleaner.json(token.claims, under: "")
    // A response often repeats the token of the request.
    let isKnown = tokens.contains { $0.kind == kind && $0.claims == claims }
    if !isKnown { tokens.append((kind, header, claims, isAnswer)) }
  }

  // MARK: Headers

  /// Returns the headers without their secrets.
  public mutating func headers(_ headers: HTTPHeaders) -> [(name: String, value: String)] {
    headers.fields.map { ($0.name, header($0.name, $0.value)) }
  }

  private mutating func header(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "cookie":
      return value.split(separator: ";").map { cookie($0) }.joined(separator: ";")
    case "set-cookie":
      let pair = value.prefix { $0 != ";" }
      return cookie(pair) + clean(String(value[pair.endIndex...]))
    case "authorization", "proxy-authorization": return authorization(value, under: name)
    default:
      if masker == nil { return self.value(value, under: name) }
      return SecretNames.holdSecrets(name) ? Self.mask : text(value)
    }
  }

  private mutating func cookie(_ pair: Substring) -> String {
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return Self.mask }
    let value = String(pair[equals...].dropFirst())
    if SecretNames.looksRandom(value) { _ = hide(value) }
    return pair[..<equals] + "=" + Self.mask
  }

  private mutating func authorization(_ value: String, under name: String) -> String {
    let words = value.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return hide(value) }
    add(words[1], name)
    if words[0].lowercased() == "basic", let bytes = Base64.decodeAnyAlphabet(words[1]) {
      // User name and password, percent-encoded by OAuth clients (RFC 6749 section 2.3.1).
      let password = String(
        decoding: bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self)
      _ = hide(password)
      if let plain = PercentEncoding.decode(password), plain != password { _ = hide(plain) }
    }
    return "\(words[0]) \(hide(words[1]))"
  }

  // MARK: Bodies

  /// Returns a body without its secrets, nil when it cannot be shown, and whether it is not complete.
  public mutating func body(_ bytes: [UInt8], type: String?) -> (text: String?, isCut: Bool) {
    guard !bytes.isEmpty else { return (nil, false) }
    // A cut document cannot be parsed, and what cannot be parsed is not shown.
    guard bytes.count <= Self.readableBytes else { return (nil, true) }
    guard let text = shown(bytes, type) else { return (nil, false) }
    guard text.utf8.count > Self.shownBytes else { return (text, false) }
    return (String(decoding: text.utf8.prefix(Self.shownBytes), as: UTF8.self), true)
  }

  private mutating func shown(_ bytes: [UInt8], _ type: String?) -> String? {
    let kind = BodyKind(type, bytes)
    switch kind {
    case .json, .text:
      // Even if its Content-Type says otherwise.
      if let json = try? JSON.parse(bytes) { return encoded(json) }
      return lines(String(decoding: bytes, as: UTF8.self))
    case .form: return form(String(decoding: bytes, as: UTF8.self))
    case .html:
      // Nothing is collected: values in a page are not marked by names alone.
      guard masker != nil else { return nil }
      return ShownPage.html(bytes, type: type ?? "text/html").map { Self.readable(clean($0)) }
        ?? loose(String(decoding: bytes, as: UTF8.self))
    case .binary: return nil
    }
  }

  /// Cleans lines, each of which may be JSON.
  private mutating func lines(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.contains(where: { JSON.structure($0) != nil }) else { return loose(text) }
    // A field may span lines.
    if masker == nil { _ = loose(text) }
    return lines.map { self.text($0) }.joined(separator: "\n")
  }
}

/// An absolute or relative URL, split before its parameters.
struct AddressParts {
  /// The part before query and fragment.
  let place: String
  /// Query and fragment, each with its leading mark.
  let parameters: [(mark: String, fields: FormFields)]

  /// Fails for a text without parameters, or with white space, which URLs do not have.
  init?(_ text: String) {
    let bytes = text.utf8
    // This check alone rejects tokens, which have no parameters.
    guard bytes.count < 1 << 16, Array(bytes).contains(UInt8(ascii: "=")),
      let cut = bytes.firstIndex(where: { $0 == 0x3F || $0 == 0x23 }),
      bytes[cut...].contains(UInt8(ascii: "=")), !bytes.contains(where: { $0 <= 0x20 })
    else { return nil }
    place = String(text[..<cut])
    let hash = bytes[cut...].firstIndex(of: 0x23) ?? bytes.endIndex
    var parts: [(String, FormFields)] = []
    if cut != hash {
      parts.append(("?", FormFields(parsing: String(text[cut..<hash].dropFirst()))))
    }
    if hash != bytes.endIndex {
      parts.append(("#", FormFields(parsing: String(text[hash...].dropFirst()))))
    }
    parameters = parts
  }
}

/// The kind of a body, for display.
public enum BodyKind {
  case json, form, html, text, binary

  /// Determines the kind by Content-Type, or by content when there is none.
  init(_ type: String?, _ body: [UInt8]) {
    let mime = Self.mimeType(type)
    switch mime {
    case "": self = Self.guess(body)
    case "application/x-www-form-urlencoded": self = .form
    case "text/html", "application/xhtml+xml": self = .html
    case _ where mime.hasSuffix("/json") || mime.hasSuffix("+json"): self = .json
    case _
    where mime.hasPrefix("text/") || mime.hasSuffix("xml") || mime.hasSuffix("jwt")
      || mime.hasSuffix("javascript"):
      self = .text
    default: self = .binary
    }
  }

  private static func guess(_ body: [UInt8]) -> BodyKind {
    switch body.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{")?, UInt8(ascii: "[")?: .json
    case UInt8(ascii: "<")? where isPage(body): .html
    default: body.contains { $0 < 0x09 } ? .binary : .text
    }
  }

  /// Whether it contains an element that distinguishes HTML from other XML.
  private static func isPage(_ body: [UInt8]) -> Bool {
    let text = String(decoding: body, as: UTF8.self).lowercased()
    return ["<html", "<!doctype html", "<form", "<body"].contains { text.contains($0) }
  }

  /// The media type without parameters, in lower case.
  public static func mimeType(_ type: String?) -> String {
    let bytes = (type ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
    return String(
      decoding: bytes.lazy.filter { $0 != 0x20 }.map {
        (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
      },
      as: UTF8.self)
  }
}

extension JSON {
  /// Parses a text that is a JSON object or array; nil for any other text.
  static func structure(_ text: String) -> JSON? {
    let first = text.utf8.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    return try? JSON.parse(Array(text.utf8))
  }
}
