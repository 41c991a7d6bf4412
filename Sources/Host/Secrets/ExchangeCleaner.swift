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
  typealias KnownSecret = (value: String, kind: SecretKind)

  /// Larger bodies are neither read nor shown.
  private static let readableBytes = 1 << 20
  private static let shownBytes = 64 << 10

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
  /// How secrets are replaced; nil to show values under secret names.
  private let style: SecretLabels.Style?
  private var isAnswer = false
  private var secrets: [KnownSecret] = []
  private var seen = SeenValues()
  /// The tokens, decoded and cleaned.
  public private(set) var tokens: [Token] = []

  /// Prepares to clean an exchange.
  ///
  /// - Parameters:
  ///   - isBrowser: Whether the browser sent it, so that any field may be an answer to a page.
  ///   - style: How secrets are replaced; nil to show values under secret names.
  public init(_ masker: SecretMasker, isBrowser: Bool, as style: SecretLabels.Style? = .numbered) {
    self.init(masker: masker, isBrowser: isBrowser, style: style)
  }

  private init(masker: SecretMasker?, isBrowser: Bool, style: SecretLabels.Style? = .numbered) {
    self.masker = masker
    self.isBrowser = isBrowser
    self.style = style
  }

  /// Returns the secrets of a JSON value.
  static func secrets(of json: JSON) -> [KnownSecret] {
    var reader = ExchangeCleaner(masker: nil, isBrowser: false)
    _ = reader.json(json)
    return reader.secrets
  }

  /// Returns the secrets of an exchange.
  ///
  /// - Parameter seen: Values that were read before; what is read here is added to it.
  static func secrets(of exchange: ObservedExchange, seen: inout SeenValues) -> [KnownSecret] {
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

  /// Records a value that must not be shown anywhere else either, and returns its label.
  private mutating func hide(_ value: String, _ kind: SecretKind) -> String {
    if masker == nil { secrets.append((value, kind)) }
    return label(value, kind)
  }

  /// What is shown for a secret.
  private func label(_ value: String, _ kind: SecretKind) -> String {
    guard let masker else { return "" }
    return style.map { masker.label(value, kind: kind, as: $0) } ?? masker.clean(value)
  }

  private func clean(_ text: String, keepsTokens: Bool = false) -> String {
    masker?.clean(text, keepsTokens: keepsTokens, as: style ?? .numbered) ?? text
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
    // It was found by its value before the text was parsed.
    if masker != nil, SecretLabels.isLabel(value) { return value }
    if name == "postBody" { return form(value) }
    if TokenShape.isToken(value) {
      add(value, name)
      return hide(value, Self.kind(ofToken: value, under: name))
    }
    if SecretNames.holdSecrets(name), !value.isEmpty, masker == nil || style != nil,
      style != .kind || !SecretNames.isErrorName(value, under: name)
    {
      let kind = SecretNames.kind(of: name)
      // It may contain other secrets, such as a form with a token.
      if masker == nil { _ = text(value) }
      return masker != nil || SecretNames.isSecret(value, under: name) ? hide(value, kind) : ""
    }
    // Elsewhere than in a field it may be a sentence, so it is masked, but not collected.
    if isBrowser, isField || masker != nil, !Self.shownFields.contains(name.lowercased()),
      SecretNames.looksRandom(value), !Self.isAddress(value)
    {
      return hide(value, .value)
    }
    return text(value)
  }

  /// Whether a value is an absolute URL, or a relative one with parameters.
  private static func isAddress(_ value: String) -> Bool {
    value.contains("://") || value.hasPrefix("/") && AddressParts(value) != nil
  }

  /// The kind of a JWT, by its name if that says more than its claims.
  private static func kind(ofToken token: String, under name: String) -> SecretKind {
    let kind = SecretNames.kind(of: name)
    let isSaid = ![.secret, .token, .accessToken].contains(kind) || name.contains("ccess")
    return isSaid ? kind : TokenShape.kind(token)
  }

  /// Cleans any text; in a URL, parameter names stay.
  private mutating func text(_ text: String) -> String {
    if let json = JSON.structure(text) { return encoded(json) }
    // A label that replaced a secret before may contain blanks.
    let bare = masker == nil ? text : SecretLabels.replacing(in: text, by: "x", orKinds: true)
    guard let parts = AddressParts(bare),
      let cut = masker == nil ? parts : AddressParts(clean(text, keepsTokens: true), isClean: true)
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
    return masker == nil ? "" : SecretLabels.readable(FormFields(shown).encoded)
  }

  private mutating func encoded(_ json: JSON) -> String {
    let shown = self.json(json, under: "")
    return masker == nil ? "" : shown.encoded()
  }

  /// Cleans JSON, or collects its secrets.
  mutating func json(_ json: JSON) -> JSON { self.json(json, under: "") }

  private mutating func json(_ json: JSON, under name: String) -> JSON {
    switch json {
    case .object(let object):
      // `{ "name": "Authorization", "value": "…" }` in HAR files.
      let named = (object["name"] ?? object["key"])?.string
      let members = object.entries.map { key, value in
        guard key == "value", let named, SecretNames.holdSecrets(named), let text = value.string
        else { return (key, self.json(value, under: key)) }
        return (key, .string(header(named, text)))
      }
      return masker == nil ? json : .object(JSONObject(members))
    case .array(let members): return .array(members.map { self.json($0, under: name) })
    case .string(let text): return .string(value(text, under: name))
    // `code` is a secret name (one-time codes), but small numbers under it are error codes.
    case .integer(let number):
      let isError = name == "code" && number.magnitude < 1000
      let isSecret = SecretNames.holdSecrets(name) && !isError && style != nil
      return isSecret ? .string(label(String(number), SecretNames.kind(of: name))) : json
    default: return json
    }
  }

  /// Cleans a text of unknown format.
  private mutating func loose(_ text: String) -> String {
    if let masker {
      guard let style else { return clean(text) }
      return masker.clean(text, as: .body, in: style)
    }
    for (name, value) in LooseFields(text).pairs
    where SecretNames.isSecret(value, under: name) || TokenShape.isToken(value) {
      // A hidden field of HTML may also have an ordinary word.
      if name == "hidden", !SecretNames.looksRandom(value) { continue }
      secrets.append((value, SecretNames.kind(of: name)))
    }
    return ""
  }

  private mutating func add(_ value: String, _ kind: String) {
    guard let masker, let token = TokenShape.read(value) else { return }
    var cleaner = ExchangeCleaner(masker, isBrowser: false, as: style)
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
      let isSecret = SecretNames.holdSecrets(name) && style != nil
      return isSecret ? label(value, SecretNames.kind(of: name)) : text(value)
    }
  }

  private mutating func cookie(_ pair: Substring) -> String {
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      return label(String(pair), .cookie)
    }
    let value = String(pair[equals...].dropFirst())
    let isCollected = masker != nil || SecretNames.looksRandom(value)
    return pair[..<equals] + "=" + (isCollected ? hide(value, .cookie) : "")
  }

  private mutating func authorization(_ value: String, under name: String) -> String {
    let words = value.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return hide(value, .credential) }
    add(words[1], name)
    let isToken = TokenShape.isToken(words[1])
    let isBearer = words[0].lowercased() == "bearer"
    if words[0].lowercased() == "basic", let bytes = Base64.decodeAnyAlphabet(words[1]) {
      // User name and password, percent-encoded by OAuth clients (RFC 6749 section 2.3.1).
      let password = String(
        decoding: bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self)
      if masker == nil {
        _ = hide(password, .password)
        if let plain = PercentEncoding.decode(password), plain != password {
          _ = hide(plain, .password)
        }
      }
    }
    let kind = isToken ? TokenShape.kind(words[1]) : isBearer ? .accessToken : .credential
    return "\(words[0]) \(hide(words[1], kind))"
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
      let page = style == nil ? nil : ShownPage.html(bytes, type: type ?? "text/html")
      return page.map { SecretLabels.readable(clean($0)) }
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
