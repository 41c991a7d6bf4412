internal import Glibc
internal import HTTP

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
