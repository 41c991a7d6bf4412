internal import System
internal import HTTP

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
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "*"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      default: false
      }
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
