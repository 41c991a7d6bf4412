@testable import IdentityToolkit
@testable import System
import Testing

@Suite struct LooseFieldsTests {
  private func masked(_ text: String) -> String {
    LooseFields.masking(text, by: "…", as: .words)
  }

  @Test(arguments: [
    ("at http://ada:hunter22@a.example/x", "at http://ada:…@a.example/x"),
    ("postgres://ada:hun@ter22@db:5432/x", "postgres://ada:…@db:5432/x"),
    ("https://gho_16C7e42F292c6912E7@a.example/", "https://…@a.example/"),
    ("a=1&password[new]=hunter22&b=2", "a=1&password[new]=…&b=2"),
    ("user%5Bpassword%5D=hunter22&b=2", "user%5Bpassword%5D=…&b=2"),
    ("?X-Amz-Signature=ab12cd34&x=1", "?X-Amz-Signature=…&x=1"),
    ("X-Auth: hunter22", "X-Auth: …"), ("myPw=hunter22", "myPw=…"),
  ])
  func `a value under a name of secrets is masked`(_ text: String, _ shown: String) {
    #expect(masked(text) == shown)
  }

  @Test(arguments: [
    (#"<input type="password" value="hunter22">"#, #"<input type="password" value="…">"#),
    ("<INPUT TYPE=password VALUE=hunter22 x>", "<INPUT TYPE=password VALUE=… x>"),
    (
      #"{"h":"<input value=\"hunter22\" type=\"hidden\">"}"#,
      #"{"h":"<input value=\"…\" type=\"hidden\">"}"#
    ),
    (
      #"<input type='text' name="otp" value='hunter22'>"#,
      #"<input type='text' name="otp" value='…'>"#
    ),
    ("Cookie: a=first1234; b=second567; theme=dark", "Cookie: a=…; b=…; theme=dark"),
    (
      "Set-Cookie: sid=first1234; Path=/x1234567; Secure",
      "Set-Cookie: sid=…; Path=/x1234567; Secure"
    ),
    (
      #"{"name":"Authorization","value":"Bearer abc-123def"}"#,
      #"{"name":"Authorization","value":"Bearer …"}"#
    ),
    (#"{ value = "hunter22", name = "password" }"#, #"{ value = "…", name = "password" }"#),
    (
      #"{"name":"Cookie","value":"a=first1234; b=second567"}"#,
      #"{"name":"Cookie","value":"a=…; b=…"}"#
    ),
    ("it sent Bearer CONSBEAR-0010abc to a", "it sent Bearer … to a"),
    (#""authorization": "Basic YWRhOjE5""#, #""authorization": "Basic …""#),
    ("refresh_token=1//0gAbCd-DEF_123xyz", "refresh_token=…"),
  ])
  func `a secret in a tag, a cookie, a pair or after its scheme is masked`(
    _ text: String, _ shown: String
  ) {
    #expect(masked(text) == shown)
  }

  @Test(arguments: [
    #"<input type="text" name="city" value="Berlin12">"#,
    #"{"name":"Accept","value":"text/html12"}"#,
    "the bearer of this ticket", "Set-Cookie: theme=dark; Path=/", "<input type=hidden>",
  ])
  func `what only looks like a secret's place stays`(_ text: String) {
    #expect(masked(text) == text)
  }

  @Test(arguments: [
    ("password=Zebra-Crossing-4711&user=ada", ["Zebra-Crossing-4711"]),
    ("state=abc1234", []), (#"password = "correct horse 7""#, []), ("password=swordfish", []),
    ("Cookie: sid=COOK-def-8888; b=x", ["COOK-def-8888"]),
  ])
  func `unusual values are to be masked elsewhere, too`(_ text: String, _ values: [String]) {
    #expect(LooseFields(text, as: .words).unusual.map(\.value) == values)
  }

  @Test func `a known secret inside of a value does not cut the value`() {
    let masker = SecretMasker(labels: SecretLabels())
    masker.add([("4711", .pin), ("hunter22", .password)])
    #expect(
      masker.clean("password=Zebra-Crossing-4711&x=1", as: .words) == "password=[password 1]&x=1")
    #expect(masker.clean("the password: hunter22.", as: .words) == "the password: [password 2].")
    #expect(
      masker.clean("Authorization: Bearer tok-abc-4711\nb", as: .words)
        == "Authorization: Bearer [access token 1]\nb")
  }

  @Test(arguments: [
    "session: 5c1a9f33", "ticket: JIRA-1", "hasPassword = true", "forgotPassword = Forgot",
    "http://a.example:8080/users/a@b", "http://a.example/?q=a:b@c", "password = nil",
    "mail ada@a.example at 10:30",
  ])
  func `other words stay`(_ text: String) {
    #expect(masked(text) == text)
  }
}
