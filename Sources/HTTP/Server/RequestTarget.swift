/// Path and query of a request line, still percent-encoded.
struct RequestTarget {
  let path: String
  let query: String?

  /// Splits a target; drops a fragment.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    var end = text.count
    var mark: Int?
    var isPlain = true
    for index in text.indices {
      let byte = text[index]
      if byte == 0x23 {
        end = index
        break
      }
      if byte == 0x3F, mark == nil { mark = index }
      // These must be percent-encoded in a URL.
      if byte <= 0x20 || byte >= 0x7F { isPlain = false }
    }
    func part(_ range: Range<Int>) -> String {
      let text = String(decoding: UnsafeBufferPointer(rebasing: text[range]), as: UTF8.self)
      return isPlain ? text : encodedComponent(text)
    }
    path = part(0..<(mark ?? end))
    query = mark.map { part(($0 + 1)..<end) }
  }

  private init(path: String, query: String?) {
    self.path = path
    self.query = query
  }

  /// The path and query to serve; nil when the target is neither a path nor a URL.
  var resolved: RequestTarget? {
    if path.utf8.first == 0x2F { return self }
    // The absolute form, which proxies send (RFC 9112 section 3.2.2).
    let text = if let query { "\(path)?\(query)" } else { path }
    guard let absolute = WebURL(text) else { return nil }
    return RequestTarget(path: absolute.path, query: absolute.query)
  }
}

/// Checks whether a Host header names this server.
///
/// A foreign web page can point its own name to 127.0.0.1 and read our responses in the victim's
/// browser (DNS rebinding). Such requests still have the foreign name in Host.
struct HostRule {
  /// The parts of a Host header.
  struct Place {
    let host: String
    let port: Int
  }

  /// Nil allows every name.
  private let allowed: Set<String>?
  /// A cache, because nearly all requests have the same header.
  private var last: (text: [UInt8], place: Place)?

  init(_ hosts: AllowedHosts) {
    switch hosts {
    case .loopback(let extra):
      allowed = Set(extra.map { $0.lowercased() } + ["127.0.0.1", "localhost", "[::1]"])
    case .any: allowed = nil
    }
  }

  /// Parses a Host header; nil when it is not allowed or invalid.
  mutating func place(_ bytes: UnsafeBufferPointer<UInt8>) -> Place? {
    if let last, last.text.elementsEqual(bytes) { return last.place }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let url = WebURL("http://\(text)"), url.pathAndQuery == "/", url.fragment == nil,
      !text.utf8.contains(0x2F), allowed?.contains(url.host) != false
    else { return nil }
    let place = Place(host: url.host, port: url.port)
    last = (Array(bytes), place)
    return place
  }
}

/// The Host headers that a server accepts.
public enum AllowedHosts: Sendable {
  /// The names of this machine's loopback addresses, and these extra names.
  case loopback(extra: [String] = [])

  /// Every name, for a server that other machines can reach; open to DNS rebinding.
  case any
}
