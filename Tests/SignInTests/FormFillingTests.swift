@testable import System
@testable import HTTP
import Testing

@testable import SignIn

/// How forms are filled that nobody here wrote.
@Suite(.timeLimit(.minutes(1))) struct FormFillingTests {
  private func answers(_ fields: [String: String] = [:], consent: Bool = true) -> SignInAnswers {
    SignInAnswers(
      username: "ada@idp.example", password: Secret("correct-horse"), consent: consent,
      fields: fields.mapValues { Secret($0) })
  }

  /// What is sent for a page of this content.
  private func sent(
    _ html: String, _ answers: SignInAnswers? = nil, type: String = "text/html"
  ) async throws -> String {
    let web = FakeWeb { request in
      request.method == "POST"
        ? moved("https://app.example/handler?code=1") : page(html, ["Content-Type": type])
    }
    _ = try await web.arrival(answers ?? self.answers(), from: "https://idp.example/")
    return String(decoding: web.requests.last?.body ?? [], as: UTF8.self)
  }

  /// What is sent to deny a page of this content.
  private func denied(_ html: String) async -> String {
    let web = FakeWeb { request in
      request.method == "POST"
        ? moved("https://app.example/handler?error=access_denied") : page(html)
    }
    let error = await web.failure(answers(consent: false), from: "https://idp.example/")
    #expect(error?.code == .consentDenied)
    return String(decoding: web.requests.last?.body ?? [], as: UTF8.self)
  }

  private func failure(_ html: String, _ answers: SignInAnswers? = nil) async -> FormDriverError? {
    await FakeWeb { _ in page(html) }.failure(
      answers ?? self.answers(), from: "https://idp.example/")
  }

  private let login = "<input name=u><input type=password name=p>"
  private let filled = "u=ada%40idp.example&p=correct-horse"

  @Test func `successful controls are sent in their order`() async throws {
    let body = try await sent(
      """
      <form method=post><input name=u><input type=password name=p><input name=off disabled value=1>
      <input type=checkbox name=c1 checked><input type=checkbox name=c2>
      <fieldset disabled><input name=f value=1></fieldset><input value=nameless>
      <select name=s><option>A<option selected value=b>B</select>
      <select name=d><option>A<option disabled selected value=c></select>
      <select name=m multiple><option selected>x<option selected>y<option>z</select>
      <input type=radio name=r value=1><input type=radio name=r value=2 checked>
      <textarea name=t>
      one
      two</textarea><input type=file name=file value=x><input type=reset name=reset value=1>
      <input type=button name=b value=1><button type=button name=bb>no</button>
      <input type=image name=go src=x><input type=hidden name=_charset_></form>
      """)
    #expect(
      body == filled + "&c1=on&s=b&m=x&m=y&r=2&t=one%0D%0Atwo&file=&go.x=0&go.y=0&_charset_=UTF-8")
  }

  @Test func `text is encoded in the charset of the page`() async throws {
    let form = "<form method=post>\(login)<input name=n value='&eacute;&#26085;'>"
    #expect(try await sent(form).hasSuffix("&n=%C3%A9%E6%97%A5"))
    #expect(
      try await sent(form, type: "text/html; charset=iso-8859-1").hasSuffix("&n=%E9%26%2326085%3B"))
    #expect(
      try await sent(form, type: "text/html; charset=shift_jis").hasSuffix("%93%FA"))
    #expect(
      try await sent(
        form.replacing("method=post", with: "method=post accept-charset='utf-8'"),
        type: "text/html; charset=iso-8859-1"
      ).hasSuffix("&n=%C3%A9%E6%97%A5"))
  }

  @Test func `fields for machines are left alone`() async throws {
    for trap in [
      "<input name=email style='position:absolute; left:-9999px'>",
      "<input name=website tabindex=-1 autocomplete=off>", "<div hidden><input name=email></div>",
      "<div aria-hidden=true><input name=email required></div>",
      "<div style='height:1px;opacity:0;'><input type=email name=email></div>",
      "<dialog><input name=email></dialog>",
    ] {
      let body = try await sent("<form method=post>\(trap)\(login)<button>Go")
      #expect(body.contains(filled), "\(trap): \(body)")
      #expect(body.contains("email=&") || !body.contains("email="), "\(trap): \(body)")
    }
  }

  @Test(arguments: [
    "<label for=x>One-time code:</label><input id=x name=field_1>",
    "<label>One-time code * <input name=field_1></label>",
    "<input name=field_1 aria-label='One-time code'>",
    "<span id=l>One-time</span><span id=k>code</span><input name=field_1 aria-labelledby='l k'>",
    "<input name=field_1 placeholder='One-time code'>",
    "<input name=field_1 autocomplete='section-x one-time-code'>",
    "<input id='one-time code' name=field_1>",
  ])
  func `a field is found by whatever names it`(field: String) async throws {
    let html = "<form method=post>\(field)<button>Go"
    let key = field.contains("autocomplete") ? "one-time-code" : "One-time code"
    #expect(try await sent(html, answers([key: "123"])) == "field_1=123")
    let missing = await failure(html)
    #expect(missing?.code == .missingAnswer)
    #expect(missing?.field == "field_1")
    #expect(missing?.hint?.contains("fields = { [\"field_1\"]") == true)
  }

  @Test func `a code that is asked for again was wrong`() async throws {
    for status in [200, 400, 401, 422] {
      let web = FakeWeb { request in
        page(
          "<p role=alert>314159 is wrong</p><form method=post><input name=otp><button>Go",
          status: request.method == "POST" ? status : 200)
      }
      let error = await web.failure(answers(["otp": "314159"]), from: "https://idp.example/")
      #expect(error?.code == .answerRefused)
      #expect(error?.field == "otp")
      #expect(error?.message.contains("314159") == false)
      #expect(web.requests.count == 2, "a wrong code is sent once")
    }
  }

  @Test func `what a field cannot take is told by its name`() async throws {
    for (field, value, words) in [
      ("<input name=x maxlength=3>", "1234", "longer than the 3 characters"),
      ("<select name=x><option value=a>A<option value=b disabled>B</select>", "b", "choices: a, b"),
      ("<select name=x><option value=a>A</select>", "z", "choices: a"),
      ("<input type=radio name=x value=a><input type=radio name=x value=b>", "z", "choices: a, b"),
    ] {
      let error = await failure("<form method=post>\(field)<button>Go", answers(["x": value]))
      #expect(error?.code == .missingAnswer, "\(field)")
      #expect(error?.field == "x")
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
    for field in [
      "<select name=x required><option value=''>Choose<option>A</select>",
      "<input type=radio name=x value=a required><input type=radio name=x value=b>",
      "<textarea name=x required></textarea>", "<input type=file name=x required>",
    ] {
      let error = await failure("<form method=post>\(login)\(field)<button>Go")
      #expect(error?.code == .missingAnswer, "\(field)")
      #expect(error?.field == "x")
    }
    let long = "<form method=post><input name=u><input type=password name=p maxlength=5><button>Go"
    #expect(await failure(long)?.field == "p")
  }

  @Test func `choices are answered by value and by words`() async throws {
    let html =
      "<form method=post><select name=s><option value=1>One<option value=2>Two</select>"
      + "<label><input type=radio name=r value=a>Yes please</label>"
      + "<label><input type=radio name=r value=b checked>Later</label>"
      + "<input type=checkbox name=c checked><button>Go"
    #expect(
      try await sent(html, answers(["s": "Two", "r": "Yes please", "c": "false"])) == "s=2&r=a")
    #expect(try await sent(html, answers(["s": "1", "r": "b"])) == "s=1&r=b&c=on")
  }

  @Test func `a consent may be a box, radio buttons or a list`() async throws {
    let boxes =
      "<form method=post><input type=checkbox name=scope value=a><input type=checkbox name=scope"
      + " value=b><input type=checkbox name=news value=1><button name=d value=1>Allow</button>"
      + "<button name=d value=0>Deny"
    #expect(try await sent(boxes) == "scope=a&scope=b&d=1")
    #expect(await denied(boxes) == "d=0")
    #expect(try await sent(boxes.replacing("value=b", with: "value=b checked")) == "scope=b&d=1")
    for choice in [
      "<label><input type=radio name=d value=1>Allow</label><label><input type=radio name=d value=0>Deny</label>",
      "<select name=d><option value=0>Deny<option value=1>Allow</select>",
    ] {
      let html = "<form method=post>\(choice)<button>Submit"
      #expect(try await sent(html) == "d=1")
      #expect(await denied(html) == "d=0")
    }
  }

  @Test func `a code is given although the consent shall be denied`() async throws {
    let html =
      "<form method=post><input name=otp autocomplete=one-time-code><button>Continue</button>"
      + "<button name=d value=no>Cancel</button></form>"
    #expect(try await sent(html, answers(["otp": "123456"], consent: false)) == "otp=123456")
  }

  @Test func `staying signed in is no consent`() async throws {
    let web = FakeWeb { request in
      switch (request.method, request.url.path) {
      case ("POST", "/stay"): moved("https://app.example/handler?code=1")
      default:
        page(
          "<h1>Stay signed in?</h1><form method=post action=/stay><button name=k value=1>Yes"
            + "</button><button name=k value=0>No</button>")
      }
    }
    let arrival = try await web.arrival(answers(consent: false), from: "https://idp.example/")
    #expect(arrival.url.fields["code"] == "1")
  }

  @Test func `a notice about cookies is passed by`() async throws {
    let body = try await sent(
      "<form method=post action=/banner><button name=b value=1>Accept all cookies</button>"
        + "<button name=b value=0>Reject all cookies</button></form>"
        + "<dialog open><form method=dialog><button>OK</button></form></dialog>"
        + "<form method=post>\(login)<button>Log in</button></form>")
    #expect(body == filled)
  }

  @Test func `of several passwords the current one is meant`() async throws {
    let body = try await sent(
      "<form method=post><input name=u><input type=password name=pin><input type=password name=p"
        + " autocomplete='current-password'><button>Go", answers(["pin": "0000"]))
    #expect(body == "u=ada%40idp.example&pin=0000&p=correct-horse")
  }
}
