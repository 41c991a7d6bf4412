@testable import HTTP
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1)))
struct FormSubmissionTests {
  private func destination(_ html: String, at address: String = "https://idp.example/a/b?q=1#f")
    throws -> String?
  {
    let page = try page(html, at: address)
    let form = try #require(page.forms.first)
    return FormSubmission(form, submitter: form.submitters.first, on: page)?.url.description
  }

  @Test func `no action and an empty action mean the page itself`() throws {
    let itself = "https://idp.example/a/b?q=1"
    #expect(try destination("<form method=post></form>") == itself)
    #expect(try destination("<form method=post action=''></form>") == itself)
    #expect(try destination("<base href=https://x.example/><form method=post></form>") == itself)
  }

  @Test func `a relative action is resolved against the base`() throws {
    #expect(try destination("<form method=post action=c></form>") == "https://idp.example/a/c")
    #expect(try destination("<form method=post action=/c></form>") == "https://idp.example/c")
    #expect(
      try destination("<form method=post action='?z=2'></form>") == "https://idp.example/a/b?z=2")
    #expect(
      try destination("<form method=post action=//x.example/y></form>") == "https://x.example/y")
    #expect(
      try destination("<base href=/deep/er/><form method=post action=../c></form>")
        == "https://idp.example/deep/c")
  }

  @Test func `a get form replaces the query`() throws {
    #expect(
      try destination("<form action='/s?old=1'><input name=a value='x y&z'></form>")
        == "https://idp.example/s?a=x+y%26z")
  }

  @Test func `a button may change action, method and encoding`() throws {
    let page = try page(
      """
      <form action=/a><input name=n value="v"><button formaction=/b formmethod=post
      formenctype=multipart/form-data>Go</button></form>
      """)
    let form = page.forms[0]
    let submission = try #require(FormSubmission(form, submitter: form.submitters[0], on: page))
    #expect(submission.method == "POST")
    #expect(submission.url.path == "/b")
    #expect(submission.contentType?.hasPrefix("multipart/form-data; boundary=") == true)
    #expect(
      String(decoding: submission.body, as: UTF8.self).contains(
        "Content-Disposition: form-data; name=\"n\"\r\n\r\nv\r\n--"))
  }

  @Test func `a form that leads to no web address is not sent`() throws {
    #expect(try destination("<form action='javascript:void(0)'></form>") == nil)
    #expect(try destination("<form action='mailto:a@b.example'></form>") == nil)
    #expect(try page("<form method=dialog></form>").forms.isEmpty)
  }
}
