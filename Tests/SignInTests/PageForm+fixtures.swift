@testable import HTTP
import Testing

@testable import SignIn

/// A page as the driver would read it from `address`.
func page(
  _ html: String, at address: String = "https://idp.example/login/start?flow=1",
  type: String = "text/html; charset=utf-8"
) throws -> SignInPage {
  try page(Array(html.utf8), at: address, type: type)
}

func page(_ bytes: [UInt8], at address: String, type: String) throws -> SignInPage {
  let url = try #require(WebURL(address))
  return try SignInPage(
    HTTPResponse(status: 200, headers: ["Content-Type": type], body: bytes, url: url))
}

/// The entry list of the page's form, as `name=value` texts.
func entries(_ page: SignInPage, form: Int = 0, pressing: String? = nil) -> [String] {
  let form = page.forms[form]
  let button = pressing.flatMap { name in form.submitters.first { $0.name == name } }
  return FormSubmission.entries(of: form, submitter: button).map { "\($0.0)=\($0.1)" }
}
