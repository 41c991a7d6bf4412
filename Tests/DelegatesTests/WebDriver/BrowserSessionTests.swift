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
      try await session.reload()
      await #expect(throws: WebDriverError.self) { try await session.text(of: paragraphs[0]) }
    }
  }
}
