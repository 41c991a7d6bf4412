@testable import System
@testable import HTTP
import Testing

@testable import SignIn

/// What comes instead of a page, and what the error says of it.
@Suite(.timeLimit(.minutes(1))) struct StrangePageTests {
  private let ada = SignInAnswers(username: "ada@idp.example", password: Secret("correct-horse"))
  private let start = "https://idp.example/authorize?state=s3cr3t"

  @Test(arguments: ["application/json", "application/pdf", "image/png", "text/plain", "text/csv"])
  func `another type of content is told`(type: String) async throws {
    let web = FakeWeb { _ in page("{\"a\":1}", ["Content-Type": "\(type); charset=utf-8"]) }
    let error = await web.failure(ada, from: start)
    #expect(error?.code == .noUsableForm)
    #expect(error?.message.contains("it is no page but \(type)") == true)
    #expect(error?.message.contains("s3cr3t") == false)
  }

  @Test func `a download is no page, and an empty one neither`() async throws {
    let download = FakeWeb { _ in
      page(
        "<form>", ["Content-Type": "text/html", "Content-Disposition": "Attachment; filename=x"])
    }
    #expect(await download.failure(ada, from: start)?.code == .noUsableForm)
    let empty = await FakeWeb { _ in page("") }.failure(ada, from: start)
    #expect(empty?.message.contains("it is empty") == true)
  }

  @Test(arguments: [500, 502, 503, 504, 429])
  func `a fault of the provider is told with its status and words`(status: Int) async throws {
    let login = "<form method=post><input name=u><input type=password name=p><button>Go</form>"
    let web = FakeWeb { _ in
      page(
        "<title>Down</title><div role=alert>Back at noon</div>" + (status >= 500 ? login : ""),
        status: status)
    }
    let error = await web.failure(ada, from: start)
    #expect(error?.code == .errorPage)
    #expect(error?.message.contains("(status \(status))") == true)
    #expect(error?.pageMessage == "Back at noon")
    #expect(error?.hint?.contains("provider's") == true)
    #expect(web.requests.count == 1)
    let silent = await FakeWeb { _ in page("", status: status, [:]) }.failure(ada, from: start)
    #expect(silent?.message.contains("(status \(status))") == true)
  }

  @Test func `a page that a script builds points to the browser`() async throws {
    for html in [
      "<div id=root></div><script src=/app.js></script>",
      "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
      "<script>location.replace('/login')</script>",
      "<script src=x></script><form action='javascript:void(0)'><input name=u><input type=password name=p>",
      "<script src=x></script><template><form method=post><input type=password></form></template>",
    ] {
      let error = await FakeWeb { _ in page(html) }.failure(ada, from: start)
      #expect(error?.code == .noUsableForm, "\(html)")
      #expect(error?.hint?.contains("ui.webdriver") == true, "\(html)")
    }
  }

  @Test func `HTTP authentication is named`() async throws {
    for body in ["", "<h1>Unauthorized</h1>"] {
      let web = FakeWeb { _ in
        page(
          body, status: 401,
          ["Content-Type": "text/html", "WWW-Authenticate": "Negotiate, Basic realm=\"x\""])
      }
      let error = await web.failure(ada, from: start)
      #expect(error?.code == .errorPage)
      #expect(error?.message.contains("HTTP authentication (Negotiate)") == true)
    }
  }

  @Test(arguments: [
    "<meta http-equiv=refresh content='0;url=/next'>",
    "<meta http-equiv=Refresh content='0; URL=\"/next\"'>",
    "<meta http-equiv=refresh content='.5, /next'>",
    "<noscript><meta http-equiv=refresh content='0;url=/next'></noscript>", "HEADER",
  ])
  func `a refresh is followed as a browser does`(html: String) async throws {
    let web = FakeWeb { request in
      if request.url.path == "/next" { return moved("https://app.example/handler?code=1") }
      if html == "HEADER" {
        return page("<p>", ["Content-Type": "text/html", "Refresh": "0; url=/next"])
      }
      return page(html)
    }
    #expect(try await web.arrival(ada, from: start).url.fields["code"] == "1")
  }

  @Test func `refreshes without end are given up, and late ones are not waited for`() async throws {
    let web = FakeWeb { request in
      let number = Int(request.url.fields["n"] ?? "0") ?? 0
      return page("<meta http-equiv=refresh content='0;url=/?n=\(number + 1)'>")
    }
    #expect(await web.failure(ada, from: start)?.code == .neverRedirects)
    let itself = FakeWeb { _ in page("<meta http-equiv=refresh content=1>") }
    #expect(await itself.failure(ada, from: start)?.code == .neverRedirects)
    let late = FakeWeb { _ in page("<meta http-equiv=refresh content='600;url=/logout'>") }
    #expect(await late.failure(ada, from: start)?.code == .noUsableForm)
    #expect(late.requests.count == 1)
  }

  @Test func `a page with too many elements is not read`() async throws {
    let web = FakeWeb { _ in page(String(repeating: "<br>", count: 70_000)) }
    let error = await web.failure(ada, from: start)
    #expect(error?.message.contains("more than 60000 elements, which is the limit") == true)
    #expect(error?.hint?.contains("ui.webdriver") == true)
    let tag = "<p " + (0..<20_000).map { "a\($0) " }.joined() + ">"
    let wide = await FakeWeb { _ in page(tag) }.failure(ada, from: start)
    #expect(wide?.message.contains("10,000 attributes or more, which is the limit") == true)
  }

  @Test func `a page that comes too late is neither read nor taken for the answer`() async throws {
    let web = FakeWeb { _ in
      // From the request on, which comes after the driver's time has begun.
      let end = ContinuousClock.now + .milliseconds(30)
      while ContinuousClock.now <= end {}
      return page(
        "<form method=post action='https://app.example/handler'><input type=hidden name=code value=1>"
      )
    }
    let error = await web.failure(
      ada, from: start, limits: FormLimits(duration: .milliseconds(30)))
    #expect(error?.code == .timedOut)
  }

  @Test func `what is compressed unasked is not unpacked`() async throws {
    for coding in ["gzip", "br", "deflate, gzip"] {
      let web = FakeWeb { _ in
        page("\u{1F}\u{8B}", ["Content-Type": "text/html", "Content-Encoding": coding])
      }
      let error = await web.failure(ada, from: start)
      #expect(error?.code == .noUsableForm)
      #expect(error?.message.contains("compressed, which was not asked for") == true)
    }
  }

  @Test func `a bare remark after the password is told`() async throws {
    let web = FakeWeb { request in
      request.method == "POST"
        ? page("<p>Authentication failed for correct-horse</p>", status: 403)
        : page("<form method=post><input name=u><input type=password name=p><button>Go")
    }
    let error = await web.failure(ada, from: start)
    #expect(error?.code == .errorPage)
    #expect(error?.pageMessage == "Authentication failed for [secret]")
  }

  @Test func `a password that is missing is asked for as such`() async throws {
    let web = FakeWeb { _ in page("<form method=post><input name=u><input type=password name=p>") }
    let error = await web.failure(SignInAnswers(username: "ada"), from: start)
    #expect(error?.code == .missingAnswer)
    #expect(error?.hint == "give the delegate the password")
  }

  @Test func `a circle of redirects is told as one`() async throws {
    let web = FakeWeb { request in moved(request.url.path == "/a" ? "/b" : "/a") }
    let error = await web.failure(ada, from: start)
    #expect(error?.code == .neverRedirects)
    #expect(error?.message.contains("20 redirects in a row") == true)
  }
}
