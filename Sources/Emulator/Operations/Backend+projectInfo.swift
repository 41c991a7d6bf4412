internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `GET v1/projects`: what a client may know of the project before anybody signs in.
  func projectInfo() throws(Refusal) -> JSONObject {
    guard tenantID == nil else { throw Refusal(.unsupportedTenantOperation) }
    var domains = ["localhost"]
    if rules[.realProviders] {
      domains = configuration.authorizedDomains
      if let domain = configuration.authDomain, !domains.contains(domain) { domains.append(domain) }
    }
    return [
      "projectId": .string(project.number),
      "authorizedDomains": .array(domains.map { .string($0) }),
    ]
  }

  /// `GET v1/recaptchaParams`: a site key for the widget, which no emulator can have.
  func recaptchaParams() -> JSONObject {
    var answer: JSONObject = [
      "kind": "identitytoolkit#GetRecaptchaParamResponse",
      "recaptchaStoken": .string(
        "This-is-a-fake-token__Dont-send-this-to-the-Recaptcha-service__"
          + "The-Auth-Emulator-does-not-support-Recaptcha"),
      "recaptchaSiteKey": "Fake-key__Do-not-send-this-to-Recaptcha_",
    ]
    if rules[.googleAnswers] { answer["producerProjectNumber"] = .string(project.number) }
    return answer
  }
}
