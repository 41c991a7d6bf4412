import Foundation
import Testing

/// Where the pages and attachments of a journey appear.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EvidenceTests {
  private static let signature = Data([0x89, 0x50, 0x4E, 0x47])

  @Test func `pages and attachments are in JUnit, HTML, events and the folder of pages`()
    async throws
  {
    let folder = try JourneyFolder(program: "Evidence/shown")
    let ending = try await folder.test(
      "--report", "junit:out/junit.xml,html:out/report.html,json:out/events.ndjson", "--pages",
      "kept")
    #expect(ending.code == 1, "\(ending.errors)")
    let junit = folder.text(of: "out/junit.xml")
    for file in ["0001-the_basket.csv", "0002-failed.png", "0003-failed.html"] {
      #expect(junit.contains("[[ATTACHMENT|out/junit-attachments/\(file)]]"), "\(junit)")
    }
    #expect(folder.text(of: "out/junit-attachments/0001-the_basket.csv") == "2 teas")
    #expect(
      folder.data(of: "out/junit-attachments/0002-failed.png").starts(with: Self.signature))
    #expect(folder.text(of: "out/junit-attachments/0003-failed.html").contains("<h1>Tea</h1>"))
    // The order of the journey's own folder is that of its events.
    let kept = "kept/001-shows_its_page"
    #expect(folder.text(of: "\(kept)/01-the_basket.csv") == "2 teas")
    #expect(folder.data(of: "\(kept)/02-failed.png").starts(with: Self.signature))
    #expect(folder.text(of: "\(kept)/03-failed.html").contains("<h1>Tea</h1>"))
    #expect(ending.output.contains("failed: "), "\(ending.output)")
    #expect(ending.output.contains("/\(kept)/02-failed.png"), "\(ending.output)")
    let events = folder.text(of: "out/events.ndjson").split(separator: "\n")
    let attachments = events.filter { $0.hasPrefix(#"{"event":"attachment","#) }
    #expect(attachments.count == 3 && attachments[1].contains(#""failure":true"#))
    let page = folder.text(of: "out/report.html")
    #expect(page.contains(#""data":"iVBORw0KGgo"#) && page.contains(#""title":"A shop""#))
    // Made again from the events, the report has its files too.
    let again = try await folder.luath("report", "junit:again.xml", "out/events.ndjson")
    #expect(again.code == 0, "\(again.errors)")
    #expect(
      folder.data(of: "again-attachments/0002-failed.png")
        == folder.data(of: "out/junit-attachments/0002-failed.png"))
  }

  @Test func `pictures are taken after each step, or never`() async throws {
    let folder = try JourneyFolder(program: "Evidence/shown")
    _ = try await folder.test("--report", "json:events.ndjson", "--pictures", "step")
    let names = folder.text(of: "events.ndjson").split(separator: "\n")
      .filter { $0.hasPrefix(#"{"event":"attachment","#) }.compactMap { line in
        line.firstMatch(of: #/"name":"([^"]*)"/#)?.output.1
      }
    #expect(names == ["the basket", "pays", "pays", "failed", "failed"])
    _ = try await folder.test("--report", "json:events.ndjson", "--pictures", "off")
    let text = folder.text(of: "events.ndjson")
    #expect(text.contains("the basket") && !text.contains("image/png"))
    let wrong = try await folder.test("--pictures", "always")
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("--pictures"), "\(wrong.errors)")
  }

  @Test func `a folder for attachments that cannot be written spoils the report alone`()
    async throws
  {
    let folder = try JourneyFolder(program: "Evidence/shown")
    try folder.write([], to: "junit-attachments")
    let ending = try await folder.test("--report", "junit:junit.xml", "--pictures", "off")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("cannot write"), "\(ending.errors)")
    #expect(folder.text(of: "junit.xml").contains("</testsuites>"))
  }
}
