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
