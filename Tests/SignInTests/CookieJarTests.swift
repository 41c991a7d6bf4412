@testable import HTTP
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1)))
struct CookieJarTests {
  private func url(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

  private func header(_ cookies: [String], from: String, to: String, now: Int64 = 1_000) throws
    -> String?
  {
    var jar = CookieJar()
    jar.store(cookies, from: try url(from), now: 1_000)
    return jar.header(for: try url(to), now: now)
  }

  @Test func `a cookie stays with its host unless it names a domain`() throws {
    let from = "https://login.idp.example/"
    #expect(try header(["a=1"], from: from, to: "https://www.idp.example/") == nil)
    #expect(
      try header(["a=1; Domain=idp.example"], from: from, to: "https://www.idp.example/") == "a=1")
    #expect(
      try header(["a=1; Domain=.idp.example"], from: from, to: "https://idp.example/") == "a=1")
    #expect(try header(["a=1; Domain=other.example"], from: from, to: from) == nil)
    #expect(try header(["a=1; Domain=example"], from: from, to: from) == nil)
    #expect(
      try header(["a=1; Domain=idp.example"], from: from, to: "https://notidp.example/") == nil)
  }

  // The last is an exception to a rule for all names below kawasaki.jp.
  @Test(arguments: [
    ("idp.co.uk", "co.uk", false), ("ada.github.io", "github.io", false),
    ("idp.shop.kawasaki.jp", "shop.kawasaki.jp", false), ("login.okta.com", "okta.com", false),
    ("login.idp.co.uk", "idp.co.uk", true), ("login.city.kawasaki.jp", "city.kawasaki.jp", true),
  ])
  func `no cookie is for all below a public suffix`(
    host: String, domain: String, isKept: Bool
  ) throws {
    let cookie = try header(
      ["a=1; Domain=\(domain)"], from: "https://\(host)/", to: "https://other.\(domain)/")
    #expect((cookie != nil) == isKept)
  }

  @Test func `a cookie goes to its path and what is below`() throws {
    let from = "https://idp.example/x/y"
    #expect(try header(["a=1"], from: from, to: "https://idp.example/x/z") == "a=1")
    #expect(try header(["a=1"], from: from, to: "https://idp.example/") == nil)
    #expect(try header(["a=1; Path=/x"], from: from, to: "https://idp.example/xx") == nil)
    #expect(try header(["a=1; Path=/x"], from: from, to: "https://idp.example/x") == "a=1")
    #expect(
      try header(["a=1; Path=/", "b=2; Path=/x"], from: from, to: "https://idp.example/x/")
        == "b=2; a=1")
  }

  @Test func `a secure cookie needs encryption, except on this machine`() throws {
    #expect(try header(["a=1; Secure"], from: "https://i.example/", to: "http://i.example/") == nil)
    #expect(
      try header(["a=1; Secure"], from: "http://127.0.0.1:1/", to: "http://127.0.0.1:2/") == "a=1")
    #expect(try header(["a=1; Secure"], from: "http://i.example/", to: "https://i.example/") == nil)
    #expect(
      try header(["__Host-a=1; Path=/"], from: "https://i.example/", to: "https://i.example/")
        == nil)
  }

  @Test func `age wins over the date, and both end a cookie`() throws {
    let place = "https://i.example/"
    let past = "Expires=Thu, 01 Jan 1970 00:00:10 GMT"
    #expect(try header(["a=1; \(past)"], from: place, to: place) == nil)
    #expect(try header(["a=1; \(past); Max-Age=60"], from: place, to: place) == "a=1")
    #expect(try header(["a=1; Max-Age=60"], from: place, to: place, now: 1_061) == nil)
    #expect(try header(["a=1", "a=; Max-Age=0"], from: place, to: place) == nil)
    #expect(try header(["a=1", "a=2"], from: place, to: place) == "a=2")
  }

  @Test func `a jar does not grow without end`() throws {
    var jar = CookieJar()
    for number in 0..<500 { jar.store(["c\(number)=1"], from: try url("https://i.example/")) }
    let sent = try #require(jar.header(for: try url("https://i.example/")))
    #expect(sent.split(separator: ";").count == CookieJar.maximumPerHost)
  }
}
