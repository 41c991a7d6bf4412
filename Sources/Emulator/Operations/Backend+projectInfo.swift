internal import System
internal import IdentityToolkit

extension Backend {
  /// `GET v1/projects`: the project's public data, which clients may read before sign-in.
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

  /// `GET v1/recaptchaParams`: a fake context key for the widget, since an emulator cannot have a real one.
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
