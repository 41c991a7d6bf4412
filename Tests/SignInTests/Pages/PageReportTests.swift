@testable import System
@testable import HTTP
import Testing

@testable import SignIn

/// What a script in a page reports is answered as the same page over HTTP would be.
@Suite struct PageReportTests {
  private static let answers = SignInAnswers(
    username: "ada@contoso.example", password: Secret("correct-horse"))

  private static func element(_ name: String) -> JSON {
    ["element-6066-11e4-a52e-4f735466cecf": .string(name)]
  }

  private static func control(_ more: JSONObject) -> JSON {
    var control: JSONObject = ["element": element("e"), "form": -1, "tag": "input", "type": "text"]
    for (key, value) in more.entries { control[key] = value }
    return .object(control)
  }

  private static func report(
    _ controls: [JSON], forms: [JSON] = [], more: JSONObject = [:]
  ) -> PageReport {
    var report: JSONObject = [
      "url": "https://login.example/start", "state": "complete", "root": element("root"),
      "title": "Sign in", "controls": .array(controls), "forms": .array(forms),
    ]
    for (key, value) in more.entries { report[key] = value }
    return PageReport(.object(report))
  }

  private static func step(_ report: PageReport) throws -> FormReader.Step {
    let page = try #require(report.page)
    var reader = FormReader(answers: answers, start: page.url, runsScripts: true)
    return try reader.step(on: page, status: report.status)
  }

  @Test func `fields and a button outside of all forms are one form`() throws {
    let report = Self.report([
      Self.control(["label": "User name"]), Self.control(["type": "password", "id": "pw"]),
      Self.control(["tag": "button", "type": "button", "label": "Go", "disabled": true]),
    ])
    guard case .send(let form, let submitter, .login) = try Self.step(report) else {
      Issue.record("this is a login page")
      return
    }
    #expect(form.controls.map(\.value) == ["ada@contoso.example", "correct-horse", ""])
    // Enabled by a script when the fields are filled, so it is not passed over.
    #expect(submitter?.label == "Go")
    #expect(report.owners == [nil, nil, nil])
  }

  @Test func `a plain button sends a form that has no other`() throws {
    let controls = [
      Self.control(["form": 0, "type": "password"]),
      Self.control(["form": 0, "tag": "button", "type": "button", "label": "Next"]),
    ]
    let report = Self.report(controls, forms: [["element": Self.element("f"), "method": "post"]])
    guard case .send(_, let submitter, .login) = try Self.step(report) else {
      Issue.record("this is a login page")
      return
    }
    #expect(submitter?.label == "Next")
    let own = Self.control(["form": 0, "tag": "button", "type": "submit", "label": "Sign in"])
    let other = Self.report(
      controls + [own], forms: [["element": Self.element("f"), "method": "post"]])
    #expect(other.page?.forms.first?.submitters.map(\.label) == ["Sign in"])
  }

  @Test func `what nobody can see is not filled`() throws {
    let report = Self.report([
      Self.control(["name": "email", "concealed": true]), Self.control(["name": "user"]),
      Self.control(["type": "password"]),
    ])
    guard case .send(let form, _, .login) = try Self.step(report) else {
      Issue.record("this is a login page")
      return
    }
    #expect(form.controls.map(\.value) == ["", "ada@contoso.example", "correct-horse"])
  }

  @Test func `consent is found among buttons made of anything`() throws {
    let report = Self.report([
      Self.control(["tag": "button", "type": "button", "label": "Cancel"]),
      Self.control(["tag": "button", "type": "button", "label": "Allow"]),
    ])
    guard case .send(_, let submitter, .accept) = try Self.step(report) else {
      Issue.record("this asks for consent")
      return
    }
    #expect(submitter?.position == 1)
  }

  @Test func `a blank page and one of the browser's own are none`() {
    #expect(PageReport(["url": "about:blank", "state": "complete"]).page == nil)
    #expect(PageReport(["url": "chrome-error://chromewebdata/"]).page == nil)
    #expect(PageReport(.null).page == nil)
  }

  @Test func `what was typed does not make a page another one`() {
    func look(_ value: String, disabled: Bool = false) -> String {
      Self.report([
        Self.control(["value": .string(value), "disabled": .bool(disabled)])
      ]).look
    }
    #expect(look("a") == look("b"))
    #expect(look("a") != look("a", disabled: true))
  }

  @Test(arguments: [
    ("https://a.example/done", "https://a.example/done?x=1", true),
    ("/done", "https://a.example/done", true), ("*/done", "https://a.example/done?x", false),
    ("*/done*", "https://a.example/done?x", true), ("https://a*b*c", "https://a-b-b-c", true),
    ("https://a*c", "https://ab", false), ("*", "", true), ("", "anything", true),
    ("ab*ba", "aba", false),
  ])
  func `addresses are compared with patterns`(pattern: String, address: String, fits: Bool) {
    #expect(AddressPattern(pattern).matches(address) == fits)
  }

  @Test func `keys are known by name`() {
    #expect(Keystroke("Enter") != nil)
    #expect(Keystroke("control+A") != nil)
    #expect(Keystroke("+") != nil)
    #expect(Keystroke("é") != nil)
    #expect(Keystroke("Entr") == nil)
    #expect(Keystroke("") == nil)
    #expect(Keystroke("Control+") == nil)
  }

  @Test func `a locator says what it looks for`() {
    let path = ElementPath(
      [.css("form"), Locator(by: .role, value: "button", name: "Go", nth: 2)],
      frames: [.css("#f")])
    #expect(
      path.words
        == "the button \"Go\", number 2 in the element \"form\" in the frame of the element \"#f\"")
  }
}
