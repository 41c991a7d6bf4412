internal import HTTP
internal import Glibc

/// The cookies of one browser session.
struct CookieJar: Sendable {
  private var cookies: [Cookie] = []
  private var counter = 0
  static let maximumPerHost = 60

  /// Stores the Set-Cookie headers of a response to a request for `url`.
  mutating func store(_ headers: [String], from url: WebURL, now: Int64 = CookieJar.clock) {
    for header in headers {
      guard var cookie = Cookie(parsing: header, from: url, now: now) else { continue }
      counter += 1
      cookie.order = counter
      let old = cookies.firstIndex {
        $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
          && $0.isHostOnly == cookie.isHostOnly
      }
      if let old {
        cookie.order = cookies[old].order
        cookies.remove(at: old)
      }
      if let expiry = cookie.expiry, expiry <= now { continue }
      cookies.append(cookie)
      let neighbours = cookies.indices.filter { cookies[$0].domain == cookie.domain }
      if neighbours.count > Self.maximumPerHost, let oldest = neighbours.first {
        cookies.remove(at: oldest)
      }
    }
  }

  /// Returns the Cookie header for a request for `url`, or nil when there are no cookies.
  ///
  /// Longer paths come first, then older cookies (RFC 6265, section 5.4 step 2).
  func header(
    for url: WebURL, from origin: RequestOrigin = .sameSite, now: Int64 = CookieJar.clock
  ) -> String? {
    let going = cookies.filter { $0.goes(to: url, now: now, from: origin) }.sorted {
      $0.path.utf8.count == $1.path.utf8.count
        ? $0.order < $1.order : $0.path.utf8.count > $1.path.utf8.count
    }
    return going.isEmpty ? nil : going.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  static var clock: Int64 { Int64(time(nil)) }
}

/// A cookie as the jar stores it (RFC 6265, section 5.3).
struct Cookie: Sendable {
  /// The SameSite attribute (RFC 6265bis, section 5.6.7).
  enum SameSite: Sendable { case strict, lax, unspecified }

  var name: String
  var value: String
  var domain: String
  var path: String
  var isHostOnly: Bool
  var isSecure: Bool
  var sameSite = SameSite.unspecified
  /// Seconds since 1970; nil for a session cookie.
  var expiry: Int64?
  var order = 0

  /// Parses a Set-Cookie header sent by `url`; nil when the rules say to ignore it.
  init?(parsing header: String, from url: WebURL, now: Int64) {
    let parts = header.split(separator: ";", omittingEmptySubsequences: false)
    guard let pair = parts.first, let equals = pair.firstIndex(of: "="), header.utf8.count <= 8192
    else { return nil }
    name = PageForm.trimmed(String(pair[..<equals]))
    value = PageForm.trimmed(String(pair[pair.index(after: equals)...]))
    guard !name.isEmpty, !(name + value).unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      return nil
    }
    domain = url.host.lowercased()
    isHostOnly = true
    path = Self.defaultPath(of: url.path)
    isSecure = false
    var maximumAge: Int64?
    for part in parts.dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let attribute = PageForm.trimmed(String(halves[0])).lowercased()
      let text = halves.count == 2 ? PageForm.trimmed(String(halves[1])) : ""
      switch attribute {
      case "secure": isSecure = true
      case "samesite":
        switch text.lowercased() {
        case "strict": sameSite = .strict
        case "lax": sameSite = .lax
        default: sameSite = .unspecified
        }
      case "path": path = text.hasPrefix("/") ? text : Self.defaultPath(of: url.path)
      case "max-age": if let age = Int64(text) { maximumAge = age }
      case "expires": if let date = HTTPDate.seconds(parsing: text) { expiry = date }
      case "domain":
        let wanted = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
        guard !wanted.isEmpty else { continue }
        guard Self.matches(host: domain, domain: wanted) else { return nil }
        // Reject domains shared by many owners; if it is the host itself, the cookie stays host-only.
        if !HostTrust.isShared(wanted), !HostTrust.isAddress(wanted) {
          domain = wanted
          isHostOnly = false
        } else if wanted != domain {
          return nil
        }
      default: continue
      }
    }
    // Max-Age takes precedence over Expires (RFC 6265, section 5.3 step 3).
    if let maximumAge {
      expiry = maximumAge <= 0 ? Int64.min : now + min(maximumAge, 400 * 86_400)
    }
    // Secure cookies need a secure origin; name prefixes have their own conditions (RFC 6265bis).
    let isTrusted = url.scheme == "https" || url.isLoopback
    if isSecure, !isTrusted { return nil }
    if name.hasPrefix("__Secure-"), !isSecure { return nil }
    if name.hasPrefix("__Host-"), !isSecure || !isHostOnly || path != "/" { return nil }
  }

  /// Whether the cookie is sent with a request for `url` (RFC 6265, section 5.4).
  ///
  /// - Parameter origin: where the request comes from.
  func goes(to url: WebURL, now: Int64, from origin: RequestOrigin) -> Bool {
    if let expiry, expiry <= now { return false }
    switch (sameSite, origin) {
    case (.strict, .otherSite), (.lax, .otherSite(isSafe: false)): return false
    default: break
    }
    let host = url.host.lowercased()
    guard isHostOnly ? host == domain : Self.matches(host: host, domain: domain) else {
      return false
    }
    if isSecure, url.scheme != "https", !url.isLoopback { return false }
    let wanted = url.path.isEmpty ? "/" : url.path
    guard wanted.utf8.starts(with: path.utf8) else { return false }
    return wanted.utf8.count == path.utf8.count || path.utf8.last == 0x2F
      || Array(wanted.utf8)[path.utf8.count] == 0x2F
  }

  private static func defaultPath(of path: String) -> String {
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  private static func matches(host: String, domain: String) -> Bool {
    if host == domain { return true }
    return !HostTrust.isAddress(host) && host.hasSuffix("." + domain)
  }
}

/// The origin of a request, for SameSite.
enum RequestOrigin: Equatable {
  /// A page of the same site, or a URL the user entered.
  case sameSite
  /// A page of another site; safe when nothing but the request itself is sent.
  case otherSite(isSafe: Bool)
}
