internal import System
internal import HTTP

/// An absolute URI in a request, of any scheme, parsed as browsers do.
///
/// Mobile apps use redirect schemes that no web client could fetch, so this accepts more than a `WebURL`.
struct AbsoluteURI {
  /// The address as a web URL; nil if it is none.
  let web: WebURL?
  /// Scheme, authority and path.
  private let base: String
  let query: String?
  let fragment: String?

  init?(_ written: String) {
    guard let (scheme, text) = Self.prepared(written) else { return nil }
    if let web = WebURL(text) {
      self.web = web
      base = web.origin + web.path
      query = web.query
      fragment = web.fragment
      return
    }
    guard Self.canBeOther(scheme, text) else { return nil }
    web = nil
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    fragment = parts.count > 1 ? String(parts[1]) : nil
    let halves = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    base = String(halves[0])
    query = halves.count > 1 ? String(halves[1]) : nil
  }

  /// The scheme in lower case, and the address prepared as the URL standard (section 4.4) says.
  ///
  /// Blanks around it and line breaks in it are removed. The host of a special scheme follows
  /// two slashes, however many there were.
  private static func prepared(_ text: String) -> (scheme: String, text: String)? {
    var bytes = text.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
    while let first = bytes.first, first <= 0x20 { bytes = bytes.dropFirst() }
    while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
    let trimmed = String(decoding: bytes, as: UTF8.self)
    guard let scheme = scheme(of: trimmed) else { return nil }
    let rest = bytes.dropFirst(scheme.utf8.count + 1)
    guard special.contains(scheme) else {
      return (scheme, "\(scheme):\(String(decoding: rest, as: UTF8.self))")
    }
    // In special schemes a backslash counts as a slash.
    let end = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let slash = UInt8(ascii: "/")
    let path = rest[..<(end ?? rest.endIndex)].map { $0 == UInt8(ascii: "\\") ? slash : $0 }
    let plain = path.drop { $0 == slash } + rest[(end ?? rest.endIndex)...]
    return (scheme, "\(scheme)://\(String(decoding: plain, as: UTF8.self))")
  }

  /// Whether browsers accept an address that is not a `WebURL`: its scheme needs no host, or it has one.
  ///
  /// Browsers accept what a `WebURL` refuses: user names and passwords, and hosts beyond ASCII.
  private static func canBeOther(_ scheme: String, _ text: String) -> Bool {
    guard special.contains(scheme) else { return true }
    var host = text.utf8.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".utf8.contains($0) }
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[host.index(after: at)...] }
    if let colon = host.lastIndex(of: UInt8(ascii: ":")) {
      let port = String(Substring(host[host.index(after: colon)...]))
      guard port.isEmpty || UInt16(port) != nil else { return false }
      host = host[..<colon]
    }
    // Forbidden in hosts (the URL standard, section 3.5); an IPv6 address in brackets is left to `WebURL`.
    return !host.isEmpty
      && !host.contains { $0 <= 0x20 || $0 == 0x7F || ":<>[]^|%".utf8.contains($0) }
  }

  /// The address with another query and no fragment.
  func text(query fields: FormFields) -> String {
    fields.isEmpty ? base : "\(base)?\(Link.formEncoded(fields))"
  }

  /// The address with its own query and fragment.
  var text: String {
    base + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
  }

  /// The scheme in lower case (RFC 3986 section 3.1).
  private static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text.utf8[..<colon]
    guard let first = scheme.first, first.isLetter else { return nil }
    let isScheme = scheme.allSatisfy { byte in
      byte.isLetterOrDigit || "+-.".utf8.contains(byte)
    }
    return isScheme ? String(Substring(scheme)).asciiLowercased : nil
  }

  /// The special schemes of the URL standard (section 3.1) that need a host.
  private static let special: Set<String> = ["http", "https", "ws", "wss", "ftp"]
}

/// An app's link of any scheme, whose query parameters can be set (the URL standard's `searchParams`).
struct Link {
  private var base: String
  private var query: FormFields?
  private var fragment: String?
  /// The link as a web URL; nil if it is none.
  let web: WebURL?

  /// Parses an absolute URL; nil without a scheme, or without a host where the scheme needs one.
  init?(_ text: String) {
    web = WebURL(text)
    var rest = Substring(web?.description ?? Link.safe(text))
    guard web != nil || AbsoluteURI(text) != nil else { return nil }
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(rest[hash...])
      rest = rest[..<hash]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = FormFields(parsing: String(rest[rest.utf8.index(after: mark)...]))
      rest = rest[..<mark]
    }
    base = String(rest)
  }

  /// Sets a parameter to one value, in the place of its first occurrence if there is one.
  mutating func set(_ name: String, _ value: String) {
    let name = ExactString(string: name)
    var pairs: [(String, String)] = []
    var isSet = false
    for pair in query?.pairs ?? [] {
      guard ExactString(string: pair.name) == name else {
        pairs.append((pair.name, pair.value))
        continue
      }
      if !isSet { pairs.append((pair.name, value)) }
      isSet = true
    }
    if !isSet { pairs.append((name.string, value)) }
    query = FormFields(pairs)
  }

  var text: String {
    base + (query.map { $0.isEmpty ? "" : "?\(Link.formEncoded($0))" } ?? "") + (fragment ?? "")
  }

  // MARK: Encoding

  /// Percent-encodes every byte that could end a header line or is not allowed in a URL.
  static func safe(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return text }
    return escaped(text) { $0 > 0x20 && $0 < 0x7F }
  }

  /// Percent-encodes the text for a `Location` header, including every percent sign that does not begin an escape.
  static func location(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var pieces = ""
    var start = 0
    for index in bytes.indices
    where bytes[index] == UInt8(ascii: "%") && !isEscape(bytes[(index + 1)...].prefix(2)) {
      pieces += String(decoding: bytes[start..<index], as: UTF8.self) + "%25"
      start = index + 1
    }
    pieces += String(decoding: bytes[start...], as: UTF8.self)
    return escaped(pieces, except: isPlainInLocation)
  }

  private static func isEscape(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.count == 2
      && digits.allSatisfy { digit in
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          true
        default: false
        }
      }
  }

  private static func isPlainInLocation(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"),
      UInt8(ascii: "{"), UInt8(ascii: "}"):
      false
    default: byte > 0x20 && byte < 0x7F
    }
  }

  /// `a=1&b=2` as browsers write it (the URL standard, section 5.2): a space is a plus sign.
  static func formEncoded(_ fields: FormFields) -> String {
    fields.pairs.map { "\(part($0.name))=\(part($0.value))" }.joined(separator: "&")
  }

  private static func part(_ text: String) -> String {
    let escaped = escaped(text) { byte in
      byte.isLetterOrDigit || " *-._".utf8.contains(byte)
    }
    guard escaped.utf8.contains(UInt8(ascii: " ")) else { return escaped }
    return String(decoding: escaped.utf8.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
  }

  private static func escaped(_ text: String, except isPlain: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      if isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
