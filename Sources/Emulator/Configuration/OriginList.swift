public import System
internal import HTTP

/// Origins that a user trusts besides this machine's, such as `https://app.example` (RFC 6454); `*` allows all.
public struct OriginList: Sendable, Equatable {
  /// Whether the list contains `*`.
  private(set) var includesAll = false
  private var origins: Set<String> = []
  private var hosts: Set<String> = []

  /// An empty list.
  public init() {}

  /// Adds an origin, of any scheme, or `*` for all.
  public mutating func add(_ text: String) throws(Problem) {
    if text == "*" {
      includesAll = true
    } else if let url = WebURL(text), url.pathAndQuery == "/", url.fragment == nil {
      add(url)
    } else if WebURL(text) == nil, Self.isOtherOrigin(text) {
      origins.insert(text.asciiLowercased)
    } else {
      throw Problem(
        "not an origin: \"\(text)\"",
        hint: "write scheme, host and port, such as https://app.example:8443, or * for every origin"
      )
    }
  }

  mutating func add(_ url: WebURL) {
    origins.insert(url.origin)
    hosts.insert(url.host)
  }

  /// Adds the origins of another list.
  public mutating func formUnion(_ other: OriginList) {
    includesAll = includesAll || other.includesAll
    origins.formUnion(other.origins)
    hosts.formUnion(other.hosts)
  }

  /// Whether the list has the origin of an `Origin` header.
  func contains(origin text: String) -> Bool {
    includesAll || origins.contains(WebURL(text)?.origin ?? text.asciiLowercased)
  }

  func contains(_ url: WebURL) -> Bool { includesAll || origins.contains(url.origin) }

  func names(host: String) -> Bool { hosts.contains(host) }

  /// Whether `text` is an origin with an app's own scheme, such as `capacitor://localhost`.
  private static func isOtherOrigin(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard let uri = AbsoluteURI(text), uri.web == nil, uri.query == nil, uri.fragment == nil,
      parts.count == 3, parts[1].isEmpty, !parts[2].isEmpty
    else { return false }
    return !parts[2].utf8.contains { "/\\@%*".utf8.contains($0) || $0 <= 0x20 || $0 == 0x7F }
  }
}
