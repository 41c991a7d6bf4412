import System
import CCurl
import CShims

/// An absolute http or https URL, parsed by libcurl so that what is checked is what is fetched.
///
/// Host and scheme are lower case, dot segments are removed (RFC 3986 section 6.2), and bytes
/// outside printable ASCII are percent-encoded. URLs with user names or passwords are rejected.
public struct WebURL: Sendable, Hashable, CustomStringConvertible {
  /// The parts, in one object: requests and responses are copied often, and each string would be retained.
  private final class Parts: Sendable {
    let scheme: String
    let host: String
    let port: Int
    let path: String
    let query: String?
    let fragment: String?

    init(
      _ scheme: String, _ host: String, _ port: Int, _ path: String, _ query: String?,
      _ fragment: String?
    ) {
      self.scheme = scheme
      self.host = host
      self.port = port
      self.path = path
      self.query = query
      self.fragment = fragment
    }
  }

  private let parts: Parts

  /// The scheme: http or https.
  public var scheme: String { parts.scheme }

  /// The host; an IPv6 address keeps its brackets.
  public var host: String { parts.host }

  /// The port, by default that of the scheme.
  public var port: Int { parts.port }

  /// The path, still percent-encoded, never empty.
  public var path: String { parts.path }

  /// The query without its question mark, if any.
  public var query: String? { parts.query }

  /// The fragment without its number sign, if any.
  public var fragment: String? { parts.fragment }

  /// Parses an absolute URL; nil unless it is http or https with a host and no user name.
  public init?(_ text: String) {
    guard let encoded = encodedForParsing(text), let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_DISALLOW_USER)
    guard
      curl_url_set(handle, CURLUPART_URL, encoded, flags) == CURLUE_OK,
      let scheme = part(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https",
      let host = part(CURLUPART_HOST, of: handle), !host.isEmpty,
      host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let portText = part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)),
      let port = Int(portText), port > 0,
      let path = part(CURLUPART_PATH, of: handle)
    else { return nil }
    self.init(
      scheme: scheme, host: host.lowercased(), port: port, path: path,
      query: part(CURLUPART_QUERY, of: handle), fragment: part(CURLUPART_FRAGMENT, of: handle))
  }

  init(scheme: String, host: String, port: Int, path: String, query: String?, fragment: String?) {
    parts = Parts(scheme, host, port, path, query, fragment)
  }

  /// Whether both are the same text.
  public static func == (left: WebURL, right: WebURL) -> Bool {
    let (one, other) = (left.parts, right.parts)
    return one === other
      || one.port == other.port && one.host == other.host && one.path == other.path
        && one.query == other.query && one.fragment == other.fragment && one.scheme == other.scheme
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(port)
    hasher.combine(path)
    hasher.combine(query)
    hasher.combine(fragment)
    hasher.combine(scheme)
  }

  /// Scheme, host and port; a default port is omitted.
  public var origin: String { "\(scheme)://\(authority)" }

  /// Host and port as in the Host header; a default port is omitted.
  public var authority: String { isDefaultPort ? host : "\(host):\(port)" }

  /// The host without a trailing dot, which leads to the same machine.
  public var hostWithoutRoot: String {
    host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
  }

  /// Path and query as in the request line.
  public var pathAndQuery: String {
    if let query { "\(path)?\(query)" } else { path }
  }

  /// The whole URL; its query may contain secrets, so error messages use `origin`.
  public var description: String {
    var text = "\(scheme)://\(authority)\(pathAndQuery)"
    if let fragment { text += "#\(fragment)" }
    return text
  }

  /// Whether the host is localhost, 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    if host == "127.0.0.1" || host == "localhost" || host == "[::1]" { return true }
    if host.hasSuffix(".localhost") { return true }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count == 4 && labels[0] == "127" && labels.allSatisfy { UInt8($0) != nil }
  }

  /// Whether both URLs lead to the same server, judging by their texts.
  ///
  /// All loopback names and addresses count as one host, as do the unspecified addresses such as 0.0.0.0.
  public func isSameServer(as other: WebURL) -> Bool {
    port == other.port && (hostWithoutRoot == other.hostWithoutRoot || isHere && other.isHere)
  }

  private var isHere: Bool {
    isLoopback || hostWithoutRoot == "localhost" || hostWithoutRoot.hasSuffix(".localhost")
      || host == "0.0.0.0" || host == "[::]" || host.hasPrefix("[::ffff:7f")
      || host.hasPrefix("[::ffff:127.") || host == "[::ffff:0:0]" || host == "[::ffff:0.0.0.0]"
  }

  /// Returns the URL with another query, which must be encoded; nil removes it.
  public func with(query: String?) -> WebURL {
    WebURL(
      scheme: scheme, host: host, port: port, path: path,
      query: query.map(encodedComponent), fragment: fragment)
  }

  /// Returns the URL with another fragment, which must be encoded; nil removes it.
  public func with(fragment: String?) -> WebURL {
    WebURL(
      scheme: scheme, host: host, port: port, path: path, query: query,
      fragment: fragment.map(encodedComponent))
  }

  private var isDefaultPort: Bool { port == (scheme == "https" ? 443 : 80) }

  /// Resolves a reference against this URL (RFC 3986 section 5.2).
  ///
  /// For example a Location header or a form's action. Nil when the result is not an http or https URL.
  public func resolving(_ reference: String) -> WebURL? {
    let bytes = Array(reference.utf8)
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    let reference = Reference(bytes[start..<end])

    if let scheme = reference.scheme {
      // "http:g" is an absolute URL without a host, which cannot be fetched.
      guard reference.authority != nil else { return nil }
      return WebURL("\(scheme):\(reference.afterScheme)")
    }
    if reference.authority != nil { return WebURL("\(scheme):\(reference.afterScheme)") }

    let base = "\(scheme)://\(authority)"
    let path: String
    let query: String?
    if reference.path.isEmpty {
      path = self.path
      query = reference.query ?? self.query
    } else {
      let whole =
        reference.path.hasPrefix("/") ? reference.path : directory(of: self.path) + reference.path
      path = removingDotSegments(whole)
      query = reference.query
    }
    var text = base + path
    if let query { text += "?\(query)" }
    if let fragment = reference.fragment { text += "#\(fragment)" }
    return WebURL(text)
  }
}

