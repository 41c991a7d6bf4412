@testable import System
@testable import HTTP
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1)))
struct HTMLReadingTests {
  @Test func `upper case, unquoted attributes and unclosed tags read like tidy ones`() throws {
    let page = try page(
      """
      <HTML><TITLE>Sign &amp; in</TITLE><BODY><P>Hello<FORM ACTION=/go METHOD=POST>
      <P>Name <INPUT NAME=user TYPE=TEXT VALUE="A&amp;B"><BR>
      <LABEL FOR=p>Pass<INPUT ID=p NAME=pass TYPE=PASSWORD><INPUT TYPE=SUBMIT VALUE=Go NAME=go>
      """)
    #expect(page.title == "Sign & in")
    #expect(page.forms.count == 1)
    #expect(page.forms[0].method == .post)
    #expect(page.forms[0].controls.map(\.name) == ["user", "pass", "go"])
    #expect(page.forms[0].controls[0].value == "A&B")
  }

  @Test func `entities are decoded in values, actions and text`() throws {
    let page = try page(
      """
      <form action="/a?x=1&amp;y=2"><input type=hidden name=t value="&lt;&quot;&#39;&eacute;&#x1F600;">
      <button>D&eacute;j&agrave;&nbsp;vu</button></form>
      """)
    #expect(page.forms[0].action == "/a?x=1&y=2")
    #expect(page.forms[0].controls[0].value == "<\"'é😀")
    #expect(page.forms[0].submitters[0].label == "Déjà vu")
  }

  @Test func `a form across nested table markup keeps its controls`() throws {
    let page = try page(
      """
      <table><tr><form action=/login method=post><td><table><tr><td>
      <input name=username></td></tr></table></td>
      <td><input name=password type=password></td><td><input type=submit></td></form></tr></table>
      """)
    let form = try #require(page.forms.first)
    #expect(form.controls.map(\.name).prefix(2) == ["username", "password"])
    #expect(form.submitters.count == 1)
  }

  @Test func `a control belongs to the form its form attribute names`() throws {
    let page = try page(
      """
      <form id=a action=/a></form><form id=b action=/b><input name=mine></form>
      <input name=far form=a><button form=b name=ok value=1>OK</button>
      """)
    #expect(page.forms[0].controls.map(\.name) == ["far"])
    #expect(page.forms[1].controls.map(\.name) == ["mine", "ok"])
  }

  @Test func `disabled controls are not sent, not even those of a disabled fieldset`() throws {
    let page = try page(
      """
      <form><input name=a value=1><input name=b value=2 disabled>
      <fieldset disabled><legend><input name=c value=3></legend><input name=d value=4></fieldset>
      <select name=e><option disabled selected>x<option>y</select></form>
      """)
    #expect(entries(page) == ["a=1", "c=3"])
  }

