import Encoding
import HTTP
import Testing

@testable import Delegates

@Suite(.serialized, .timeLimit(.minutes(5))) struct BrowserSessionTests {
  /// Opens a headless browser at a page, runs the body, ends the browser.
  private func open(
    _ page: String, _ options: BrowserOptions = BrowserOptions(),
    _ body: @escaping @Sendable (BrowserSession, String) async throws -> Void
  ) async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      request.url.path == "/" ? html(page) : html("<title>\(request.url.path)</title>")
    }
    try await browser.open(options) { session in
      try await session.go(to: "\(origin)/")
      try await body(session, origin)
    }
  }

  @Test func `a page is opened, read and left`() async throws {
    try await open("<title>Ada &amp; Bob</title><p id=a>first</p><p>second</p>") {
      session, origin in
      #expect(session.browserName == "chrome-headless-shell")
      #expect(!session.browserVersion.isEmpty)
      #expect(try await session.title() == "Ada & Bob")
      #expect(try await session.url() == "\(origin)/")
      let paragraphs = try await session.find(value: "p")
      #expect(paragraphs.count == 2)
      #expect(try await session.text(of: paragraphs[1]) == "second")
      #expect(try await session.attribute("id", of: paragraphs[0]) == "a")
      #expect(try await session.attribute("id", of: paragraphs[1]) == nil)
      #expect(try await session.tagName(of: paragraphs[0]) == "p")
      #expect(try await session.find(value: "form").isEmpty)
      #expect(try await session.source().contains("second"))
      try await session.go(to: "\(origin)/other")
      #expect(try await session.title() == "/other")
      try await session.back()
      #expect(try await session.title() == "Ada & Bob")
      try await session.forward()
      #expect(try await session.title() == "/other")
      try await session.reload()
      let code = await session.failure { try await $0.click(paragraphs[0]) }
      #expect(code == .staleElementReference)
    }
  }

  @Test func `fields are filled, boxes ticked and forms sent`() async throws {
    let page = """
      <form action=/sent><label for=m>E-mail</label><input id=m name=m value=old>
      <input type=checkbox id=c checked><input id=d disabled><button>Go on</button></form>
      <p id=hidden style="display:none;color:rgb(1, 2, 3)">x</p>
      """
    try await open(page) { session, origin in
      let field = try await session.find(value: "#m")[0]
      try await session.clear(field)
      try await session.type(Secret("ada@contoso.example"), into: field)
      #expect(try await session.property("value", of: field) == "ada@contoso.example")
      #expect(try await session.activeElement() == field)
      #expect(try await session.label(of: field) == "E-mail")
      #expect(try await session.role(of: field) == "textbox")
      let box = try await session.find(value: "#c")[0]
      #expect(try await session.isSelected(box))
      try await session.click(box)
      #expect(try await session.isSelected(box) == false)
      let disabled = try await session.find(value: "#d")[0]
      #expect(try await session.isEnabled(field))
      #expect(try await session.isEnabled(disabled) == false)
      let hidden = try await session.find(using: .xpath, value: "//p")[0]
      #expect(try await session.isDisplayed(hidden) == false)
      #expect(try await session.style("color", of: hidden) == "rgba(1, 2, 3, 1)")
      #expect(await session.failure { try await $0.click(hidden) } == .elementNotInteractable)
      #expect(
        await session.failure { try await $0.type(Secret("x"), into: disabled) }
          == .elementNotInteractable)
      let form = try await session.find(value: "form")[0]
      let button = try await session.find(using: .tagName, value: "button", in: form)[0]
      #expect(try await session.role(of: button) == "button")
      try await session.click(button)
      #expect(try await session.url() == "\(origin)/sent?m=ada%40contoso.example")
    }
  }

  @Test func `scripts take and return values, elements and failures`() async throws {
    try await open("<div id=host></div><p>text") { session, _ in
      #expect(
        try await session.execute("return [arguments[0] + 1, null, {a: true}]", [41])
          == [42, nil, ["a": true]])
      let element = try #require(
        ElementID(try await session.execute("return document.querySelector('p')")))
      #expect(
        try await session.execute("return arguments[0].tagName", [element.json]) == "P")
      #expect(
        try await session.executeAsync("setTimeout(arguments[1], 1, arguments[0])", ["late"])
          == "late")
      #expect(
        await session.failure { _ = try await $0.execute("throw 'words'") } == .javascriptError)
      try await session.setTimeouts(script: .milliseconds(20))
      #expect(await session.failure { _ = try await $0.executeAsync("") } == .scriptTimeout)
      _ = try await session.execute(
        "document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML = '<b>in</b>'")
      let host = try await session.find(value: "#host")[0]
      let bold = try await session.find(value: "b", in: session.shadowRoot(of: host))
      #expect(try await session.text(of: bold[0]) == "in")
      #expect(
        await session.failure { _ = try await $0.shadowRoot(of: element) } == .noSuchShadowRoot)
      let keys: JSON = [
        [
          "type": "key", "id": "k",
          "actions": [
            ["type": "keyDown", "value": "\u{E00C}"], ["type": "keyUp", "value": "\u{E00C}"],
          ],
        ]
      ]
      try await session.perform(actions: keys)
      try await session.releaseActions()
    }
  }

  @Test func `windows, frames and dialogs are told apart`() async throws {
    try await open("<title>top</title><iframe src=/inner></iframe>") { session, origin in
      let frame = try await session.find(value: "iframe")[0]
      try await session.switchTo(frame: frame)
      #expect(try await session.execute("return document.title") == "/inner")
      try await session.switchToParentFrame()
      #expect(try await session.execute("return document.title") == "top")
      try await session.switchTo(frame: frame)
      try await session.switchToTopFrame()
      let first = try await session.window()
      let second = try await session.newWindow()
      #expect(try await session.windows() == [first, second])
      try await session.switchTo(window: second)
      try await session.resizeWindow(width: 640, height: 480)
      #expect(try await session.closeWindow() == [first])
      #expect(await session.failure { _ = try await $0.title() } == .noSuchWindow)
      try await session.switchTo(window: first)
      _ = try await session.execute("setTimeout(() => { window.answer = prompt('name?') })")
      #expect(try await session.alertText() == "name?")
      try await session.type(intoAlert: "Ada")
      try await session.acceptAlert()
      #expect(try await session.execute("return window.answer") == "Ada")
      #expect(await session.failure { try await $0.dismissAlert() } == .noSuchAlert)
      _ = try await session.execute("setTimeout(() => alert('secret words'))")
      #expect(await session.failure { _ = try await $0.title() } == .unexpectedAlertOpen)
      #expect(try await session.title() == "top")
    }
  }

  @Test func `cookies are read, set and deleted`() async throws {
    try await open("x") { session, _ in
      #expect(try await session.cookies().isEmpty)
      let cookie = BrowserCookie(
        name: "a", value: Secret("1"), isHTTPOnly: true, sameSite: "Strict")
      try await session.addCookie(cookie)
      let read = try await session.cookie(named: "a")
      #expect(read.value == Secret("1"))
      #expect(read.isHTTPOnly)
      #expect(read.sameSite == "Strict")
      #expect(try await session.cookies() == [read])
      try await session.deleteCookie(named: "a")
      #expect(await session.failure { _ = try await $0.cookie(named: "a") } == .noSuchCookie)
      try await session.addCookie(cookie)
      try await session.deleteCookies()
      #expect(try await session.cookies().isEmpty)
      let foreign = BrowserCookie(name: "b", value: Secret("2"), domain: "contoso.example")
      #expect(await session.failure { try await $0.addCookie(foreign) } == .invalidCookieDomain)
    }
  }

  @Test func `pictures are PNG files of the size that was asked for`() async throws {
    var options = BrowserOptions()
    options.windowSize = (500, 400)
    try await open("<p style='width:30px;height:20px;margin:0'>", options) { session, _ in
      let picture = try await session.screenshot()
      #expect(picture.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      #expect(Array(picture[16..<20]) == [0, 0, 500 >> 8, 500 & 255])
      let paragraph = try await session.find(value: "p")[0]
      let small = try await session.screenshot(of: paragraph)
      #expect(Array(small[16..<24]) == [0, 0, 0, 30, 0, 0, 0, 20])
    }
  }

  @Test(arguments: [nil, "/usr/bin/chromium"])
  func `pages are asked for in the language`(program: String?) async throws {
    let browser = try Browser()
    let log = Log()
    let origin = try await browser.serve { request in
      if request.url.path == "/" { log.note(request.headers["Accept-Language"] ?? "") }
      return html("x")
    }
    var options = BrowserOptions()
    options.browser = program
    options.language = "fr-CH"
    try await browser.open(options) { session in
      try await session.go(to: "\(origin)/")
      #expect(try await session.execute("return navigator.language") == "fr-CH")
      #expect(session.browserName == (program == nil ? "chrome-headless-shell" : "chrome"))
    }
    #expect(log.all.first?.hasPrefix("fr-CH") == true)
  }

  @Test(arguments: [nil, "/usr/lib/chromium/chromium-headless-shell"])
  func `a driver that runs already is used, and stays`(program: String?) async throws {
    let driver = try DriverProcess("/usr/bin/chromedriver", BrowserOptions())
    let browser = try Browser()
    let page = try await browser.serve { _ in html("<title>page</title>") }
    var options = BrowserOptions()
    options.driverURL = try await driver.address(within: .seconds(60), loop: browser.loop)
    options.browser = program
    try await browser.open(options) { session in
      try await session.go(to: page)
      #expect(try await session.title() == "page")
      #expect(RunningProcesses.holding(driver.folder).count > 1)
    }
    settles { RunningProcesses.holding(driver.folder).filter { !$0.isDriver }.isEmpty }
    #expect(driver.end == nil)
    await driver.end(within: .seconds(60), loop: browser.loop)
    #expect(driver.isGone)
  }

  @Test func `passkeys are made and used with a virtual authenticator`() async throws {
    try await open("x") { session, origin in
      // Browsers give passkeys to names and not to addresses.
      try await session.go(to: origin.replacing("127.0.0.1", with: "localhost"))
      let name = try await session.add(VirtualAuthenticator())
      let made = try await session.executeAsync(Self.registration)
      #expect(made.string?.isEmpty == false)
      let passkeys = try await session.credentials(of: name)
      #expect(passkeys.count == 1)
      let passkey = try #require(passkeys.first)
      #expect(Base64URL.encode(passkey.id) == made.string)
      #expect(passkey.relyingParty == "localhost")
      #expect(passkey.isResident)
      #expect(try await session.executeAsync(Self.assertion) == made)
      try await session.setUserVerified(false, in: name)
      #expect(try await session.executeAsync(Self.assertion) == "NotAllowedError")
      try await session.setUserVerified(true, in: name)
      try await session.removeCredential(passkey.id, from: name)
      #expect(try await session.credentials(of: name).isEmpty)
      try await session.add(passkey, to: name)
      #expect(try await session.executeAsync(Self.assertion) == made)
      try await session.removeCredentials(from: name)
      #expect(try await session.credentials(of: name).isEmpty)
      try await session.removeAuthenticator(name)
      #expect(
        await session.failure { _ = try await $0.credentials(of: name) } == .invalidArgument)
    }
  }

  private static let registration = """
    const done = arguments[0];
    navigator.credentials.create({publicKey: {
      challenge: new Uint8Array(16), rp: {name: "luath"}, user: {
        id: new Uint8Array([1, 2]), name: "ada", displayName: "Ada"},
      pubKeyCredParams: [{type: "public-key", alg: -7}],
      authenticatorSelection: {residentKey: "required", userVerification: "required"}}
    }).then(made => done(made.id), error => done(error.name));
    """

  private static let assertion = """
    const done = arguments[0];
    navigator.credentials.get({publicKey: {
      challenge: new Uint8Array(16), userVerification: "required", timeout: 500}
    }).then(made => done(made.id), error => done(error.name));
    """

  @Test func `all commands go over one connection`() async throws {
    try await open("x") { session, _ in
      for _ in 0..<20 { _ = try await session.title() }
      let connections = RunningProcesses.connections(toPort: session.connection.base.port)
      #expect(connections == 1)
    }
  }
}
