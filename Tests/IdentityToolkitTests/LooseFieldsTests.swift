@testable import IdentityToolkit
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
    "session: 5c1a9f33", "ticket: JIRA-1", "hasPassword = true", "forgotPassword = Forgot",
    "http://a.example:8080/users/a@b", "http://a.example/?q=a:b@c", "password = nil",
    "mail ada@a.example at 10:30",
  ])
  func `other words stay`(_ text: String) {
    #expect(masked(text) == text)
  }
}
