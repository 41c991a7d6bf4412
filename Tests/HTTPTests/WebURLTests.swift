@testable import System
@testable import HTTP
import Testing

@Suite(.timeLimit(.minutes(1))) struct WebURLTests {
  @Test func `the parts of a URL are kept percent-encoded`() throws {
    let url = try #require(WebURL("HTTPS://Login.Example:8443/a%20b/accounts:signUp?k=v%26w&k=2#f"))
    #expect(url.scheme == "https")
    #expect(url.host == "login.example")
    #expect(url.port == 8443)
    #expect(url.path == "/a%20b/accounts:signUp")
    #expect(url.query == "k=v%26w&k=2")
    #expect(url.fragment == "f")
    #expect(url.origin == "https://login.example:8443")
    #expect(url.description == "https://login.example:8443/a%20b/accounts:signUp?k=v%26w&k=2#f")
    #expect(url.fields["k"] == "v&w")
    #expect(url.fields.all("k") == ["v&w", "2"])
  }

  @Test func `the scheme's own port is left out of the origin`() {
    #expect(WebURL("http://h")?.origin == "http://h")
    #expect(WebURL("http://h:80/")?.origin == "http://h")
    #expect(WebURL("https://h:443")?.port == 443)
    #expect(WebURL("https://h:80")?.origin == "https://h:80")
    #expect(WebURL("http://h")?.path == "/")
    #expect(WebURL("http://h?a=1")?.description == "http://h/?a=1")
  }

  @Test(arguments: [
    "127.0.0.1", "localhost", "localhost.", "LOCALHOST", "app.localhost", "[::1]", "127.0.0.9",
    "127.1",
    "2130706433", "0x7f.1", "0.0.0.0", "0", "[::]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]",
  ])
  func `all names and addresses of this machine's loopback are one server`(_ host: String) throws {
    let server = try #require(WebURL("http://127.0.0.1:9099"))
    let url = try #require(WebURL("http://\(host):9099/x"))
    #expect(url.isSameServer(as: server), "\(url)")
    #expect(!url.isSameServer(as: try #require(WebURL("http://127.0.0.1:9098"))))
  }

  @Test func `other names are other servers`() throws {
    let server = try #require(WebURL("http://localhost:9099"))
    for host in ["localhost.example", "128.0.0.1", "[::2]", "10.127.0.1"] {
      #expect(!(try #require(WebURL("http://\(host):9099")).isSameServer(as: server)), "\(host)")
    }
  }

  @Test(arguments: [
    "", "/a", "a", "//h/a", "ftp://h/", "file:///etc/passwd", "javascript:alert(1)", "http://",
    "http://h:0/", "http://h:99999/", "http://h:x/", "http://a b/", "http://user@h/",
    "http://user:pw@h/", "http://h\u{0}/", "mailto:a@h", "http:a", "http://b\u{FC}cher/",
  ])
  func `text that is no absolute web URL is refused`(_ text: String) {
    #expect(WebURL(text) == nil)
  }

  @Test func `bytes a URL may not hold are percent-encoded after the authority`() {
    #expect(WebURL(" http://h/a b?c d#e\u{E9} ")?.description == "http://h/a%20b?c%20d#e%C3%A9")
    #expect(WebURL("http://h/\n")?.description == "http://h/")
    #expect(WebURL("http://h/")?.with(query: "a b").description == "http://h/?a%20b")
    #expect(WebURL("http://h/?a")?.with(fragment: "x").description == "http://h/?a#x")
    #expect(
      WebURL("http://h/?a#x")?.with(query: nil).with(fragment: nil).description == "http://h/")
  }

  @Test func `an IPv6 host keeps its brackets`() {
    let url = WebURL("http://[::1]:99/x")
    #expect(url?.host == "[::1]")
    #expect(url?.origin == "http://[::1]:99")
    #expect(url?.isLoopback == true)
  }

  @Test(arguments: [
    ("http://localhost/", true), ("http://app.localhost/", true), ("http://127.0.0.1:1/", true),
    ("http://127.9.9.9/", true), ("http://128.0.0.1/", false), ("http://localhost.example/", false),
    ("http://127.0.0.1.example/", false), ("http://[::2]/", false),
  ])
  func `only this machine is loopback`(_ text: String, expected: Bool) throws {
    #expect(try #require(WebURL(text)).isLoopback == expected)
  }

  /// The examples of RFC 3986 section 5.4; a fetchable URL has at least the path "/".
  @Test(
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
      ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
      (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
      ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
      ("g#s/../x", "http://a/b/c/g#s/../x"), ("https://h/x", "https://h/x"),
      ("HTTP://h/../x", "http://h/x"), ("//h:81?x", "http://h:81/?x"),
      (" g h ", "http://a/b/c/g%20h"), ("?", "http://a/b/c/d;p?"), ("accounts:x", nil),
      ("./accounts:x", "http://a/b/c/accounts:x"), ("mailto:x@y", nil), ("http:g", nil),
    ] as [(String, String?)])
  func `a reference is resolved as RFC 3986 says`(_ reference: String, expected: String?) throws {
    let base = try #require(WebURL("http://a/b/c/d;p?q"))
    #expect(base.resolving(reference)?.description == expected)
  }
}
