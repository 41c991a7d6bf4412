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
