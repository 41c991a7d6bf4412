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
      program: "Page/form")
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
    ]).run(program: "Page/element")
  }

  @Test func `what cannot be done is told in words`() async throws {
    try await WebPages(pages: ["/": Self.form + "<button disabled>Off</button>"]).run(
      program: "Page/refusals")
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
    ]).run(program: "Page/waiting")
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
    ]).run(program: "Page/frames")
  }

  @Test func `keys go to an element or to what has the focus`() async throws {
    try await WebPages(pages: [
      "/": """
      <form onsubmit="document.title='sent ' + this.q.value; return false">
      <input name=q autofocus></form>
      """
    ]).run(program: "Page/keys")
  }

  @Test func `cookies and pictures are the browser's own`() async throws {
    try await WebPages(pages: ["/": "<script>document.cookie='a=1; path=/'</script>"]).run(
      program: "Page/cookies")
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
    ]).run(program: "Page/passkey")
  }

  @Test func `what was typed is in no error`() async throws {
    try await WebPages(pages: ["/": Self.form]).run(program: "Page/typed")
  }
}
