@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// The e-mails and SMS with their texts.
@Suite(.timeLimit(.minutes(1)))
struct SentMessageTests {
  private static let both = [Rules.production, .compatible]

  private func mails(_ emulator: Fixture, _ query: String = "") async throws -> [JSON] {
    let reply = try await emulator.request(
      "GET", "emulator/v1/projects/demo-luath/mails\(query)")
    return try #require(reply["mails"]?.array)
  }

  private func sms(_ emulator: Fixture, _ query: String = "") async throws -> [JSON] {
    let reply = try await emulator.request("GET", "emulator/v1/projects/demo-luath/sms\(query)")
    return try #require(reply["sms"]?.array)
  }

  @Test(arguments: both)
  func `each kind of e-mail has subject, text, HTML, sender and language`(rules: Rules)
    async throws
  {
    try await Fixture.run(rules: rules) { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      let page: JSON = "http://localhost/"
      let requests: [(JSON, subject: String)] = [
        (
          ["requestType": "PASSWORD_RESET", "email": "ada@b.example"],
          "Reset your password for demo-luath"
        ),
        (
          ["requestType": "EMAIL_SIGNIN", "email": "ada@b.example", "continueUrl": page],
          "Sign in to demo-luath"
        ),
        (["requestType": "VERIFY_EMAIL", "idToken": token], "Verify your email for demo-luath"),
        (
          [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "new@b.example",
          ], "Verify your new email for demo-luath"
        ),
      ]
      for (body, subject) in requests {
        let reply = try await emulator.post(
          "identitytoolkit.googleapis.com/v1/accounts:sendOobCode", body,
          headers: ["X-Firebase-Locale": "fr"])
        try #require(reply.status == 200, "\(reply.message)")
        let mail = try #require(try await mails(emulator).last)
        let link = try #require(mail["oobLink"]?.string)
        #expect(mail["subject"]?.string == subject)
        #expect(mail["from"] == "noreply@demo-luath.firebaseapp.com")
        #expect(mail["language"] == "fr" && mail["isUsed"] == false)
        #expect(mail["requestType"] == body["requestType"])
        let text = try #require(mail["text"]?.string)
        #expect(text.contains("\n\n\(link)\n\n") && !text.contains("<") && !text.contains("%LINK%"))
        #expect(text.hasPrefix("Hello,\n\n") && text.hasSuffix("\n\nYour demo-luath team"))
        #expect(mail["html"]?.string?.contains("href='\(Markup.escaped(link))'") == true)
        let codes = try await emulator.letters()
        #expect(codes.last?["oobCode"] == mail["oobCode"])
      }
      let all = try await mails(emulator)
      #expect(
        all.map { $0["to"] } == [
          "ada@b.example", "ada@b.example", "ada@b.example", "new@b.example",
        ])
      #expect(all.last?["email"] == "ada@b.example" && all.last?["newEmail"] == "new@b.example")
      #expect(all.last?["text"]?.string?.contains("new@b.example") == true)
    }
  }

  @Test func `a used e-mail stays and is marked, and the former address is told of a change`()
    async throws
  {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      _ = try await emulator.call(
        .sendOobCode,
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "new@b.example"])
      let code = try await emulator.newestCode()
      let used = try await emulator.call(.update, ["oobCode": code])
      try #require(used.status == 200, "\(used.message)")
      let all = try await mails(emulator)
      #expect(all.map { $0["isUsed"] } == [true, false])
      #expect(all.map { $0["requestType"] } == ["VERIFY_AND_CHANGE_EMAIL", "RECOVER_EMAIL"])
      #expect(all.last?["to"] == "ada@b.example")
      let text = try #require(all.last?["text"]?.string)
      #expect(text.contains("was changed to new@b.example"))
      #expect(try await mails(emulator, "?to=NEW@b.example").count == 1)
      #expect(try await mails(emulator, "?to=nobody@b.example").isEmpty)
    }
  }

  @Test func `a link that an administrator asks for is no e-mail`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let reply = try await emulator.admin(
        "accounts:sendOobCode",
        ["requestType": "VERIFY_EMAIL", "email": "ada@b.example", "returnOobLink": true])
      try #require(reply.status == 200, "\(reply.message)")
      #expect(try await mails(emulator).isEmpty)
      #expect(try await emulator.letters().count == 1)
      let page = try await PageVisitor(emulator).page("\(PageVisitor.project)/codes")
      #expect(page.contains("an administrator has the link"))
    }
  }

  @Test func `the project's own templates are filled in`() async throws {
    try await Fixture.run { emulator in
      let template: JSON = [
        "subject": "%APP_NAME%: 100% for %DISPLAY_NAME%",
        "senderDisplayName": "The %APP_NAME% team",
        "senderLocalPart": "hello", "replyTo": "help@b.example",
        "body":
          "<p>Dear %DISPLAY_NAME% &amp; co, %UNKNOWN%</p><a href=\"%LINK%\">verify %EMAIL%</a>",
      ]
      try await emulator.setConfig(
        "notification.sendEmail.verifyEmailTemplate,notification.sendEmail.callbackUri,"
          + "notification.sendEmail.resetPasswordTemplate,notification.defaultLocale,"
          + "notification.sendSms.smsTemplate.content",
        [
          "notification": [
            "defaultLocale": "ja", "sendSms": ["smsTemplate": ["content": "Code: %LOGIN_CODE%"]],
            "sendEmail": [
              "verifyEmailTemplate": template, "callbackUri": "http://localhost/action",
              "resetPasswordTemplate": [
                "body": "Reset %EMAIL% & more: %LINK%", "bodyFormat": "PLAIN_TEXT",
              ],
            ],
          ]
        ])
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      _ = try await emulator.call(.update, ["idToken": token, "displayName": "<Ada>"])
      _ = try await emulator.call(.sendOobCode, ["requestType": "VERIFY_EMAIL", "idToken": token])
      let mail = try #require(try await mails(emulator).last)
      let link = try #require(mail["oobLink"]?.string)
      #expect(link.hasPrefix("http://localhost/action?"))
      #expect(mail["subject"] == "demo-luath: 100% for <Ada>")
      #expect(mail["senderDisplayName"] == "The demo-luath team")
      #expect(mail["from"] == "hello@demo-luath.firebaseapp.com")
      #expect(mail["replyTo"] == "help@b.example" && mail["language"] == "ja")
      #expect(
        mail["html"]?.string
          == "<p>Dear &lt;Ada&gt; &amp; co, %UNKNOWN%</p><a href=\"\(Markup.escaped(link))\">"
          + "verify ada@b.example</a>")
      #expect(
        mail["text"]?.string == "Dear <Ada> & co, %UNKNOWN%\n\nverify ada@b.example (\(link))")

      _ = try await emulator.call(
        .sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      let reset = try #require(try await mails(emulator).last)
      #expect(reset["html"] == nil)
      let address = reset["oobLink"]?.string ?? ""
      #expect(reset["text"]?.string == "Reset ada@b.example & more: \(address)")

      let sent = try await emulator.textMessage(to: "+15555550100")
      let message = try #require(try await sms(emulator).last)
      #expect(message["text"]?.string == "Code: \(sent["code"]?.string ?? "")")
    }
  }

  @Test func `an SMS has its text, its language, and is used once`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.post(
        "identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode",
        ["phoneNumber": "+15555550100"], headers: ["X-Firebase-Locale": "de"])
      try #require(reply.status == 200, "\(reply.message)")
      let message = try #require(try await sms(emulator, "?to=%2B15555550100").first)
      let code = try #require(message["code"]?.string)
      #expect(
        message["text"]?.string == "\(code) is your verification code for demo-luath.")
      #expect(message["language"] == "de" && message["phoneNumber"] == "+15555550100")
      #expect(message["sessionInfo"] == reply["sessionInfo"] && message["isUsed"] == false)
      let signedIn = try await emulator.call(
        .signInWithPhoneNumber,
        ["sessionInfo": reply["sessionInfo"] ?? .null, "code": .string(code)])
      try #require(signedIn.status == 200, "\(signedIn.message)")
      #expect(try await sms(emulator).map { $0["isUsed"] } == [true])
      #expect(try await mails(emulator).isEmpty)
    }
  }

  @Test func `the page shows e-mails and SMS, used ones too`() async throws {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      _ = try await emulator.call(.sendOobCode, ["requestType": "VERIFY_EMAIL", "idToken": token])
      let mail = try #require(try await mails(emulator).first)
      let visitor = PageVisitor(emulator)
      let list = try await visitor.page("\(PageVisitor.project)/codes")
      #expect(list.contains("Verify your email for demo-luath") && list.contains("Open the link"))
      let page = try await visitor.page("\(PageVisitor.project)/message?number=1")
      #expect(page.contains("<iframe") && page.contains(" sandbox "))
      #expect(page.contains("Your demo-luath team") && !page.contains("<p>Hello"))
      let used = try await emulator.call(.update, ["oobCode": mail["oobCode"] ?? .null])
      try #require(used.status == 200, "\(used.message)")
      let after = try await visitor.page("\(PageVisitor.project)/codes")
      #expect(after.contains(">used<") && !after.contains("Open the link"))
      #expect(try await visitor.get("\(PageVisitor.project)/message?number=2").status == 404)
    }
  }

  @Test func `messages are in the state file`() async throws {
    let scratch = try StateScratch()
    let first = try await scratch.open()
    let token = try await first.signUp("ada@b.example")["idToken"] ?? .null
    _ = try await first.call(.sendOobCode, ["requestType": "VERIFY_EMAIL", "idToken": token])
    _ = try await first.textMessage(to: "+15555550100")
    let sent = (try await mails(first), try await sms(first))
    try #require(sent.0.count == 1 && sent.1.count == 1)
    await first.emulator.stop()
    let second = try await scratch.open()
    #expect(try await mails(second) == sent.0)
    #expect(try await sms(second) == sent.1)
    _ = try await second.textMessage(to: "+15555550101")
    #expect(try await sms(second).count == 2)
    await second.emulator.stop()
  }

  @Test func `the outbox drops its oldest messages`() {
    var outbox = Outbox(on: nil)
    for number in 1...Outbox.limit + 5 {
      outbox.add(
        SentMessage(
          recipient: "+1", text: "\(number)", language: "en", code: "\(number)", sentAt: 0,
          sessionInfo: "s"))
    }
    #expect(outbox.all.count == Outbox.limit && outbox.all.first?.text == "6")
    #expect(outbox[5] == nil && outbox[6]?.number == 6)
  }

  // MARK: Texts

  @Test(
    arguments: [
      ("Hello %N%,", ["N": ""], "Hello,"), ("%A%%B%", ["A": "1", "B": "2"], "12"),
      ("100 % %A%", ["A": "x"], "100 % x"), ("%A", ["A": "x"], "%A"), ("", [:], ""),
      ("%A%", ["A": "%B%", "B": "no"], "%B%"), ("%%A%%", ["A": "x"], "%x%"),
    ] as [(String, [String: String], String)])
  func `placeholders are replaced once`(
    template: String, values: [String: String], filled: String
  ) {
    #expect(MessageText.fill(template, values) == filled)
  }

  @Test(
    arguments: [
      ("<p>a</p>\n<p>b<br>c</p>", "a\n\nb\nc"),
      ("a &lt;b&gt; &amp;amp; &#8217;&#x41; &no;", "a <b> &amp; ’A &no;"),
      ("<style>p{}</style><title>t</title>x<!-- <p>no -->y", "xy"), ("1 < 2 &", "1 < 2 &"),
      ("<ul><li>a</li><li>b</li></ul>c", "- a\n- b\n\nc"), ("<a href='u>v'>u&gt;v</a>", "u>v"),
      ("<a href=u>go</a>", "go (u)"), ("<a href=\"x\"></a>", "x"), ("  a \n\t b ", "a b"),
      ("<script>while (1 < 2) {}</SCRIPT>z", "z"), ("<p", ""), ("<!-- open", ""),
      ("<div><p>a</p></div><div>b</div>", "a\n\nb"),
    ])
  func `HTML is read as text`(html: String, text: String) {
    #expect(MessageText.plain(html) == text)
  }
}
