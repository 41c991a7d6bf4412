@testable import System
@testable import HTTP
import Testing

@testable import SignIn

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
      let paragraph = try await session.element("p")
      #expect(try await session.source().contains("second"))
      try await session.go(to: "\(origin)/other")
      #expect(try await session.title() == "/other")
      try await session.back()
      #expect(try await session.title() == "Ada & Bob")
      try await session.reload()
      let code = await session.failure { try await $0.click(paragraph) }
      #expect(code == .staleElementReference)
    }
  }

  @Test func `fields are filled, boxes ticked and forms sent`() async throws {
    let page = """
      <form action=/sent><label for=m>E-mail</label><input id=m name=m value=old>
      <input type=checkbox id=c checked><input id=d disabled><button>Go on</button></form>
      <p id=hidden style="display:none">x</p>
      """
    try await open(page) { session, origin in
      let field = try await session.element("#m")
      try await session.clear(field)
      try await session.type(Secret("ada@contoso.example"), into: field)
      #expect(
        try await session.execute("return document.activeElement.value") == "ada@contoso.example")
      let box = try await session.element("#c")
      #expect(try await session.execute("return arguments[0].checked", [box.json]) == true)
      try await session.click(box)
      #expect(try await session.execute("return arguments[0].checked", [box.json]) == false)
      let (disabled, hidden) = (
        try await session.element("#d"), try await session.element("#hidden")
      )
      #expect(await session.failure { try await $0.click(hidden) } == .elementNotInteractable)
      #expect(
        await session.failure { try await $0.type(Secret("x"), into: disabled) }
          == .elementNotInteractable)
      try await session.click(session.element("button"))
      // A click may be answered before its form has been sent.
      while try await session.url() == "\(origin)/" {}
      #expect(try await session.url() == "\(origin)/sent?m=ada%40contoso.example")
    }
  }

  @Test func `scripts take and return values, elements and failures`() async throws {
    var options = BrowserOptions()
    options.scriptTimeout = .seconds(3)
    try await open("<p>text", options) { session, _ in
      #expect(
        try await session.execute("return [arguments[0] + 1, null, {a: true}]", [41])
          == [42, nil, ["a": true]])
      let element = try await session.element("p")
      #expect(
        try await session.execute("return arguments[0].tagName", [element.json]) == "P")
      #expect(
        try await session.execute(
          "return new Promise(done => setTimeout(done, 1, arguments[0]))", ["late"]) == "late")
      #expect(
        await session.failure { _ = try await $0.execute("throw 'words'") } == .javascriptError)
      #expect(
        await session.failure { _ = try await $0.execute("return new Promise(() => {})") }
          == .scriptTimeout)
      let keys: JSON = [
        [
          "type": "key", "id": "k",
          "actions": [
            ["type": "keyDown", "value": "\u{E00C}"], ["type": "keyUp", "value": "\u{E00C}"],
          ],
        ]
      ]
      try await session.perform(actions: keys)
    }
  }

  @Test func `frames are entered and left, and a dialog is a failure`() async throws {
    try await open("<title>top</title><iframe src=/inner></iframe>") { session, origin in
      let frame = try await session.element("iframe")
      try await session.switchTo(frame: frame)
      #expect(try await session.execute("return document.title") == "/inner")
      try await session.switchToTopFrame()
      #expect(try await session.execute("return document.title") == "top")
      _ = try await session.execute("setTimeout(() => alert('secret words'))")
      #expect(await session.failure { _ = try await $0.title() } == .unexpectedAlertOpen)
      #expect(try await session.title() == "top")
    }
  }

  @Test func `cookies are read, HttpOnly ones too, and deleted`() async throws {
    try await open("x") { session, _ in
      #expect(try await session.cookies().isEmpty)
      try await session.post(
        "/cookie",
        ["cookie": ["name": "a", "value": "1", "httpOnly": true, "sameSite": "Strict"]])
      let cookies = try await session.cookies()
      let read = try #require(cookies.first)
      #expect(cookies.count == 1)
      #expect(read.value == Secret("1"))
      #expect(read.isHTTPOnly)
      #expect(read.sameSite == "Strict")
      try await session.deleteCookies()
      #expect(try await session.cookies().isEmpty)
    }
  }

  @Test func `a picture is a PNG file of the window's size`() async throws {
    var options = BrowserOptions()
    options.windowSize = (500, 400)
    try await open("<p>", options) { session, _ in
      let picture = try await session.screenshot()
      #expect(picture.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      #expect(Array(picture[16..<20]) == [0, 0, 500 >> 8, 500 & 255])
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
      let made = try await session.execute(Self.registration)
      #expect(made.string?.isEmpty == false)
      let passkeys = try await session.credentials(of: name)
      #expect(passkeys.count == 1)
      let passkey = try #require(passkeys.first)
      #expect(Base64URL.encode(passkey.id) == made.string)
      #expect(passkey.relyingParty == "localhost")
      #expect(passkey.isResident)
      #expect(try await session.execute(Self.assertion(within: 60_000)) == made)
      try await session.setUserVerified(false, in: name)
      #expect(try await session.execute(Self.assertion(within: 500)) == "NotAllowedError")
      try await session.setUserVerified(true, in: name)
      try await session.removeAuthenticator(name)
      #expect(
        await session.failure { _ = try await $0.credentials(of: name) } == .invalidArgument)
    }
  }

  private static let registration = """
    return navigator.credentials.create({publicKey: {
      challenge: new Uint8Array(16), rp: {name: "luath"}, user: {
        id: new Uint8Array([1, 2]), name: "ada", displayName: "Ada"},
      pubKeyCredParams: [{type: "public-key", alg: -7}],
      authenticatorSelection: {residentKey: "required", userVerification: "required"}}
    }).then(made => made.id, error => error.name);
    """

  private static func assertion(within milliseconds: Int) -> String {
    """
    return navigator.credentials.get({publicKey: {
      challenge: new Uint8Array(16), userVerification: "required", timeout: \(milliseconds)}
    }).then(made => made.id, error => error.name);
    """
  }

  @Test func `all commands go over one connection`() async throws {
    try await open("x") { session, _ in
      for _ in 0..<20 { _ = try await session.title() }
      let connections = RunningProcesses.connections(toPort: session.connection.base.port)
      #expect(connections == 1)
    }
  }
}
