@testable import System
@testable import HTTP
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct PageTests {
  private static let form = """
    <title>Account</title><h1>Your account</h1>
    <form action=/saved>
      <label for=n>Name</label><input id=n name=n placeholder="Ada Lovelace">
      <label>Note <textarea name=note></textarea></label>
      <input type=password name=p aria-label=Password>
      <label><input type=checkbox name=agree> I agree</label>
      <label><input type=radio name=size value=s> Small</label>
      <label><input type=radio name=size value=l> Large</label>
      <select name=colour aria-label=Colour><option value=r>Red<option value=g>Green</select>
      <input type=date name=day aria-label=Day>
      <button data-testid=save>Save</button>
    </form>
    <p class=hint>Two words</p><button hidden>Secret</button><a href=/other>Elsewhere</a>
    """

  @Test func `a form is filled by what a person reads`() async throws {
    let seen = try await WebPages(pages: ["/": Self.form, "/saved": "<title>Saved</title>"]).run(
      """
      local page = webdriver.open()
      page:go(base .. "/")
      equal(page:title(), "Account")
      page:fill({ label = "Name" }, "Grace Hopper")
      equal(page:value "#n", "Grace Hopper")
      page:fill({ placeholder = "lovelace" }, "Ada & Bab\\u{E9} \\u{1F600}")
      page:fill({ role = "textbox", name = "Note" }, "two\\nlines")
      page:fill({ label = "Password" }, "correct horse")
      page:fill({ label = "Day" }, "1815-12-10")
      page:check { label = "I agree" }
      page:check { label = "I agree" }
      page:check { role = "radio", name = "Large" }
      page:select({ label = "Colour" }, "Green")
      equal(page:attribute("select", "name"), "colour")
      equal(page:attribute("select", "absent"), nil)
      page:click { testId = "save" }
      page:waitFor { url = "*/saved*" }
      equal(page:title(), "Saved")
      page:back()
      equal(page:title(), "Account")
      page:close()
      """)
    let sent = try #require(seen.last { $0.url.path == "/saved" })
    #expect(sent.url.fields["n"] == "Ada & Babé 😀")
    #expect(sent.url.fields["note"] == "two\r\nlines")
    #expect(sent.url.fields["p"] == "correct horse")
    #expect(sent.url.fields["agree"] == "on")
    #expect(sent.url.fields["size"] == "l")
    #expect(sent.url.fields["colour"] == "g")
    #expect(sent.url.fields["day"] == "1815-12-10")
  }

  @Test func `an element has the page's verbs`() async throws {
    try await WebPages(pages: [
      "/": """
      <ul><li><b>One</b> <button onclick="this.textContent='Gone'">Remove</button>
      <li><b>Two</b> <button onclick="this.textContent='Gone'">Remove</button>
      <li><b>Three</b> <button onclick="this.textContent='Gone'">Remove</button></ul>
      """
    ]).run(
      """
      local page <close> = webdriver.open()
      page:go(base .. "/")
      local items = page:findAll { role = "listitem" }
      equal(#items, 3)
      equal(items[2]:text(), "Two Remove")
      items[2]:find({ role = "button" }):click()
      equal(items[2]:text(), "Two Gone")
      equal(#page:findAll { role = "button", name = "Remove" }, 2)
      equal(#page:findAll "table", 0)
      equal(page:text { css = "li b", nth = 3 }, "Three")
      assert(tostring(items[1]):find("PageElement", 1, true))
      equal(page:isVisible { text = "Three" }, true)
      equal(page:isVisible { text = "Four" }, false)
      """)
  }

  @Test func `what cannot be done is told in words`() async throws {
    try await WebPages(pages: ["/": Self.form + "<button disabled>Off</button>"]).run(
      """
      local page = webdriver.open { timeout = 0.4 }
      page:go(base .. "/")
      local function fails(code, pattern, f, ...)
        local err = refused(code, f, ...)
        assert(err.message:find(pattern, 1, true), err.message)
        return err
      end
      local err = fails("elementNotFound", 'the button "Nothing"', page.click, page, { role = "button", name = "Nothing" })
      equal(err.page, base .. "/")
      equal(err.title, "Account")
      fails("ambiguousLocator", "2 elements fit", page.click, page, { role = "radio" })
      fails("notInteractable", "cannot be seen", page.click, page, "button[hidden]")
      fails("notInteractable", "is disabled", page.click, page, { text = "Off" })
      fails("notInteractable", "not a field", page.fill, page, "h1", "x")
      fails("notInteractable", "not a drop-down", page.select, page, "h1", "x")
      fails("elementNotFound", 'no option "Blue"', page.select, page, "select", "Blue")
      fails("notInteractable", "not a field for files", page.upload, page, "#n", "/etc/hostname")
      fails("invalidLocator", "cannot be looked for", page.click, page, "a[")
      fails("timedOut", "did not come within", page.waitFor, page, { text = "Never" })
      fails("timedOut", "the end of", page.waitFor, page, { gone = "h1", timeout = 0.2 })
      fails("javascriptError", "oh no", page.eval, page, "throw new Error('oh no')")
      fails("navigationFailed", "not one a page can be opened at", page.go, page, "somewhere")
      fails("navigationFailed", "ERR_CONNECTION_REFUSED", page.go, page, "http://127.0.0.1:8910/x?secret=1")
      fails("navigationFailed", "an error of its own", page.go, page, "http://127.0.0.1:9/")
      mistake("one of 'css'", page.click, page, {})
      mistake("not both", page.click, page, { css = "a", text = "b" })
      mistake("goes with 'role'", page.click, page, { css = "a", name = "b" })
      mistake("takes one of", page.waitFor, page, {})
      mistake("more than 0", page.click, page, "a", { timeout = 0 })
      mistake("arrowdown", page.press, page, "Nokey")
      page:close()
      page:close()
      fails("pageClosed", "was closed", page.title, page)
      """)
  }

  @Test func `a verb waits for what is slow`() async throws {
    try await WebPages(pages: [
      "/": """
      <div id=cover style="position:fixed;inset:0;background:white"></div>
      <input id=late disabled><button onclick="document.title='pressed'">Press</button>
      <script>
      setTimeout(() => document.getElementById('cover').remove(), 300);
      setTimeout(() => document.getElementById('late').disabled = false, 300);
      setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p>Here now'), 400);
      </script>
      """
    ]).run(
      """
      local page = webdriver.open()
      page:go(base .. "/")
      page:click { role = "button", name = "Press" }
      equal(page:title(), "pressed")
      page:fill("#late", "in time")
      equal(page:text { text = "here now" }, "Here now")
      page:eval "setTimeout(() => document.querySelector('p').remove(), 200)"
      page:waitFor { gone = { text = "Here now" } }
      page:waitFor { fn = "return document.title === arguments[0]", arguments = { "pressed" } }
      equal(page:eval "return new Promise(done => setTimeout(() => done(7), 50))", 7)
      equal(page:eval("return arguments[0].id + arguments[1].a", page:find "#late", { a = 1 }), "late1")
      equal(page:eval "return null", nil)
      page.timeout = 0.2
      equal(page.timeout, 0.2)
      refused("elementNotFound", page.click, page, "#none")
      """)
  }

  @Test func `fields in frames and shadow trees are reached`() async throws {
    try await WebPages(pages: [
      "/": """
      <title>Outside</title><iframe src=/inner id=one></iframe><x-box></x-box><script>
      document.querySelector('x-box').attachShadow({ mode: 'open' }).innerHTML =
        '<label>Deep <input id=deep></label>';
      </script>
      """,
      "/inner": "<title>Inside</title><label>Name <input></label><iframe src=/leaf></iframe>",
      "/leaf": "<p>Leaf</p><button onclick=\"this.textContent='Pressed'\">Leaf button</button>",
    ]).run(
      """
      local page = webdriver.open()
      page:go(base .. "/")
      page:fill({ label = "Name", frame = "#one" }, "framed")
      equal(page:value({ label = "Name", frame = "#one" }), "framed")
      page:click { role = "button", frame = { "#one", "iframe" } }
      equal(page:text { role = "button", frame = { "#one", "iframe" } }, "Pressed")
      equal(page:title(), "Outside")
      page:fill({ label = "Deep" }, "shadowed")
      equal(page:value "#deep", "shadowed")
      local err = refused("elementNotFound", page.click, page, { text = "x", frame = "#none" }, { timeout = 0.2 })
      assert(err.message:find("frame", 1, true), err.message)
      """)
  }

  @Test func `keys go to an element or to what has the focus`() async throws {
    try await WebPages(pages: [
      "/": """
      <form onsubmit="document.title='sent ' + this.q.value; return false">
      <input name=q autofocus></form>
      """
    ]).run(
      """
      local page = webdriver.open()
      page:go(base .. "/")
      page:fill("input", "words")
      page:press("Control+a", "input")
      page:press "Backspace"
      page:press "x"
      page:find("input"):press "Enter"
      page:waitFor { fn = "return document.title === 'sent x'" }
      """)
  }

  @Test func `cookies and pictures are the browser's own`() async throws {
    try await WebPages(pages: ["/": "<script>document.cookie='a=1; path=/'</script>"]).run(
      """
      local page = webdriver.open { windowSize = { 400, 300 }, language = "fr" }
      page:go(base .. "/")
      equal(page:cookies()[1].name, "a")
      equal(page:cookies()[1].value, "1")
      page:clearCookies()
      equal(#page:cookies(), 0)
      equal(page:eval "return navigator.language", "fr")
      assert(page:screenshot():sub(1, 8) == "\\x89PNG\\r\\n\\x1a\\n")
      local name = os.tmpname()
      equal(page:screenshot(name), io.open(name, "rb"):read "a")
      os.remove(name)
      refused("fileFailed", page.screenshot, page, "/no/such/folder/x.png")
      """)
  }

  @Test func `a passkey is made and used with a virtual authenticator`() async throws {
    try await WebPages(pages: [
      "/": """
      <button id=make>Make</button><button id=use>Use</button><p id=out></p><script>
      const bytes = n => crypto.getRandomValues(new Uint8Array(n));
      const say = words => document.getElementById('out').textContent = words;
      make.onclick = () => navigator.credentials.create({ publicKey: {
        rp: { name: 'Test' }, user: { id: bytes(8), name: 'ada', displayName: 'Ada' },
        challenge: bytes(16), pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' } } })
        .then(c => say('made ' + c.type), e => say('failed ' + e.name));
      use.onclick = () => navigator.credentials.get({ publicKey: {
        challenge: bytes(16), userVerification: 'required' } })
        .then(c => say('used ' + c.type), e => say('failed ' + e.name));
      </script>
      """
    ]).run(
      """
      local page = webdriver.open()
      -- Passkeys belong to a name, which an address in numbers is not.
      page:go((base:gsub("127%.0%.0%.1", "localhost")) .. "/")
      local key = page:addAuthenticator()
      page:click "#make"
      page:waitFor { text = "made public-key" }
      local passkeys = page:passkeys(key)
      equal(#passkeys, 1)
      equal(passkeys[1].rpId, "localhost")
      equal(passkeys[1].resident, true)
      page:click "#use"
      page:waitFor { text = "used public-key" }
      page:setVerified(key, false)
      page:click "#use"
      page:waitFor { text = "failed NotAllowedError" }
      page:removeAuthenticator(key)
      mistake("ctap2", page.addAuthenticator, page, { protocol = "x" })
      mistake("usb", page.addAuthenticator, page, { transport = "x" })
      refused("notSupported", page.removeAuthenticator, page, "unknown")
      """)
  }

  @Test func `what was typed is in no error`() async throws {
    try await WebPages(pages: ["/": Self.form]).run(
      """
      local page = webdriver.open { timeout = 0.2 }
      page:go(base .. "/")
      for _, place in ipairs { "#absent", "button[hidden]", "h1", "input", "a[" } do
        local ok, err = pcall(page.fill, page, place, "hunter2-hunter2")
        assert(not ok)
        for name, value in pairs(err) do
          assert(not tostring(value):find("hunter2", 1, true), name .. ": " .. tostring(value))
        end
      end
      """)
  }
}
