internal import Encoding

extension BrowserSession {
  /// The cookies the page gets.
  public func cookies() async throws(WebDriverError) -> [BrowserCookie] {
    guard let list = try await get("/cookie").array else { throw Self.unexpected("cookies") }
    return list.compactMap { BrowserCookie($0) }
  }

  /// One of the cookies the page gets.
  public func cookie(named name: String) async throws(WebDriverError) -> BrowserCookie {
    let answer = try await get("/cookie/\(PercentEncoding.encode(name))")
    guard let cookie = BrowserCookie(answer) else { throw Self.unexpected("a cookie") }
    return cookie
  }

  /// Sets a cookie of the page's host.
  public func addCookie(_ cookie: BrowserCookie) async throws(WebDriverError) {
    try await post("/cookie", ["cookie": cookie.json])
  }

  /// Deletes one of the page's cookies.
  public func deleteCookie(named name: String) async throws(WebDriverError) {
    try await delete("/cookie/\(PercentEncoding.encode(name))")
  }

  /// Deletes all cookies the page gets.
  public func deleteCookies() async throws(WebDriverError) { try await delete("/cookie") }
}
