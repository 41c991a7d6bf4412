@testable import System
import Testing

@testable import Journeys

@Suite struct HTMLPageTests {
  private func page(_ text: String, title: String = "a run") -> String {
    let (head, tail) = HTMLPage.report.parts(title: title)
    return head + HTMLPage.data(["events": [["event": "log", "text": .string(text)]]]) + tail
  }

  /// What stands in the data element of a page.
  private func data(_ page: String) throws -> Substring {
    let begin = try #require(page.firstRange(of: "id=\"data\">"))
    let rest = page[begin.upperBound...]
    let end = try #require(rest.firstRange(of: "</script>"))
    return rest[..<end.lowerBound]
  }

  @Test(arguments: [
    "</script><script>alert(1)</script>", "<!--<script>", "{{script}}", "\u{2028}\u{0}\"\\", "]]>",
    "plain",
  ])
  func `data cannot leave its element, and is what it was`(text: String) throws {
    let data = try data(page(text))
    #expect(!data.contains("<"))
    let read = try JSON.parse(Array(data.utf8))
    #expect(read["events"]?.array?.first?["text"]?.string == text)
  }

  @Test func `a title is text`() {
    #expect(page("", title: "a & <b>").contains("<title>a &amp; &lt;b&gt;</title>"))
  }

  @Test func `the policy names style and script by their hashes`() throws {
    let page = page("")
    #expect(page.firstRange(of: "default-src 'none'") != nil)
    #expect(page.ranges(of: "'sha256-").count == 2)
  }

  @Test func `nothing is fetched`() {
    let page = page("")
    for word in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
      #expect(!page.contains(word), "the page has \(word)")
    }
  }

  @Test func `no text becomes markup`() {
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
      #expect(!page("").contains(word), "the page has \(word)")
    }
  }
}
