@testable import System
@testable import HTTP
import Synchronization
import Testing

@testable import SignIn

/// What is recorded of pages in a real browser.
@Suite(.serialized, .timeLimit(.minutes(4))) struct PageEvidenceTests {
  private static let secret = "hunter2-pass"

  /// What a recorder received.
  private final class Received: Sendable {
    private let pages = Mutex<[PageEvidence]>([])
    private let entries = Mutex<[BrowserEntry]>([])

    var all: [PageEvidence] { pages.withLock { $0 } }
    var logged: [BrowserEntry] { entries.withLock { $0 } }

    func recorder(_ moment: PageRecorder.Moment? = .failure, logs: Bool = false) -> PageRecorder {
      let masker = SecretMasker([PageEvidenceTests.secret])
      var logged: (@Sendable ([BrowserEntry]) -> Void)?
      if logs { logged = { new in self.entries.withLock { $0 += new } } }
      return PageRecorder(
        moment: moment, clean: { masker.clean($0) },
        took: { page in self.pages.withLock { $0.append(page) } }, logged: logged)
    }
  }

  /// Records pages one after the other.
  private func pictures(_ pages: [String]) async throws -> [PageEvidence] {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      html(pages[Int(request.url.fields["page"] ?? "") ?? 0])
    }
    let received = Received()
    try await browser.drive(received.recorder()) { page in
      for index in pages.indices {
        try await page.open("\(origin)/?page=\(index)&code=\(Self.secret)")
        await page.record("failed", .failure)
      }
    }
    return received.all
  }

  private static func page(_ word: String) -> String {
    """
    <title>It is \(word)</title><h1>Token</h1><p>it is <b>\(word)</b>, really</p>
    <input type=submit value="\(word)"><input name=q placeholder="\(word)">
    <select><option>\(word)</option></select><div id=host></div>
    <iframe srcdoc="<p>\(word)</p>"></iframe>
    <script>
      document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<p>\(word)</p>";
    </script>
    """
  }

  @Test func `a picture shows the mask wherever the page shows a secret`() async throws {
    let pages = try await pictures([
      Self.page(Self.secret), Self.page(Redaction.mask), Self.page("x"),
    ])
    try #require(pages.count == 3)
    let pictures = try pages.map { try #require($0.picture) }
    #expect(pictures[0] == pictures[1])
    #expect(pictures[0] != pictures[2])
    #expect(pages[0].problem == nil)
    #expect(pages[0].url?.fields["code"] == Self.secret)
    // No value of the URL, and no script.
    let shown = try #require(pages[0].shown)
    #expect(shown.title == "It is [secret]")
    #expect(!shown.html.contains(Self.secret) && shown.html.contains("<h1>Token</h1>"))
    #expect(!shown.html.contains("attachShadow"))
  }

  @Test func `contents of fields are concealed, but not a user name`() async throws {
    func form(_ code: String, _ name: String) -> String {
      "<form><input name=otp value=\(code)><textarea>\(code)</textarea><input name=email value=\(name)>"
    }
    let pages = try await pictures([
      form("314159", "ada@a.example"), form("271828", "ada@a.example"),
      form("314159", "bob@a.example"), form("314159", Self.secret),
      form("314159", String(Self.secret.reversed())),
    ])
    try #require(pages.count == 5)
    #expect(pages[0].picture == pages[1].picture)
    #expect(pages[0].picture != pages[2].picture)
    #expect(pages[3].picture != pages[4].picture)
  }

  @Test func `the page is as before, and frames of other sites are hidden`() async throws {
    let browser = try Browser()
    let other = try await browser.serve { html("<h1>\($0.url.path)</h1>") }
    let origin = try await browser.serve { request in
      html(
        "<p id=p>\(Self.secret)</p><input id=i style='color: red;' value=x>"
          + "<iframe src='\(other)\(request.url.path)'></iframe>")
    }
    let received = Received()
    let before = "document.body.innerHTML + document.getElementById('i').value"
    try await browser.drive(received.recorder(.step)) { page in
      for path in ["/a", "/bbbbbbbb"] {
        try await page.open(origin + path)
        let shown = try await page.evaluate("return \(before)")
        await page.record("a step", .step)
        #expect(try await page.evaluate("return \(before)") == shown)
        #expect(try await page.evaluate("return 'luathUndo' in window") == false)
      }
    }
    let pages = received.all
    #expect(pages.map(\.name) == ["a step", "a step"])
    #expect(pages.map(\.reason) == [.step, .step])
    #expect(pages.first?.picture != nil && pages.first?.picture == pages.last?.picture)
  }

  @Test func `a page that shows its secret again and again gets no picture`() async throws {
    let pages = try await pictures([
      """
      <p id=p>\(Self.secret)</p>
      <script>
        const p = document.getElementById("p");
        new MutationObserver(() => {
          if (!p.textContent.includes("hunter2")) p.textContent = "hunter2" + "-pass";
        }).observe(p, { childList: true, characterData: true, subtree: true });
      </script>
      """
    ])
    let page = try #require(pages.first)
    #expect(page.picture == nil)
    #expect(page.problem == "the page shows secrets again and again")
    #expect(page.shown?.html.contains("<p id=\"p\">") == true)
  }

  @Test func `what is not wanted is not recorded`() async throws {
    let received = Received()
    let browser = try Browser()
    try await browser.drive(received.recorder(nil)) { page in
      try await page.open("data:text/html,<p>x")
      await page.record("failed", .failure)
      await page.record("a step", .step)
      #expect(received.all.isEmpty)
      await page.record("asked", .request)
      await page.close()
      await page.record("closed", .request)
    }
    #expect(received.all.map(\.name) == ["asked"])
    #expect(received.all.first?.url == nil)
    #expect(received.logged.isEmpty)
  }

  @Test func `console, uncaught errors and requests are read at the end of a page`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      switch request.url.path {
      case "/":
        html(
          "<script>console.warn('careful'); setTimeout(() => { throw new Error('boom') })</script>")
      case "/away": redirect("/there")
      default: html("none", status: 404)
      }
    }
    let received = Received()
    try await browser.drive(received.recorder(logs: true)) { page in
      try await page.open("\(origin)/")
      _ = try await page.evaluate("return fetch('/away', { method: 'POST' }).then(() => true)")
      #expect(received.logged.isEmpty)
    }
    let lines = received.logged.compactMap { entry -> ConsoleLine? in
      if case .console(let line) = entry.kind { line } else { nil }
    }
    #expect(lines.contains { $0.level == "warning" && $0.text.contains("careful") })
    #expect(lines.contains { $0.source == "javascript" && $0.text.contains("boom") })
    let requests = received.logged.compactMap { entry -> BrowserRequest? in
      if case .request(let request) = entry.kind { request } else { nil }
    }
    #expect(
      requests.contains { $0.url == "\(origin)/" && $0.status == 200 && $0.type == "Document" })
    #expect(
      requests.contains { $0.url == "\(origin)/away" && $0.method == "POST" && $0.status == 302 })
    #expect(requests.contains { $0.url == "\(origin)/there" && $0.status == 404 })
  }
}

extension Browser {
  /// Opens a page with a recorder, runs the body on the loop, and closes the page.
  func drive(
    _ recorder: PageRecorder, _ body: @Sendable (Page) async throws -> Void
  ) async throws {
    let page = try await Page.open(BrowserOptions(), loop: loop, recorder: recorder)
    do { try await body(page) } catch {
      await page.close()
      throw error
    }
    await page.close()
  }
}
