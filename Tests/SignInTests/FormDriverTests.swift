@testable import Client
@testable import System
@testable import HTTP
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1)))
struct FormDriverTests {
  private let ada = SignInAnswers(username: "ada@idp.example", password: Secret("correct horse"))
  private var denying: SignInAnswers {
    var answers = ada
    answers.consent = false
    return answers
  }

  @Test func `a login form is filled and the redirect address is not fetched`() async throws {
    let log = Log()
    let browser = try Browser()
    let origin = try await browser.serve { request in
      log.note(
        "\(request.method) \(request.url.path) \(String(decoding: request.body, as: UTF8.self))")
      if request.method == "POST" { return redirect("\(redirectURI)?code=abc&state=s#frag") }
      return html(
        """
        <form method=post action=/session><input type=hidden name=t value="1&2">
        <input name=login><input type=password name=pw><input type=checkbox name=stay>
        <input type=search name=q form=other><input type=submit name=go value=Go></form>
        """)
    }
    let arrival = try await browser.drive(ada, from: "\(origin)/authorize?x=1")
    #expect(arrival.answer.address == "\(redirectURI)?code=abc&state=s#frag")
    #expect(
      log.all == [
        "GET /authorize ",
        "POST /session t=1%262&login=ada%40idp.example&pw=correct+horse&go=Go",
      ])
  }

  @Test func `cookies are kept across redirects and pages`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      let cookie = request.headers["Cookie"] ?? "none"
      switch request.url.path {
      case "/start": return redirect("/page", headers: ["Set-Cookie": "sid=1; HttpOnly; Path=/"])
      case "/page": return cookie == "sid=1" ? redirect("/out") : html("<p>no cookie")
      default: return redirect("\(redirectURI)?cookie=\(PercentEncoding.encode(cookie))")
      }
    }
    let arrival = try await browser.drive(ada, from: "\(origin)/start")
    #expect(arrival.url.fields["cookie"] == "sid=1")
  }

  @Test func `user name and password may be asked for on two pages`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      switch (request.method, request.url.path) {
      case ("POST", "/one"):
        html(
          """
          <form method=post action=two><p>ada@idp.example</p>
          <input type=password name=p autocomplete=current-password><button>OK</button></form>
          """)
      case ("POST", "/two"): redirect("\(redirectURI)?ok=\(request.form["p"] == "correct horse")")
      default:
        html(
          """
          <form role=search action=/s><input name=q></form>
          <form method=post action=one><input type=email name=e><input type=password name=h
          style="display:none"><button>Next</button></form>
          """)
      }
    }
    let arrival = try await browser.drive(ada, from: "\(origin)/")
    #expect(arrival.url.fields["ok"] == "true")
  }

  @Test func `form_post answers are handed back as fields`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in
      html(
        """
        <body onload="document.forms[0].submit()"><form method=post action="\(redirectURI)">
        <input type=hidden name=code value="c d"><input type=hidden name=state value=s>
        <noscript><button>Continue</button></noscript></form>
        """)
    }
    let arrival = try await browser.drive(ada, from: "\(origin)/")
    #expect(arrival.posted?["code"] == "c d")
    #expect(arrival.answer.address == "\(redirectURI)#code=c%20d&state=s")
  }

  @Test func `a chooser is answered with the person's account`() async throws {
    for choice in [
      "<button name=a value=other@idp.example>Other</button><button name=a value=ada@idp.example>Ada</button>",
      "<button name=a value=0>Other other@idp.example</button><button name=a value=ada@idp.example>Ada ada@idp.example</button>",
      "<label><input type=radio name=a value=1>x@idp.example</label><label><input type=radio name=a value=ada@idp.example>Ada (ada@idp.example)</label><button>Go</button>",
    ] {
      let browser = try Browser()
      let origin = try await browser.serve { request in
        request.method == "POST"
          ? redirect("\(redirectURI)?a=\(request.form["a"] ?? "")")
          : html("<h1>Choose an account</h1><form method=post>\(choice)</form>")
      }
      let arrival = try await browser.drive(ada, from: "\(origin)/")
      #expect(arrival.url.fields["a"] == "ada@idp.example")
    }
  }

  @Test func `a wrong password shown again is its own error`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      html(
        """
        <title>Log in</title>\(request.method == "POST" ? "<p role=alert>Not correct horse!" : "")
        <form method=post><input name=user><input type=password name=pw><button>Go</button></form>
        """)
    }
    let error = try #require(try await browser.failure(ada, from: "\(origin)/login?secret=1"))
    #expect(error.code == .passwordRefused)
    #expect(error.page == "\(origin)/login")
    #expect(error.title == "Log in")
    #expect(error.pageMessage == "Not [secret]!")
    #expect(error.field == "pw")
    #expect(!error.description.contains("correct horse"))
    #expect(!error.description.contains("secret=1"))
  }

  @Test func `an unknown user name is its own error`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in
      html("<div class=error>Unknown</div><form method=post><input type=email name=e><button>Next")
    }
    let error = try await browser.failure(ada, from: "\(origin)/")
    #expect(error?.code == .usernameRefused)
    #expect(error?.pageMessage == "Unknown")
  }

  @Test func `an error page is named with what it says`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      request.url.path == "/soft"
        ? html(
          "<title>Oops</title><h1>Something went wrong</h1><form><button>Retry</button></form>",
          status: 500)
        : html("<title>Sorry</title><div role=alert>AADSTS1: no</div>", status: 400)
    }
    let hard = try await browser.failure(ada, from: "\(origin)/hard")
    #expect(hard?.code == .errorPage)
    #expect(hard?.pageMessage == "AADSTS1: no")
    #expect(hard?.description.contains("status 400") == true)
    let soft = try await browser.failure(ada, from: "\(origin)/soft")
    #expect(soft?.code == .errorPage)
    #expect(soft?.pageMessage == "Something went wrong")
  }

  @Test(arguments: [
    "", "<p>Hello", "<script>app()</script><div id=root></div>", "plain text", "{\"a\":1}",
    "<form role=search><input name=q></form>", "<form><select name=lang><option>en</select></form>",
    "<div id=root><div role=alert>Loading...</div></div><script src=app.js></script>",
  ])
  func `a page without a usable form is its own error`(content: String) async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in html(content) }
    let error = try await browser.failure(ada, from: "\(origin)/app")
    #expect(error?.code == .noUsableForm)
    #expect(error?.page == "\(origin)/app")
  }

  @Test func `pages without end are given up`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      let number = Int(request.form["n"] ?? "0") ?? 0
      return html(
        "<form method=post><input type=hidden name=n value=\(number + 1)><button>Continue")
    }
    let error = try await browser.failure(ada, from: "\(origin)/", limits: FormLimits(pages: 5))
    #expect(error?.code == .neverRedirects)
  }

  @Test func `redirects without end are given up`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in redirect("/again") }
    #expect(try await browser.failure(ada, from: "\(origin)/")?.code == .neverRedirects)
  }

  @Test func `a page larger than allowed is refused`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in html(String(repeating: "x", count: 5_000)) }
    let error = try await browser.failure(
      ada, from: "\(origin)/", limits: FormLimits(pageBytes: 1_000))
    #expect(error?.code == .tooLarge)
  }

  @Test func `time runs out`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in redirect("/again") }
    let error = try await browser.failure(
      ada, from: "\(origin)/", limits: FormLimits(redirects: 1_000_000, duration: .milliseconds(50))
    )
    #expect(error?.code == .timedOut)
  }

  @Test func `an unreachable provider is a network error`() async throws {
    let browser = try Browser()
    let error = try await browser.failure(ada, from: "http://127.0.0.1:1/")
    #expect(error?.code == .network)
  }

  @Test func `denied consent is its own error, by button and by link`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      switch request.url.path {
      case "/cancel": redirect("\(redirectURI)?error=access_denied")
      case "/button" where request.method == "POST":
        request.form["d"] == "0" ? html("<h1>Bye</h1>") : redirect("\(redirectURI)?code=1")
      case "/button":
        html(
          "<title>Allow?</title><form method=post><button name=d value=1>Allow</button>"
            + "<button name=d value=0>Don't allow</button>")
      default:
        html(
          "<title>Allow?</title><form method=post action=/button><button name=d value=1>Continue"
            + "</button></form><a href=/cancel>[ Cancel ]</a>")
      }
    }
    for path in ["/button", "/link"] {
      let error = try await browser.failure(denying, from: origin + path)
      #expect(error?.code == .consentDenied)
      let arrival = try await browser.drive(ada, from: origin + path)
      #expect(arrival.url.fields["code"] == "1")
    }
  }

  @Test func `an error the provider sends back is an arrival`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in redirect("\(redirectURI)?error=login_required") }
    let arrival = try await browser.drive(ada, from: "\(origin)/")
    #expect(arrival.providerError == "login_required")
  }

  @Test func `a required field without an answer stops the drive at it`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      request.method == "POST"
        ? redirect("\(redirectURI)?otp=\(request.form["otp"] ?? "")")
        : html("<form method=post><label>One-time code<input name=otp required></label><button>OK")
    }
    let error = try await browser.failure(ada, from: "\(origin)/")
    #expect(error?.code == .missingAnswer)
    #expect(error?.field == "otp")
    var answers = ada
    answers.fields = ["One-time code": Secret("123456")]
    #expect(try await browser.drive(answers, from: "\(origin)/").url.fields["otp"] == "123456")
  }

  @Test func `the password does not go to another site`() async throws {
    let log = Log()
    let browser = try Browser()
    let thief = try await browser.serve { request in
      if request.method == "POST" { log.note("robbed") }
      return html("<form method=post><input name=user><input type=password name=pw><button>Go")
    }
    let elsewhere = thief.split(separator: ":").last ?? ""
    let origin = try await browser.serve { request in
      request.url.path == "/form"
        ? html(
          "<form method=post action=http://localhost:\(elsewhere)/><input name=user>"
            + "<input type=password name=pw><button>Go")
        : redirect("http://localhost:\(elsewhere)/")
    }
    for path in ["/form", "/redirect"] {
      let error = try await browser.failure(ada, from: origin + path)
      #expect(error?.code == .unsafePage)
    }
    #expect(log.all.isEmpty)
    var trusting = ada
    trusting.trustedOrigins = ["http://localhost:\(elsewhere)"]
    #expect(try await browser.failure(trusting, from: "\(origin)/form")?.code == .passwordRefused)
  }

  @Test func `a redirect that repeats the body does not carry the password away`() async throws {
    let log = Log()
    let browser = try Browser()
    let thief = try await browser.serve { request in
      log.note(request.method)
      return html("robbed")
    }
    let elsewhere = thief.split(separator: ":").last ?? ""
    let origin = try await browser.serve { request in
      request.method == "POST"
        ? redirect("http://localhost:\(elsewhere)/", status: 307)
        : html("<form method=post><input name=user><input type=password name=pw><button>Go")
    }
    #expect(try await browser.failure(ada, from: "\(origin)/")?.code == .unsafePage)
    #expect(log.all.isEmpty)
  }

  @Test func `a form that would put the password into the address is not sent`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { _ in
      html("<form><input name=user><input type=password name=pw><button>Go")
    }
    #expect(try await browser.failure(ada, from: "\(origin)/")?.code == .unsafePage)
  }

  @Test func `a form for a new account is not taken for the login`() async throws {
    let browser = try Browser()
    let origin = try await browser.serve { request in
      request.method == "POST"
        ? redirect("\(redirectURI)?form=\(request.url.path.dropFirst())")
        : html(
          """
          <form method=post action=/register><input name=email><input type=password name=a>
          <input type=password name=b><button>Sign up</button></form>
          <form method=post action=/login><input name=email><input type=password name=p>
          <button>Log in</button></form>
          """)
    }
    #expect(try await browser.drive(ada, from: "\(origin)/").url.fields["form"] == "login")
  }
}