/// Returns one part of libcurl's URL, still percent-encoded.
private func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
  defer { curl_free(text) }
  return String(cString: text)
}

/// Trims white space and percent-encodes what RFC 3986 does not allow after the authority.
///
/// Nil when scheme or authority contain such bytes, because there they cannot be encoded.
private func encodedForParsing(_ text: String) -> String? {
  let bytes = text.utf8
  guard !bytes.isEmpty else { return nil }
  if bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return text }
  var trimmed = text[...]
  while let first = trimmed.utf8.first, first <= 0x20 { trimmed = trimmed[from: 1] }
  while let last = trimmed.utf8.last, last <= 0x20 { trimmed = Substring(trimmed.utf8.dropLast()) }
  guard let slashes = trimmed.utf8.firstIndex(of: 0x3A) else { return nil }
  let afterScheme = trimmed.utf8[slashes...].dropFirst(3)
  let end =
    afterScheme.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? afterScheme.endIndex
  let head = trimmed.utf8[..<end]
  guard head.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
  return String(Substring(head)) + encodedComponent(String(Substring(trimmed.utf8[end...])))
}

/// Percent-encodes bytes that are not allowed anywhere in a URL, and keeps all others.
func encodedComponent(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return text }
  var bytes: [UInt8] = []
  let digits = Array("0123456789ABCDEF".utf8)
  for byte in text.utf8 {
    if byte > 0x20 && byte < 0x7F {
      bytes.append(byte)
    } else {
      bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

extension Substring {
  fileprivate subscript(from offset: Int) -> Substring { Substring(utf8.dropFirst(offset)) }
}

/// The five parts of a reference (RFC 3986 appendix B), not decoded.
private struct Reference {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?
  /// Everything after the scheme's colon, or all of it when there is no scheme.
  var afterScheme: String

  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if let colon = rest.firstIndex(where: { [0x3A, 0x2F, 0x3F, 0x23].contains($0) }),
      rest[colon] == 0x3A, Self.isScheme(rest[..<colon])
    {
      scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      rest = rest[(colon + 1)...]
    }
    afterScheme = String(decoding: rest, as: UTF8.self)
    if let hash = rest.firstIndex(of: 0x23) {
      fragment = String(decoding: rest[(hash + 1)...], as: UTF8.self)
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: 0x3F) {
      query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
      rest = rest[..<mark]
    }
    if rest.starts(with: [0x2F, 0x2F]) {
      let host = rest.dropFirst(2)
      let slash = host.firstIndex(of: 0x2F) ?? host.endIndex
      authority = String(decoding: host[..<slash], as: UTF8.self)
      rest = host[slash...]
    }
    path = String(decoding: rest, as: UTF8.self)
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, first.isLetter else { return false }
    return bytes.allSatisfy { $0.isLetterOrDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
  }
}

/// Returns the path up to and including its last slash (RFC 3986 section 5.2.3).
private func directory(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "/" }
  return String(path[...slash])
}

/// Removes "." and ".." from an absolute path (RFC 3986 section 5.2.4).
private func removingDotSegments(_ path: String) -> String {
  var kept: [Substring] = []
  let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
  for (index, segment) in zip(segments.indices, segments) {
    let isLast = index == segments.endIndex - 1
    switch segment {
    case ".": if isLast { kept.append("") }
    case "..":
      _ = kept.popLast()
      if isLast { kept.append("") }
    default: kept.append(segment)
    }
  }
  return "/" + kept.joined(separator: "/")
}
