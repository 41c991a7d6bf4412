@testable import IdentityToolkit
@testable import Journeys
@testable import SignIn
@testable import System
import Testing

/// What journeys attach, and what is recorded of their pages.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EvidenceTests {
  private func attachments(
    _ events: [RunEvent], of journey: String
  ) -> [(place: EventSource?, attachment: AttachmentEvent)] {
    events.compactMap { event in
      guard case .attachment(let attachment) = event.kind,
        event.place?.journey.hasSuffix("> \(journey)") == true
      else { return nil }
      return (event.place, attachment)
    }
  }

  @Test func `attachments are masked, checked and cut`() async throws {
    let events = try await TracedRun().events(luaProgram("Trace/attachments"))
    #expect(
      events.ends.map(\.status) == [.passed, .passed, .passed, .passed],
      "\(events.ends.map(\.failures))")
    let made = attachments(events, of: "attaches")
    let byName = Dictionary(uniqueKeysWithValues: made.map { ($0.attachment.name, $0) })
    #expect(made.count == 8 && byName["plain"]?.place?.step == 1)
    #expect(byName["plain"]?.attachment.content == .text("it is [secret 1]"))
    #expect(byName["plain"]?.attachment.type == "text/plain")
    let data = byName["data"]?.attachment
    #expect(data?.type == "application/json")
    #expect(data?.content == .text(#"{ "password": "[password 1]", "n": 1 }"#))
    #expect(byName["table"]?.attachment.ending == "csv")
    #expect(byName["bytes"]?.attachment.content == .bytes([0xFF, 0xFE, 0, 1]))
    #expect(byName["secret bytes"]?.attachment.note == "left out: it contains a secret of the run")
    #expect(byName["no picture"]?.attachment.content == .leftOut)
    let long = byName["long"]?.attachment
    #expect(long?.size == (1 << 20) + 5 && long?.note == "cut off at 1 MiB")
    #expect(long?.bytes?.count == (1 << 20) + "…".utf8.count)
    #expect(byName["large"]?.attachment.note == "left out: it is larger than 4 MiB")
    #expect(
      !events.everything.contains("hunter2-pass") && !events.everything.contains("other-pass"))
  }

  @Test func `secrets in HTML, headers and columns are masked, and many attachments left out`()
    async throws
  {
    let events = try await TracedRun().events(luaProgram("Trace/attachments"))
    let made = attachments(events, of: "attaches secrets").map(\.attachment)
    let texts = Dictionary(
      uniqueKeysWithValues: made.map { ($0.name, String(decoding: $0.bytes ?? [], as: UTF8.self)) })
    #expect(!events.everything.contains("-pw-3333"), "\(events.everything)")
    #expect(made.first { $0.name == "form" }?.type == "text/html")
    #expect(made.first { $0.name == "page" }?.type == "text/html")
    #expect(texts["form"]?.contains(#"type="password" value="[secret]""#) == true, "\(texts)")
    #expect(texts["later"]?.hasPrefix("it was [password ") == true)
    #expect(
      texts["csv"]?.wholeMatch(
        of: /user,"password",n\nada,"\[password \d+\]",1\nbob,\[password \d+\],2\n/)
        != nil, "\(texts)")
    #expect(texts["har"]?.contains(#""value":"Bearer [access token "#) == true, "\(texts)")
    let many = attachments(events, of: "attaches many")
    #expect(many.count == 100)
    #expect(
      events.everything.contains("4 attachments of this journey are too many for its reports"))
  }

  @Test func `attachments are reported without exchanges, and dropped when nothing shows them`()
    async throws
  {
    var run = TracedRun()
    run.trace = .off
    let program = try luaProgram("Trace/attachments")
    #expect(attachments(try await run.events(program), of: "attaches").count == 8)
    run.wantsExchanges = false
    #expect(attachments(try await run.events(program), of: "attaches").isEmpty)
  }

  @Test func `pages are recorded at each failure`() async throws {
    let events = try await TracedRun().events(luaProgram("Trace/pages"))
    #expect(
      events.ends.map(\.status)
        == [.failed, .passed, .failed, .failed, .failed, .failed, .failed, .failed, .failed],
      "\(events.ends.map(\.failures))")
    let failed = attachments(events, of: "fails with a page")
    #expect(failed.map(\.attachment.name) == ["check failed", "check failed", "failed", "failed"])
    #expect(
      failed.map(\.attachment.type) == ["image/png", "text/html", "image/png", "text/html"])
    #expect(failed.map { $0.place?.step } == [1, 1, nil, nil])
    for (_, attachment) in failed {
      #expect(attachment.isFailure && attachment.title == "Its title")
      #expect(
        attachment.url?.hasSuffix("/?password=[password 1]") == true, "\(attachment.url ?? "")")
      #expect(attachment.bytes != nil && attachment.note == nil)
    }
    #expect(failed.first?.attachment.bytes?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
    let html = String(decoding: failed.last?.attachment.bytes ?? [], as: UTF8.self)
    #expect(html.contains("A page</h1>"))
    // The script asked for it; the sign-in was meant to fail.
    #expect(
      attachments(events, of: "passes with a page").map(\.attachment.name)
        == ["asked for", "asked for"])
    #expect(
      attachments(events, of: "fails at a provider").map(\.attachment.name)
        == ["google.com: failed", "google.com: failed"])
    #expect(
      attachments(events, of: "fails at a form").map(\.attachment.type) == ["text/html"])
    for journey in ["fails in its end", "fails with a page of a scope"] {
      #expect(attachments(events, of: journey).map(\.attachment.name) == ["failed", "failed"])
    }
    #expect(
      attachments(events, of: "fails in the shop").map(\.attachment.name)
        == ["failed: Shop", "failed: Shop", "failed: Other", "failed: Other"])
    // The page of the shop is none of this journey.
    #expect(attachments(events, of: "fails without a page").isEmpty)
    #expect(events.everything.contains("the page was closed: attach a page before you close it"))
    let large = attachments(events, of: "fails on a large page").map(\.attachment)
    #expect(large.map(\.title) == ["Large", "Large"])
    #expect(large.last?.note?.contains("has more than 60000 elements") == true, "\(large)")
    #expect(events.everything.contains("data:text/html,…"))
    #expect(!events.everything.contains("<title>Other</title>another"))
    let console = events.compactMap { event -> ConsoleEvent? in
      if case .console(let line) = event.kind { line } else { nil }
    }
    #expect(console.contains { $0.level == "error" && $0.text.contains("it is [password 1]") })
    let requests = events.compactMap { event -> PageRequestEvent? in
      if case .request(let request) = event.kind { request } else { nil }
    }
    #expect(
      requests.contains { $0.url.contains("?password=[password 1]") && $0.status == 200 },
      "\(requests)")
    #expect(!events.everything.contains("hunter2"))
  }

  @Test func `on request pages are recorded after each step, or never`() async throws {
    var run = TracedRun()
    run.pages = .step
    let program = try luaProgram("Trace/pages")
    let steps = try await run.events(program)
    let names = attachments(steps, of: "passes with a page").map(\.attachment.name)
    #expect(names.prefix(4) == ["shows", "shows", "asked for", "asked for"])
    #expect(names.last == "google.com: failed")
    #expect(
      attachments(steps, of: "fails at a provider").map(\.attachment.name).first
        == "google.com: login")
    run.pages = nil
    let never = try await run.events(program)
    #expect(attachments(never, of: "fails with a page").isEmpty)
    #expect(attachments(never, of: "passes with a page").count == 2)
  }
}
