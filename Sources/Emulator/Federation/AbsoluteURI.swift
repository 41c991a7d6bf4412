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
    fields.isEmpty ? base : "\(base)?\(Self.formEncoded(fields))"
  }

  /// The address with its own query and fragment.
  var text: String {
    base + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
  }

  /// The scheme in lower case (RFC 3986 section 3.1).
  private static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text.utf8[..<colon]
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard let first = scheme.first, isLetter(first) else { return nil }
    let isScheme = scheme.allSatisfy { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
    }
    return isScheme ? String(Substring(scheme)).asciiLowercased : nil
  }

  /// The special schemes of the URL standard (section 3.1) that need a host.
  private static let special: Set<String> = ["http", "https", "ws", "wss", "ftp"]

  /// Serializes a query as browsers do after a script has changed it (URL standard, section 5.2).
  private static func formEncoded(_ fields: FormFields) -> String {
    fields.pairs.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&")
  }

  private static func formEncoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"):
        bytes.append(byte)
      default: bytes += Array("%\(Hex.encode([byte]).uppercased())".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
