internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  func config() throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw Refusal(verbatim: "((Can only get top-level configurations on agent projects.))")
    }
    return rules[.projectSettings]
      ? project.wholeSettings(withTemplates: true) : project.wireSettings
  }

  func updateConfig(_ call: Call) throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw Refusal(verbatim: "((Can only update top-level configurations on agent projects.))")
    }
    try project.change(call.fields.object, mask: call.query.text("updateMask"))
    return rules[.projectSettings]
      ? project.wholeSettings(withTemplates: false) : project.wireSettings
  }

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

  /// `GET v2/recaptchaConfig`: which calls need a reCAPTCHA, and the context key to get one with.
  func showRecaptchaConfig(_ call: Call) throws(Refusal) -> JSONObject {
    guard let client = call.query.text("clientType") else { throw Refusal(.missingClientType) }
    guard !rules[.googleAnswers] || Recaptcha.clients.contains(client) else {
      throw TranscodingFault.refusal([
        .value(
          JSON.string(client).encoded(),
          "type.googleapis.com/google.cloud.identitytoolkit.v2.ClientType", at: "client_type")
      ])
    }
    guard let version = call.query.text("version") else { throw Refusal(.missingRecaptchaVersion) }
    guard version == Recaptcha.version else { throw Refusal(.invalidRecaptchaVersion) }
    let config = recaptcha
    var answer = JSONObject()
    // Measured: this call fails in a project that audits or enforces reCAPTCHA without a key.
    let isWatched = Recaptcha.allCases.contains {
      ["AUDIT", "ENFORCE"].contains($0.state(in: config))
    }
    guard !isWatched || config["recaptchaKeys"]?.array?.isEmpty == false else {
      throw .internalFailure("Internal error encountered.")
    }
    let key = config["recaptchaKeys"]?.array?.first {
      "CLIENT_TYPE_\($0["type"]?.string ?? "")" == client
    }
    answer.set("recaptchaKey", key?["key"]?.string)
    answer["recaptchaEnforcementState"] = .array(
      Recaptcha.allCases.map { provider in
        [
          "provider": .string(provider.rawValue),
          "enforcementState": .string(provider.state(in: config)),
        ]
      })
    Recaptcha.showFlags(of: config, in: &answer)
    return answer
  }

  /// The reCAPTCHA settings of the tenant, or of the project.
  private var recaptcha: JSONObject {
    let settings = tenantID == nil ? configuration.settings : tenant?.settings
    return settings?["recaptchaConfig"]?.object ?? JSONObject()
  }

  /// `POST v2/accounts:revokeToken`: revokes a token of Apple, the only provider that supports this.
  func revokeProviderToken(_ call: Call) throws(Refusal) -> JSONObject {
    guard let providerID = call.fields.text("providerId") else {
      throw Refusal(.missingProviderID)
    }
    guard providerID == "apple.com" else { throw Refusal(.invalidProviderID) }
    guard let idToken = call.fields.text("idToken") else { throw Refusal(.missingIDToken) }
    let account = try verify(idToken: idToken).account
    guard account.identity(at: providerID) != nil else {
      throw Refusal(.invalidProviderID, "the account has no identity there")
    }
    guard call.fields.text("token") != nil else {
      throw .invalidArgument("token is missing")
    }
    guard let type = call.fields.text("tokenType"), type != "TOKEN_TYPE_UNSPECIFIED" else {
      throw .invalidArgument("tokenType is missing")
    }
    // The API's description requires `redirectUri` with a code. Apple's SDK sends none, since its codes have none.
    return [:]
  }

  /// `GET v1/sessionCookiePublicKeys`: the keys that verify session cookies, as a JWK set.
  func showSessionCookieKeys() throws(Refusal) -> JSONObject {
    do throws(JOSEError) {
      return try context.keys.keySet(for: .sessionCookies).object ?? [:]
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }

  /// `identityPlatform:initializeAuth`: upgrades the project, which is possible only once.
  func initializeAuth() throws(Refusal) -> JSONObject {
    guard !configuration.identityPlatform else {
      throw Refusal(
        .invalidProjectID, "Identity Platform has already been enabled for this project.")
    }
    project.configuration.identityPlatform = true
    return [:]
  }
}
