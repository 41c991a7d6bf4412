@testable import System
import Foundation
@testable import HTTP
import Synchronization
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1))) struct SignInTraceTests {
  private let answers = SignInAnswers(
    username: "ada@idp.example", password: Secret("correct horse+1"),
    fields: ["otp": Secret("314159")])

  /// A provider that repeats everything it is told.
  private func provider(_ browser: Browser) async throws -> String {
    try await browser.serve { request in
      let told = String(decoding: request.body, as: UTF8.self)
      let echo =
        "<p role=alert>\(Markup.escaped(request.form["pw"] ?? "")) \(told)"
        + " \(Base64.encode(request.body)) \(request.url)</p>"
      switch request.url.path {
      case "/two":
        return html(
          "<title>Code</title>\(echo)<form action=/three method=post><input name=otp required>")
      case "/three": return html("<title>Blocked</title><h1>No</h1>\(echo)", status: 403)
      default:
        return html(
          "<title>Log in</title>\(echo)<form action=/two method=post><input name=user>"
            + "<input type=password name=pw><input type=hidden name=x value=c5rf-T0ken-9a8b7c6d5e>")
      }
    }
  }

  @Test func `each page of a sign-in is kept, and no secret with it`() async throws {
    let folder = try ScratchFolder()
    let browser = try Browser()
    let origin = try await provider(browser)
    let trace = SignInTrace(folder: "\(folder.path)/deep/pages")
    let error = try #require(
      try await browser.failure(
        answers, from: "\(origin)/?state=st4te-value&nonce=n0nce-value", keeping: trace))
    #expect(error.code == .errorPage)
    let run = "deep/pages/001-idp.example"
    #expect(error.saved == "\(folder.path)/\(run)/03-failed.html")
    let names = folder.files.keys.sorted()
    #expect(
      names
        == ["01-login.html", "02-proceed.html", "03-failed.html", "index.json"].map {
          "\(run)/\($0)"
        })
    for name in names { #expect(try folder.mode(name) == 0o600) }
    for name in ["deep", "deep/pages", run] { #expect(try folder.mode(name) == 0o700) }
    for (name, text) in folder.files {
      for secret in [
        "correct horse+1", "314159", "st4te-value", "n0nce-value", "c5rf-T0ken-9a8b7c6d5e",
      ] {
        for spelling in [
          secret, PercentEncoding.encode(secret), secret.replacing(" ", with: "+"),
          Base64.encode(Array(secret.utf8)), Base64URL.encode(Array(secret.utf8)),
          Base64.encode(Array("pw=\(secret)".utf8)),
        ] {
          #expect(!text.contains(spelling.replacing("=", with: "")), "\(name) has \(spelling)")
        }
      }
    }
    let index = try JSON.parse(#require(folder.files["\(run)/index.json"]))
    let pages = try #require(index["pages"]?.array)
    #expect(pages.map { $0["step"] } == ["login", "proceed", "failed"])
    #expect(pages.map { $0["address"]?.string } == ["/", "/two", "/three"].map { origin + $0 })
    #expect(pages.last?["status"] == 403)
    #expect(pages.last?["title"] == "Blocked")
    #expect(pages.last?["time"]?.string?.hasSuffix("Z") == true)
  }

  @Test func `every sign-in has its own folder, and pictures are kept beside pages`() throws {
    let folder = try ScratchFolder()
    let url = try #require(WebURL("https://idp.example/a?code=1"))
    for _ in 0..<2 {
      SignInTrace(folder: folder.path).begin("../x y").page(
        html: Array("<p>".utf8), at: url, step: "a/b", type: "text/html")
    }
    let run = SignInTrace(folder: folder.path).begin("oidc.corp")
    let path = run.picture(png: [0x89, 0x50], at: url, step: "login")
    #expect(path == "\(folder.path)/003-oidc.corp/01-login.png")
    #expect(
      folder.files.keys.sorted() == [
        "001-.._x_y/01-a_b.html", "001-.._x_y/index.json", "002-.._x_y/01-a_b.html",
        "002-.._x_y/index.json", "003-oidc.corp/01-login.png", "003-oidc.corp/index.json",
      ])
  }

  @Test func `sign-ins that share a session at once keep their pages apart`() async throws {
    let folder = try ScratchFolder()
    let browser = try Browser()
    // The first page of each comes when both were asked for.
    let (arrivals, arrive) = AsyncStream<Void>.makeStream()
    let both = Task {
      var iterator = arrivals.makeAsyncIterator()
      for _ in 0..<2 { await iterator.next() }
    }
    let origin = try await browser.serve(answering: { request in
      guard request.method == "GET" else { return .now(redirect("\(redirectURI)?code=1")) }
      let name = request.url.fields["who"] ?? ""
      return .later {
        arrive.yield()
        await both.value
        return html(
          "<title>\(name)</title><form method=post><input name=user><input type=password name=pw>")
      }
    })
    let trace = SignInTrace(folder: folder.path)
    let names = ["one", "two"]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        let answers = answers
        group.addTask {
          _ = try await browser.join(answers, from: "\(origin)/?who=\(name)", keeping: trace)
        }
      }
      try await group.waitForAll()
    }
    for name in names {
      let pages = folder.files.filter { $0.key.contains("-\(name)/") }
      let index = try JSON.parse(#require(pages.first { $0.key.hasSuffix("index.json") }?.value))
      #expect(index["pages"]?.array?.compactMap { $0["title"]?.string } == [name])
    }
  }

  @Test func `what is no page is told and not kept`() throws {
    let folder = try ScratchFolder()
    let url = try #require(WebURL("https://idp.example/a"))
    let run = SignInTrace(folder: folder.path).begin("oidc.corp")
    let saved = run.page(
      html: Array("{\"token\":\"x\"}".utf8), at: url, step: "failed", type: "application/json",
      status: 500)
    #expect(saved == nil)
    #expect(folder.files.keys.sorted() == ["001-oidc.corp/index.json"])
    #expect(folder.files["001-oidc.corp/index.json"]?.contains("application/json") == true)
  }

  @Test(arguments: ["/dev/full/x", "/proc/nothing/x", "FILE/x"])
  func `a folder that cannot be written costs one warning`(place: String) async throws {
    let folder = try ScratchFolder()
    _ = FileManager.default.createFile(atPath: "\(folder.path)/FILE", contents: nil)
    let warnings = Mutex<[String]>([])
    let trace = SignInTrace(folder: place.replacing("FILE", with: "\(folder.path)/FILE")) {
      words, _ in
      warnings.withLock { $0.append(words) }
    }
    let browser = try Browser()
    let origin = try await provider(browser)
    for _ in 0..<2 {
      let error = try await browser.failure(answers, from: "\(origin)/", keeping: trace)
      #expect(error?.code == .errorPage)
      #expect(error?.saved == nil)
    }
    #expect(warnings.withLock { $0.count } == 1)
    #expect(warnings.withLock { $0.first?.contains("cannot be kept") } == true)
  }
}
