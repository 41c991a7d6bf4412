internal import HTTP

/// Checks a pasted final URL.
struct PastedAddress {
  enum Verdict: Equatable {
    /// It is a valid response.
    case whole(WebURL)
    /// It may continue in the next line.
    case begun
    /// It is something else, for this reason; ask again.
    case wrong(String)
    /// It is the response of another sign-in, which ends this one.
    case foreign(String)
  }

  /// The redirect address, without query.
  let redirectURI: WebURL
  /// The state of the sign-in; nil when it has none.
  let state: String?
  /// Whether a code or token is required.
  var needsResult = true

  /// Checks a pasted text, which may be incomplete.
  func judge(_ text: String) -> Verdict {
    let text = Self.stripped(text)
    guard !text.isEmpty else { return .wrong("nothing was pasted") }
    guard let url = WebURL(text) else {
      return .wrong("that is no address: it begins with http:// or https://")
    }
    guard url.origin == redirectURI.origin, url.path == redirectURI.path else {
      if redirectURI.description.hasPrefix(url.description) { return .begun }
      return .wrong(
        "that is an address at \(url.origin), and the sign-in ends at "
          + "\(redirectURI.origin)\(redirectURI.path)")
    }
    let fields = LoopbackFields(url, postBody: nil)
    guard fields.isAnswer || !needsResult else {
      return url.query == redirectURI.query && url.fragment == nil
        ? .wrong("that address holds no answer: wait until the page has changed to it") : .begun
    }
    guard let problem = fields.problem(expecting: state, needsResult: needsResult) else {
      return .whole(url)
    }
    return fields.mayGoOn(to: state) ? .begun : .foreign(problem)
  }

  /// Whether a line begins a new URL, rather than continuing the one before.
  static func begins(_ line: String) -> Bool {
    let start = stripped(line).prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Removes what mail programs, shells and chats put around URLs (RFC 3986 appendix C).
  private static func stripped(_ text: String) -> String {
    var text = Substring(text.filter { !$0.isWhitespace })
    let pairs: [(Character, Character)] = [
      ("<", ">"), ("\"", "\""), ("'", "'"), ("`", "`"), ("(", ")"), ("“", "”"), ("«", "»"),
    ]
    while let pair = pairs.first(where: { text.first == $0.0 }) {
      text = text.dropFirst()
      if text.last == pair.1 { text = text.dropLast() }
    }
    return String(text.hasPrefix("URL:") ? text.dropFirst(4) : text)
  }
}
