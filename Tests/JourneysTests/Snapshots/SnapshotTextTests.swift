@testable import Host
@testable import Journeys
@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct SnapshotTextTests {
  private static func text(_ value: JSON, _ secrets: RunSecrets = RunSecrets()) -> String {
    SnapshotText(value, hiding: secrets, made: ["x-ab12cd34ef56-1"], now: now).text
  }

  private static let now: Int64 = 1_796_000_000_000

  @Test func `keys have no secrets, uids or characters that cannot be seen`() {
    let secrets = RunSecrets()
    secrets.mark(["correct horse 7", "tr0ub4dor 9"], kind: .password)
    let uid = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7b"
    let value: JSON = [
      "correct horse 7": 2, "tr0ub4dor 9": 1, uid: .string("in \(uid)."),
      "\u{202E}abc": "\u{200B}x\u{2028}", "lines": "a\u{202E}\nb",
    ]
    #expect(
      Self.text(value, secrets) == """
        {
          ["[password]"] = 1,
          ["[password] (2)"] = 2,
          ["[uid]"] = "in [uid].",
          lines =
            | a\\u202e
            | b
          ["\\u202eabc"] = "\\u200bx\\u2028",
        }

        """)
  }

  @Test func `the present and names of j unique are replaced under any name`() {
    let value: JSON = [
      "now": 1_796_000_003, "ms": .number(1_796_000_000_500.5), "text": "1796000000",
      "old": 1_795_310_107, "name": "x-ab12cd34ef56-1", "email": "x-ab12cd34ef56-1@b.example",
      "link": "/users/aB3dE6gH9jK2mN5pQ8sT1vW4yZ7b/x",
    ]
    #expect(
      Self.text(value) == """
        {
          email = "[unique]@b.example",
          link = "/users/[uid]/x",
          ms = [time],
          name = [unique],
          now = [time],
          old = 1795310107,
          text = [time],
        }

        """)
  }

  @Test func `a value stands on its line, under sorted keys`() {
    let value: JSON = [
      "name": "Ada \"L.\"", "list": [1, "two", [], [:]], "b": true, "none": .null, "half": 0.5,
      "a-b": 1, "nested": ["z": 1, "a": "x"],
    ]
    #expect(
      Self.text(value) == """
        {
          ["a-b"] = 1,
          b = true,
          half = 0.5,
          list = {
            1,
            "two",
            {},
            {},
          },
          name = "Ada \\"L.\\"",
          nested = {
            a = "x",
            z = 1,
          },
          none = null,
        }

        """)
    #expect(Self.text("words") == "\"words\"\n")
    #expect(Self.text(7) == "7\n")
    #expect(Self.text([:]) == "{}\n")
  }

  @Test func `a text of several lines has a line for each`() {
    #expect(
      Self.text(["text": "Hello,\r\n\nyour code\n", "list": ["a\nb"]]) == """
        {
          list = {
              | a
              | b
          },
          text =
            | Hello,
            |
            | your code
            |
        }

        """)
    #expect(Self.text("a\nb") == "  | a\n  | b\n")
  }

  @Test func `claims have kinds in the place of what differs`() {
    let uid = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7b"
    let claims: JSON = [
      "iss": "https://securetoken.google.com/demo", "aud": "demo", "auth_time": 1_795_310_107,
      "iat": 1_795_310_107, "exp": 1_795_313_707, "user_id": .string(uid), "sub": .string(uid),
      "friend": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7c", "count": 1_795_310_107, "nonce": "n-0123456",
      "jti": "abc", "tid": "9188040d-6c67-4c5b-b112-36a304b66dad",
      "path": .string("/users/\(uid)/"), "short": 42,
    ]
    #expect(
      Self.text(claims) == """
        {
          aud = "demo",
          auth_time = [time],
          count = 1795310107,
          exp = [time],
          friend = [uid],
          iat = [time],
          iss = "https://securetoken.google.com/demo",
          jti = [id],
          nonce = [nonce],
          path = "/users/[uid 2]/",
          short = 42,
          sub = [uid 2],
          tid = [id],
          user_id = [uid 2],
        }

        """)
  }

  @Test func `a response shows its JSON, and no port, time or length`() {
    let response: JSON = [
      "status": 200,
      "headers": [
        "content-length": "187", "date": "Fri, 27 Nov 2026 20:15:03 GMT",
        "set-cookie": "sid=abcdef123",
      ],
      "body": #"{"idToken":"it-1234567","expiresIn":"3600","error":{"code":"userNotFound"}}"#,
    ]
    #expect(
      Self.text(response) == """
        {
          body = json {
            error = {
              code = "userNotFound",
            },
            expiresIn = "3600",
            idToken = [ID token],
          },
          headers = {
            ["content-length"] = [size],
            date = [time],
            ["set-cookie"] = [cookie],
          },
          status = 200,
        }

        """)
  }

  @Test func `a mail shows its links, and no code, also where it has no name`() {
    let secrets = RunSecrets()
    secrets.mark("Marmalade", kind: .password)
    let mail: JSON = [
      "to": "ada@contoso.example", "sentAt": "2026-11-27T20:15:03.123Z", "code": "731204",
      "text":
        "Hello Marmalade,\nhttp://127.0.0.1:43211/emulator/action?mode=signIn&oobCode=oob-1234567&lang=fr\n731204",
    ]
    let text = Self.text(mail, secrets)
    #expect(
      text == """
        {
          code = [code],
          sentAt = [time],
          text =
            | Hello [password],
            | http://127.0.0.1:[port]/emulator/action?mode=signIn&oobCode=[action code]&lang=fr
            | [code]
          to = "ada@contoso.example",
        }

        """)
    // The same, whatever was shown before and whether secrets are shown.
    _ = secrets.clean("Marmalade 731204")
    #expect(Self.text(mail, secrets) == text)
    let shown = RunSecrets(areShown: true)
    shown.mark("Marmalade", kind: .password)
    #expect(Self.text(mail, shown) == text)
  }
}