  @Test func `boxes, radios, selects and text areas are sent as they stand`() throws {
    let page = try page(
      """
      <form><input type=checkbox name=a checked><input type=checkbox name=b>
      <input type=radio name=c value=1><input type=radio name=c value=2 checked>
      <select name=d><option value=x>X<option value=y selected>Y</select>
      <select name=e><option disabled>choose<option>first</select>
      <select name=f multiple><option selected>1<option>2<option selected>3</select>
      <textarea name=g>
      two
      lines</textarea><input value=nameless><input type=button name=h value=1></form>
      """)
    #expect(
      entries(page) == [
        "a=on", "c=2", "d=y", "e=first", "f=1", "f=3", "g=two\r\nlines",
      ])
  }

  @Test func `only the pressed button is sent`() throws {
    let page = try page(
      """
      <form><button name=no value=0>No</button><input type=submit name=yes value=1>
      <input type=image name=pic></form>
      """)
    #expect(entries(page) == [])
    #expect(entries(page, pressing: "yes") == ["yes=1"])
    #expect(entries(page, pressing: "pic") == ["pic.x=0", "pic.y=0"])
  }

  @Test func `the charset of the header wins over the page's word`() throws {
    let latin: [UInt8] =
      Array("<form><input name=a value=\"caf".utf8) + [0xE9] + Array("\"></form>".utf8)
    let page = try page(latin, at: "https://idp.example/", type: "text/html; charset=iso-8859-1")
    #expect(page.forms[0].controls[0].value == "café")
  }

  @Test func `malformed bytes do not end the page`() throws {
    for type in ["text/html", "text/html; charset=utf-8", "text/html; charset=windows-1252"] {
      let bytes = [0x81, 0x00, 0xFF, 0xC3] + Array("<form><input name=a value=1></form>".utf8)
      let page = try page(bytes, at: "https://idp.example/", type: type)
      #expect(entries(page) == ["a=1"])
    }
    let euro = Array("<meta charset=iso-8859-1><title>".utf8) + [0x80] + Array("</title>".utf8)
    #expect(try page(euro, at: "https://idp.example/", type: "text/html").title == "€")
    let japanese =
      Array("<meta charset=\"Shift_JIS\"><title>".utf8) + [0x93, 0xFA, 0x96, 0x7B]
      + Array("</title>".utf8)
    #expect(try page(japanese, at: "https://idp.example/", type: "text/html").title == "日本")
  }

  @Test func `a page without any word on its charset is UTF-8`() throws {
    let page = try page(
      Array("<title>日本</title><form></form>".utf8), at: "https://idp.example/", type: "text/html")
    #expect(page.title == "日本")
  }

  @Test(arguments: [
    "", "   ", "\u{0}\u{1}\u{2}", "<", "<!--", "<form", "]]>", "<svg><foreignObject>",
  ])
  func `scraps do not trap`(scrap: String) throws {
    let document = HTMLDocument(parsing: Array(scrap.utf8))
    #expect(document.map { PageForm.all(in: $0).count <= 1 } ?? true)
  }

  @Test func `endless nesting does not exhaust the stack`() throws {
    let deep = String(repeating: "<div><b>", count: 50_000) + "<form><input name=a></form>"
    let document = HTMLDocument(parsing: Array(deep.utf8))
    #expect((document?.elements.count ?? 0) <= HTMLDocument.maximumElements)
  }

  @Test func `a page of too many elements is refused`() throws {
    let wide = String(repeating: "<p>x", count: HTMLDocument.maximumElements + 10)
    #expect(HTMLDocument(parsing: Array(wide.utf8)) == nil)
  }

  @Test(arguments: [
    "<input @>", "<!-- <input @ -->", "<p title='<b @'>", "<script>a<b @</script>", "<b x=\">\" @>",
    "<b c\"d @>",
  ])
  func `a page whose attributes cost minutes is refused before it is parsed`(frame: String) {
    // libxml2 compares each attribute with those before it: 200,000 take minutes, and these seconds.
    let many = (0..<20_000).map { "a\($0)=1" }.joined(separator: " ")
    let html = frame.replacing("@", with: many)
    #expect(HTMLDocument(parsing: Array(html.utf8)) == nil)
    var wide: [UInt8] = []
    for byte in html.utf8 { wide += [byte, 0] }
    #expect(HTMLDocument(parsing: wide, charset: "utf-16le") == nil)
  }

  @Test func `many attributes, and much that only looks like attributes, are read`() throws {
    let words = String(repeating: "one two three ", count: 2000)
    let attributes = (0..<2000).map { "a\($0)=\"\($0)\"" }.joined(separator: " ")
    let tags = String(repeating: "<p id=a class='b c' title=d>e</p>", count: 10_000)
    let page = try page(
      """
      <script>for (i=0; i<n; i++) { f("\(words)") } // a > b</script><p title="\(words)">\(words)</p>
      \(tags)<form \(attributes)><input name=user value="\(words)"></form>
      """)
    #expect(page.forms.first?.controls.first?.value == words)
  }

  /// The time for each would grow with the square of its size, if controls were looked at two by two.
  @Test(arguments: [
    String(repeating: "<input type=radio name=r value=1 required>", count: 8_000),
    String(repeating: "<div>", count: 200) + String(repeating: "<input name=a>", count: 8_000),
    String(repeating: "<fieldset><legend>", count: 80)
      + String(repeating: "<input name=a>", count: 8_000),
    String(repeating: "<label for=a><i>", count: 80)
      + String(repeating: "<input id=a name=a>", count: 8_000),
    String(
      repeating: "<select name=s><option value=yes>Yes<option value=no>No</select>", count: 4_000),
    (0..<4_000).map {
      "<input type=radio name=q\($0) value=yes><input type=radio name=q\($0) value=no>"
    }
    .joined(),
  ])
  func `a page of many controls is read and filled`(_ content: String) async throws {
    let web = FakeWeb { request in
      request.method == "POST"
        ? moved("https://app.example/handler?code=1")
        : page("<form method=post>\(content)<button name=b value=1>Next</button></form>")
    }
    let answers = SignInAnswers(username: "ada", fields: ["r": Secret("1")])
    let arrival = try await web.arrival(answers, from: "https://idp.example/")
    #expect(arrival.url.fields["code"] == "1")
    let body = String(decoding: web.requests.last?.body ?? [], as: UTF8.self)
    #expect(body.hasSuffix("b=1"))
  }

  @Test func `a charset that browsers do not have is no way to hide tags`() throws {
    let page = try page(
      Array("<title>+ADw-b+AD4-</title><form></form>".utf8), at: "https://idp.example/",
      type: "text/html; charset=utf-7")
    #expect(page.title == "+ADw-b+AD4-")
  }

  @Test func `an alert is the page's message, hidden ones are not`() throws {
    let page = try page(
      """
      <div class=error hidden>old</div><div class="field-error" style="display: none">no</div>
      <p class="alert alert-danger">Wrong <b>password</b></p><form><input name=a></form>
      """)
    #expect(page.message == "Wrong password")
  }

  @Test func `meta refresh is read in its usual spellings`() throws {
    for content in ["0;url=/next", "0; URL='/next'", "3 ; url = \"/next\"", "0,/next"] {
      let text = content.split(separator: "\"").joined(separator: "&quot;")
      let page = try page("<meta http-equiv=Refresh content=\"\(text)\">")
      #expect(page.refresh?.description == "https://idp.example/next")
    }
  }

  @Test func `damaged pages do not trap`() throws {
    let whole = Array(
      """
      <!DOCTYPE html><html><head><base href="/b/"><title>T&amp;</title><meta charset=utf-8>
      <meta http-equiv=refresh content="0;url=/x"></head><body><table><form action="?a=1&amp;b" id=f>
      <label for=u>E-mail</label><input id=u type=email name="u" value='&#x1F600;&bogus;' required>
      <fieldset disabled><legend><input></legend></fieldset><select name=s multiple><optgroup disabled>
      <option selected>1</select><textarea name=t>
      x</textarea><button name=a value=b formaction=//h/p>Go</button></form></table></body></html>
      """.utf8)
    var generator = Damage(state: 42)
    let address = try #require(WebURL("https://idp.example/a?b#c"))
    for _ in 0..<3_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...8, using: &generator) where bytes.count > 1 {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: "<\"'>&/=".utf8.shuffled(using: &generator), at: place)
        default: bytes = Array(bytes[..<max(place, 1)])
        }
      }
      guard let page = try? SignInPage(HTTPResponse(status: 200, body: bytes, url: address)) else {
        continue
      }
      for form in page.forms {
        _ = FormSubmission(form, submitter: form.submitters.first, on: page)
      }
    }
  }
}

/// A small generator with a known start, so that a failure can be repeated.
private struct Damage: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
