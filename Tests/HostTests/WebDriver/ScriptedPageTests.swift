@testable import HTTP
@testable import Host
import Testing

/// Sign-in pages that scripts build, which `ui.form` cannot answer.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ScriptedPageTests {
  /// One page for everything: user name, then password, then consent, by fetch-like waits.
  private static let application = """
    <title>Corp</title><div id=app></div><script>
    const app = document.getElementById('app'), q = new URLSearchParams(location.search);
    const show = html => { app.innerHTML = '<p>One moment</p>'; setTimeout(() => app.innerHTML = html, 150) };
    const back = more => location.href = q.get('redirect_uri') + '?state=' + q.get('state') + '&' + more;
    window.name1 = () => {
      const name = document.querySelector('input').value;
      if (!name.includes('@')) return fail('No such user');
      show('<h1>Password</h1><input type=password oninput="go.disabled = !this.value">'
        + '<div role=alert></div><button id=go type=button disabled onclick=pass1()>Log in</button>');
    };
    window.fail = words => document.querySelector('[role=alert]').textContent = words;
    window.pass1 = () => {
      if (document.querySelector('input').value !== 'right-one') return setTimeout(() => fail('Wrong password'), 100);
      show('<h1>Corp wants to know you</h1><label><input type=checkbox required onchange="ok.disabled = !this.checked"> E-mail</label>'
        + '<div role=button tabindex=0 onclick="back(\\'error=access_denied\\')">Cancel</div>'
        + '<button id=ok disabled onclick="back(\\'code=good\\')">Allow</button>');
    };
    show('<h1>Sign in</h1><label>E-mail or user name <input></label><div role=alert></div>'
      + '<button onclick=name1()>Next</button>');
    </script>
    """

  /// A port where nothing listens, and which the system gives to no other socket (ip(7), ip_local_port_range).
  private static func freePort() -> UInt16 {
    var port: UInt16
    repeat { port = UInt16.random(in: 20_000..<32_768) } while LoopbackPort.accepts(port)
    return port
  }

  @Test func `a page that scripts build is answered step by step`() async throws {
    try await WebPages(pages: ["/app": Self.application]).run(program: "ScriptedPage/steps")
  }

  @Test func `a page that cannot be answered is named`() async throws {
    try await WebPages(pages: [
      "/canvas": "<title>Game</title><canvas></canvas>",
      "/slow":
        "<title>Slow</title><script>setInterval(() => document.title = Date.now(), 50)</script>",
      "/error": "<title>Sorry</title><h1>Something went wrong</h1>",
      "/away":
        "<title>Away</title><script>setTimeout(() => location = 'http://127.0.0.1:1/', 100)</script>",
      "/close": "<title>Bye</title><p>…</p>",
    ]).run(program: "ScriptedPage/unanswerable")
  }

  @Test func `a password goes to nobody else and into no address`() async throws {
    let login =
      "<title>Log in</title><form %><input name=user><input type=password name=p><button>Go</button></form>"
    func page(_ attributes: String, _ script: String = "") -> String {
      login.replacing("%", with: attributes) + script
    }
    let seen = try await WebPages(pages: [
      "/get": page("action=/taken"),
      "/elsewhere": page("method=post action=http://localhost:1/taken"),
      "/swapped": page(
        "method=post action=/taken",
        "<script>document.querySelector('button').onclick = e => e.target.form.action = 'http://localhost:1/'</script>"
      ),
      "/handled": page(
        "onsubmit=\"event.preventDefault(); location = 'http://127.0.0.1:8910/callback?code=1'\""),
    ]).run(program: "ScriptedPage/password")
    #expect(!seen.contains { $0.url.description.contains("right-one") })
    #expect(!seen.contains { $0.url.path == "/taken" })
  }

  @Test func `a posted answer is caught by the listener`() async throws {
    let redirect = "http://127.0.0.1:\(Self.freePort())/callback"
    try await WebPages(pages: [
      "/post": """
      <body onload="document.forms[0].submit()"><form method=post action="\(redirect)">
      <input type=hidden name=code value=good><input type=hidden name=state value=s1></form>
      """,
      "/get": "<script>location = '\(redirect)?code=good&state=s1'</script>",
      "/forged": "<script>location = '\(redirect)?code=good&state=other'</script>",
    ]).run(program: "ScriptedPage/posted", given: ["redirect": redirect])
  }

  @Test func `a page of another site is not told the password`() async throws {
    try await CannedServer.run({ _ in
      ServerResponse(
        text: "<form method=post><input name=user><input type=password><button>Go</button></form>",
        type: "text/html")
    }) { server in
      let other = server.origin.replacing("127.0.0.1", with: "localhost")
      try await WebPages(pages: ["/hop": "-> \(other)/login"])
        .run(program: "ScriptedPage/other-site", given: ["other": other])
      let asked = server.received.filter { $0.method == "POST" }
      #expect(asked.count == 1, "only the trusted one got the form")
    }
  }
}
