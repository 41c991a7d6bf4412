import HTTP
import IdentityToolkit
public import System

/// Finds the secrets in an exchange by the names of their fields.
public struct ExchangeSecrets {
  /// Larger bodies are neither read nor shown.
  public static let readableBytes = 1 << 20

  private(set) var values: [String] = []
  private let isBrowser: Bool
  private var seen: SeenValues

  /// - Parameter seen: Values that were read before; what is read here is added to it.
  init(_ exchange: ObservedExchange, seen: inout SeenValues) {
    let request = exchange.request
    isBrowser = exchange.sender == .browser
    // Swapped rather than copied.
    self.seen = SeenValues()
    swap(&self.seen, &seen)
    defer { swap(&self.seen, &seen) }
    readParameters(of: request.url.description)
    read(request.headers)
    read(
      request.body, type: request.headers["Content-Type"], isBrowser: isBrowser)
    guard case .success(let response) = exchange.result else { return }
    read(response.headers)
    read(response.body, type: response.headers["Content-Type"], isBrowser: false)
  }

  private mutating func add(_ value: String, under name: String) {
    if SecretNames.holdSecrets(name), SecretNames.isSecret(value, under: name) {
      values.append(value)
    } else if TokenShape.isToken(value) {
      values.append(value)
    }
  }

  private mutating func readParameters(of address: String) {
    guard seen.isNew(address, under: isBrowser ? "?" : ""), let cut = AddressParts(address) else {
      return
    }
    for (_, fields) in cut.parameters { read(fields, isBrowser: isBrowser) }
  }

  private mutating func read(_ fields: FormFields, isBrowser: Bool = false) {
    for (name, value) in fields.pairs {
      if isBrowser, !ShownFields.ofPages.contains(name.lowercased()),
        SecretNames.looksRandom(value), !value.contains("://")
      {
        values.append(value)
      } else {
        readValue(value, under: name)
      }
    }
  }

  private mutating func readValue(_ value: String, under name: String) {
    guard seen.isNew(value, under: name) else { return }
    if name == "postBody" { return read(FormFields(parsing: value)) }
    if let json = JSON.structure(value) { return read(json, under: "") }
    readParameters(of: value)
    add(value, under: name)
    readLoose(value)
  }

  private mutating func read(_ headers: HTTPHeaders) {
    for field in headers.fields {
      switch field.name.lowercased() {
      case "cookie":
        for pair in field.value.split(separator: ";") { readCookie(pair) }
      case "set-cookie": readCookie(field.value.prefix { $0 != ";" })
      case "authorization", "proxy-authorization": readAuthorization(field.value)
      default: readValue(field.value, under: field.name)
      }
    }
  }

  private mutating func readCookie(_ pair: Substring) {
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return }
    let value = String(pair[equals...].dropFirst())
    if SecretNames.looksRandom(value) { values.append(value) }
  }

  private mutating func readAuthorization(_ value: String) {
    let words = value.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return values.append(value) }
    values.append(words[1])
    guard words[0].lowercased() == "basic", let bytes = Base64.decodeAnyAlphabet(words[1]) else {
      return
    }
    // User name and password, percent-encoded by OAuth clients (RFC 6749 section 2.3.1).
    let pair = String(decoding: bytes, as: UTF8.self)
    guard let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
    let password = String(pair[colon...].dropFirst())
    values.append(password)
    if let plain = PercentEncoding.decode(password), plain != password { values.append(plain) }
  }

  private mutating func read(_ body: [UInt8], type: String?, isBrowser: Bool) {
    guard !body.isEmpty, body.count <= Self.readableBytes else { return }
    switch BodyKind(type, body) {
    case .json, .text:
      if let json = try? JSON.parse(body) { return read(json, under: "") }
      let text = String(decoding: body, as: UTF8.self)
      for line in text.split(separator: "\n") {
        if let json = JSON.structure(String(line)) { read(json, under: "") }
      }
      readLoose(text)
    case .form:
      read(FormFields(parsing: String(decoding: body, as: UTF8.self)), isBrowser: isBrowser)
    case .html, .binary: break
    }
  }

  private mutating func readLoose(_ text: String) {
    for (name, value) in LooseFields(text).pairs { add(value, under: name) }
  }

  private mutating func read(_ json: JSON, under name: String) {
    switch json {
    case .object(let object): for entry in object.entries { read(entry.value, under: entry.key) }
    case .array(let members): for member in members { read(member, under: name) }
    case .string(let text): readValue(text, under: name)
    default: break
    }
  }
}

/// An absolute or relative URL, split before its parameters.
public struct AddressParts {
  /// The part before query and fragment.
  public let place: String
  /// Query and fragment, each with its leading mark.
  public let parameters: [(mark: String, fields: FormFields)]

  /// Fails for a text without parameters, or with white space, which URLs do not have.
  public init?(_ text: String) {
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
  public init(_ type: String?, _ body: [UInt8]) {
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

/// The fields of sign-in pages that are not secret.
public enum ShownFields {
  /// The field names in lower case.
  ///
  /// Any other field of a page may contain a code or the answer to a question.
  public static let ofPages: Set<String> = [
    "username", "user", "login", "email", "e-mail", "login_hint", "loginfmt", "hint", "account",
    "consent", "scope", "scopes", "response_type", "response_mode", "client_id", "redirect_uri",
    "prompt", "display", "locale", "hl", "lang", "ui_locales", "action", "accept", "deny", "button",
    "submit", "remember", "providerid", "grant_type", "code_challenge_method", "error",
    "error_description", "tenant",
  ]
}

extension JSON {
  /// Parses a text that is a JSON object or array; nil for any other text.
  public static func structure(_ text: String) -> JSON? {
    let first = text.utf8.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    return try? JSON.parse(Array(text.utf8))
  }
}
