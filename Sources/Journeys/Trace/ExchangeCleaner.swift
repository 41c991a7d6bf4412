import Host
import SignIn
import System
import HTTP
import IdentityToolkit

/// Prepares an exchange for display: masks secrets, keeps names, decodes tokens.
struct ExchangeCleaner {
  private static let shownBytes = 64 << 10
  private static let mask = Redaction.mask

  private let masker: SecretMasker
  private let isBrowser: Bool
  private(set) var tokens: [ExchangeEvent.Token] = []
  private var isAnswer = false

  init(_ masker: SecretMasker, isBrowser: Bool) {
    self.masker = masker
    self.isBrowser = isBrowser
  }

  /// Switches to the response: tokens found from now on belong to it.
  mutating func beginAnswer() { isAnswer = true }

  /// Decodes the mask in a URL or form, where its brackets are percent-encoded.
  private static func readable(_ encoded: String) -> String {
    encoded.replacing("%5Bsecret%5D", with: mask)
  }

  // MARK: URLs

  mutating func address(_ url: WebURL) -> String {
    text(url.description)
  }

  private mutating func parameters(_ fields: FormFields) -> String {
    Self.readable(
      fields.pairs.map { name, value in
        let shown = self.value(value, under: name)
        return PercentEncoding.encode(name) + "=" + PercentEncoding.encode(shown)
      }.joined(separator: "&"))
  }

  private mutating func value(_ value: String, under name: String) -> String {
    if name == "postBody" { return form(value) }
    if let token = TokenShape.read(value) {
      add(token, name)
      return Self.mask
    }
    if SecretNames.holdSecrets(name), !value.isEmpty { return Self.mask }
    if isBrowser, !ShownFields.ofPages.contains(name.lowercased()),
      SecretNames.looksRandom(value), !value.contains("://")
    {
      return Self.mask
    }
    return text(value)
  }

  /// Cleans any text; in a URL, parameter names stay.
  private mutating func text(_ text: String) -> String {
    if let json = JSON.structure(text) { return self.json(json, under: "").encoded() }
    guard AddressParts(text) != nil,
      let cut = AddressParts(masker.clean(text, keepsTokens: true))
    else { return loose(text) }
    var shown = masker.clean(cut.place)
    for (mark, fields) in cut.parameters { shown += mark + parameters(fields) }
    return shown
  }

  /// Cleans a form.
  ///
  /// Secrets are removed before and after parsing, because one may span several values or be encoded.
  private mutating func form(_ text: String) -> String {
    let clean = masker.clean(text, keepsTokens: true)
    return Self.readable(
      FormFields(
        FormFields(parsing: clean).pairs.map { ($0.name, value($0.value, under: $0.name)) }
      ).encoded)
  }

  /// Cleans a text of unknown format.
  private func loose(_ text: String) -> String {
    LooseFields.masking(masker.clean(text), by: Self.mask)
  }

  // MARK: Headers

  mutating func headers(_ headers: HTTPHeaders) -> [(name: String, value: String)] {
    headers.fields.map { ($0.name, header($0.name, $0.value)) }
  }

  private mutating func header(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "cookie":
      return value.split(separator: ";").map { Self.cookie($0) }.joined(separator: ";")
    case "set-cookie":
      let pair = value.prefix { $0 != ";" }
      return Self.cookie(pair) + masker.clean(String(value[pair.endIndex...]))
    case "authorization", "proxy-authorization":
      let words = value.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return Self.mask }
      if let token = TokenShape.read(words[1]) { add(token, name) }
      return "\(words[0]) \(Self.mask)"
    default:
      return SecretNames.holdSecrets(name) ? Self.mask : text(value)
    }
  }

  private static func cookie(_ pair: Substring) -> String {
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return mask }
    return pair[..<equals] + "=" + mask
  }

  // MARK: Bodies

  mutating func body(_ bytes: [UInt8], type: String?) -> ExchangeEvent.Body? {
    guard !bytes.isEmpty else { return nil }
    var body = ExchangeEvent.Body(
      mimeType: BodyKind.mimeType(type), size: bytes.count, text: nil)
    guard bytes.count <= ExchangeSecrets.readableBytes else {
      // A cut document cannot be parsed, and what cannot be parsed is not shown.
      body.isTruncated = true
      return body
    }
    guard let text = shown(bytes, type) else { return body }
    guard text.utf8.count > Self.shownBytes else {
      body.text = text
      return body
    }
    body.isTruncated = true
    body.text = String(decoding: text.utf8.prefix(Self.shownBytes), as: UTF8.self)
    return body
  }

  private mutating func shown(_ bytes: [UInt8], _ type: String?) -> String? {
    switch BodyKind(type, bytes) {
    case .json, .text:
      // Even if its Content-Type says otherwise.
      if let json = try? JSON.parse(bytes) { return self.json(json, under: "").encoded() }
      return lines(Self.text(bytes))
    case .form: return form(Self.text(bytes))
    case .html:
      return ShownPage.html(bytes, type: type ?? "text/html").map {
        Self.readable(masker.clean($0))
      }
        ?? loose(Self.text(bytes))
    case .binary: return nil
    }
  }

  /// Cleans lines, each of which may be JSON.
  private mutating func lines(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.contains(where: { JSON.structure($0) != nil }) else { return loose(text) }
    return lines.map { self.text($0) }.joined(separator: "\n")
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private mutating func json(_ json: JSON, under name: String) -> JSON {
    switch json {
    case .object(let object):
      return .object(
        JSONObject(object.entries.map { ($0.key, self.json($0.value, under: $0.key)) }))
    case .array(let members): return .array(members.map { self.json($0, under: name) })
    case .string(let text): return .string(value(text, under: name))
    // `code` is a secret name (one-time codes), but small numbers under it are error codes.
    case .integer(let number):
      let isError = name == "code" && number.magnitude < 1000
      return SecretNames.holdSecrets(name) && !isError ? .string(Self.mask) : json
    default: return json
    }
  }

  // MARK: Tokens

  private mutating func add(_ token: (header: JSON, claims: JSON), _ kind: String) {
    var cleaner = ExchangeCleaner(masker, isBrowser: false)
    let shown = ExchangeEvent.Token(
      kind: kind, header: cleaner.json(token.header, under: ""),
      claims: cleaner.json(token.claims, under: ""), isInAnswer: isAnswer)
    // A response often repeats the token of the request.
    let isKnown = tokens.contains { $0.kind == kind && $0.claims == shown.claims }
    if !isKnown { tokens.append(shown) }
  }
}
