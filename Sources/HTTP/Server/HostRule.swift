/// Decides whether a Host header names this server.
///
/// A web page elsewhere can point its own name at 127.0.0.1 and then read our answers in the
/// victim's browser (DNS rebinding); its requests still carry the foreign name in Host.
struct HostRule {
  /// What a Host header says, split.
  struct Place {
    let host: String
    let port: Int
  }

  /// Nil allows every name.
  private let allowed: Set<String>?
  /// Nearly all requests of a server carry the same header.
  private var last: (text: [UInt8], place: Place)?

  init(_ hosts: AllowedHosts) {
    switch hosts {
    case .loopback(let extra):
      allowed = Set(extra.map { $0.lowercased() } + ["127.0.0.1", "localhost", "[::1]"])
    case .any: allowed = nil
    }
  }

  /// Host and port, or nil when the header is foreign or no host.
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
