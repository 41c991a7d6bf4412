import System
import HTTP
import IdentityToolkit

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
