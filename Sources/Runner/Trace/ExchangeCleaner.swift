import Delegates
import Encoding
import HTTP
import IdentityToolkit
import Scripting

/// Makes what is shown of an exchange: names stay, secrets go, tokens become what they say.
struct ExchangeCleaner {
  private static let shownBytes = 64 << 10
  private static let mask = Redaction.mask

  private let book: SecretBook
  private let isBrowser: Bool
  private(set) var tokens: [ExchangeEvent.Token] = []
  private var isAnswer = false

  init(_ book: SecretBook, isBrowser: Bool) {
    self.book = book
    self.isBrowser = isBrowser
  }

  /// What is cleaned from now on is the answer's.
  mutating func beginAnswer() { isAnswer = true }

  /// The mask in an address or a form as people read it, though its brackets would need escapes there.
  private static func readable(_ encoded: String) -> String {
    encoded.replacing("%5Bsecret%5D", with: mask)
  }

  // MARK: Addresses

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

  /// A value of a parameter or a field.
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

  /// Any text; an address keeps the names of its parameters.
  private mutating func text(_ text: String) -> String {
    if let json = JSON.structure(text) { return self.json(json, under: "").encoded() }
    guard AddressParts(text) != nil,
      let cut = AddressParts(book.clean(text, keepsTokens: true))
    else { return loose(text) }
    var shown = book.clean(cut.place)
    for (mark, fields) in cut.parameters { shown += mark + parameters(fields) }
    return shown
  }

  /// A form, of which a secret may be more than one value, or another text once it is read.
  private mutating func form(_ text: String) -> String {
    let clean = book.clean(text, keepsTokens: true)
    return Self.readable(
      FormFields(
        FormFields(parsing: clean).pairs.map { ($0.name, value($0.value, under: $0.name)) }
      ).encoded)
  }

  /// A text of unknown form.
  private func loose(_ text: String) -> String {
    LooseFields.masking(book.clean(text), by: Self.mask)
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
      return Self.cookie(pair) + book.clean(String(value[pair.endIndex...]))
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
      // Half a document cannot be read, and what cannot be read is not shown.
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
      // Whatever its label says.
      if let json = try? JSON.parse(bytes) { return self.json(json, under: "").encoded() }
      return lines(Self.text(bytes))
    case .form: return form(Self.text(bytes))
    case .html:
      return ShownPage.html(bytes, type: type ?? "text/html").map { Self.readable(book.clean($0)) }
        ?? loose(Self.text(bytes))
    case .binary: return nil
    }
  }

  /// Lines of which some may be JSON.
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
    // The code of an error is a number under a name that also holds codes for one use.
    case .integer(let number):
      let isError = name == "code" && number.magnitude < 1000
      return SecretNames.holdSecrets(name) && !isError ? .string(Self.mask) : json
    default: return json
    }
  }

  // MARK: Tokens

  private mutating func add(_ token: (header: JSON, claims: JSON), _ kind: String) {
    var cleaner = ExchangeCleaner(book, isBrowser: false)
    let shown = ExchangeEvent.Token(
      kind: kind, header: cleaner.json(token.header, under: ""),
      claims: cleaner.json(token.claims, under: ""), isInAnswer: isAnswer)
    // An answer often says again what the request brought.
    let isKnown = tokens.contains { $0.kind == kind && $0.claims == shown.claims }
    if !isKnown { tokens.append(shown) }
  }
}
