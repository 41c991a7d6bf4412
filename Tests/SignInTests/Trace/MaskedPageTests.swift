@testable import System
import Testing

@testable import SignIn

@Suite struct MaskedPageTests {
  private let secret = "hünter2 & \"co\"<3"

  private func masked(
    _ html: String, _ secrets: [String] = [], for use: MaskedPage.Use = .viewing
  ) throws -> String {
    let document = try #require(HTMLDocument(parsing: Array(html.utf8)))
    return MaskedPage.html(of: document, mask: PageMask(secrets.map { Secret($0) }), for: use)
  }

  @Test(arguments: [
    "<input type=hidden name=t value='SECRET'>", "<input type=password name=p value='SECRET'>",
    "<input name=otp value='SECRET'>", "<input autocomplete=one-time-code value='SECRET'>",
    "<textarea name=token>SECRET</textarea>", "<script>var x = 'SECRET'</script>",
    "<script type='application/json'>{\"a\":\"SECRET\"}</script>", "<div data-x='SECRET'></div>",
    "<a href='/next?SECRET'>x</a>", "<a href='/next?a=1&b=SECRET'>x</a>", "<a href='#SECRET'>x</a>",
    "<form action='https://a.example/b?c=SECRET#d=SECRET'></form>", "<img src='/i?SECRET'>",
    "<img src='data:image/png;base64,SECRET'>", "<a href='javascript:go(\"SECRET\")'>x</a>",
    "<button formaction='?x=SECRET' onclick='go(\"SECRET\")'>x</button>",
    "<meta http-equiv=refresh content='0;url=/x?y=SECRET'>", "<meta name=csrf content='SECRET'>",
    "<p><!-- SECRET --></p>", "<iframe srcdoc='SECRET'>SECRET</iframe>",
    "<script nonce='SECRET'></script>",
    "<object data='/x?SECRET'>SECRET</object>", "<img srcset='/x?SECRET 2x'>",
    "<a href='https://user:SECRET@a.example/'>x</a>", "<template data-t='SECRET'></template>",
  ])
  func `places where pages keep secrets are masked, known or not`(html: String) throws {
    for use in [MaskedPage.Use.viewing, .replaying] {
      let page = try masked(html.replacing("SECRET", with: "xk7q"), for: use)
      #expect(!page.contains("xk7q"), "\(page)")
    }
  }

  @Test func `a known secret is masked in every spelling`() throws {
    let percent = PercentEncoding.encode(secret)
    let spellings = [
      Markup.escaped(secret), percent, percent.replacing("%C3%BC", with: "%c3%bc"),
      String(FormFields([("", secret)]).encoded.dropFirst()),
      Base64.encode(Array(secret.utf8)), Base64URL.encode(Array(secret.utf8)),
      Base64.encode(Array("ada@idp.example:\(secret)".utf8)),
      Base64.encode(Array("x\(secret)yz".utf8)),
      Markup.escaped(Markup.escaped(secret)),
    ]
    for spelling in spellings {
      let page = try masked(
        "<title>t \(spelling)</title><p>a \(spelling) b<a href='/x/\(spelling)/y'>c</a>"
          + "<input name=user value='\(spelling)'>", [secret])
      let core = String(spelling.dropFirst(4).dropLast(5))
      #expect(!page.contains(core), "\(spelling): \(page)")
      #expect(page.contains("[secret]"))
    }
  }

  @Test func `tokens nobody told of are masked, and words are not`() throws {
    let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLTEyMw"
    let page = try masked(
      "<p>Your code is 4/0AX4XfWh-3kq_9sTzQ1w2e3r4t5y and \(token)</p>"
        + "<p>internationalization-of-everything; ada.lovelace@analytical.example")
    #expect(!page.contains("0AX4XfWh"))
    #expect(!page.contains("eyJzdWIiOiIxMjM0"))
    #expect(page.contains("internationalization-of-everything; ada.lovelace@analytical.example"))
  }

  @Test func `forms stay what the reader needs`() throws {
    let html = """
      <form method=post action="/login?state=abc"><label for=u>User name</label>
      <input id=u name=user value="ada"><input type=hidden name=csrf value="abc123">
      <input type=hidden name=login value="ada@idp.example">
      <input type=password name=pw autocomplete=current-password>
      <select name=s><option value=1 selected>One</select>
      <button name=answer value=accept>Accept</button></form>
      """
    let before = try #require(HTMLDocument(parsing: Array(html.utf8)))
    let text = try masked(html, for: .replaying)
    let after = try #require(HTMLDocument(parsing: Array(text.utf8), charset: "utf-8"))
    let forms = (PageForm.all(in: before), PageForm.all(in: after))
    #expect(forms.0.count == 1 && forms.1.count == 1)
    #expect(forms.0[0].controls.map(\.name) == forms.1[0].controls.map(\.name))
    #expect(forms.0[0].controls.map(\.label) == forms.1[0].controls.map(\.label))
    #expect(forms.0[0].controls.map(\.kind) == forms.1[0].controls.map(\.kind))
    #expect(forms.1[0].controls.map(\.value)[2] == "ada@idp.example")
    #expect(forms.1[0].action == "/login?state=%5Bsecret%5D")
  }

  @Test func `a page on show loads nothing, runs nothing and stays where it is`() throws {
    let page = try masked(
      """
      <head><base href="https://idp.example/"><meta http-equiv=refresh content="0;url=/x"></head>
      <body onload="go()"><script src=/app.js>go()</script><style>p { color: red }</style>
      <style></style></body>
      """)
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("refresh") && !page.contains("onload") && !page.contains("go()"))
    #expect(!page.contains("<base"))
    #expect(page.contains("color: red"))
  }

  @Test func `masking a masked page changes nothing`() throws {
    let html = "<form action='/a?b=c'><input type=hidden name=x value=y><p>hunter2 &amp; 'q'</form>"
    let once = try masked(html, ["hunter2"], for: .replaying)
    #expect(try masked(once, ["hunter2"], for: .replaying).count == once.count)
  }
}
