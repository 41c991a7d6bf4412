internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// The tenant's settings; nil in the project itself.
  var tenant: Tenant? { tenantID.flatMap { project.tenants[ExactString(string: $0)] } }

  /// Whether accounts may be made and signed in with a password.
  var allowsPasswords: Bool { allows("allowPasswordSignup", provider: "password") }

  /// Whether an e-mailed link signs in.
  var allowsEmailLinks: Bool { allows("enableEmailLinkSignin", provider: "emailLink") }

  /// Whether anybody may have an account without saying who they are.
  var allowsAnonymous: Bool { allows("enableAnonymousUser", provider: "anonymous") }

  /// Whether a code by SMS signs in; tenants are refused before this matters.
  var allowsPhone: Bool { allows("phone", provider: "phone") }

  private func allows(_ setting: String, provider: String) -> Bool {
    if let tenantID {
      return project.tenants[ExactString(string: tenantID)]?.allows(setting) == true
    }
    // In Firebase's emulator the project itself has every method on and no way to turn one off.
    guard rules[.realProviders] else { return true }
    // The link is a second method of the password provider.
    if provider == "emailLink" { return configuration.isEmailLinkEnabled }
    return configuration.enabledProvider(provider) != nil
  }

  /// Whether the tenant has settings of its own and none of its project's (measured).
  var standsAlone: Bool { tenantID != nil && rules[.knownTenantsOnly] }

  /// What passwords must be like.
  var passwordPolicy: PasswordPolicy {
    guard standsAlone else { return configuration.passwordPolicy }
    return PasswordPolicy(tenant?.settings["passwordPolicyConfig"]?.object ?? JSONObject())
  }

  /// Whether answers hide which addresses have accounts; tenants hide none unless they say so.
  var hidesAddresses: Bool {
    guard standsAlone else { return project.hidesAddresses }
    return tenant?.settings["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
  }

  /// Whether two accounts may not share an e-mail address.
  var hasOneAccountPerEmail: Bool { standsAlone || configuration.oneAccountPerEmail }

  /// The code that always goes to a number meant for tests; nil for every other number.
  func testCode(of number: String) -> String? {
    guard standsAlone else { return project.testCode(of: number) }
    return tenant?.settings["testPhoneNumbers"]?[number]?.string
  }

  /// Where text messages may go.
  var smsRegions: SMSRegions {
    guard standsAlone else { return configuration.smsRegions }
    return SMSRegions(tenant?.settings["smsRegionConfig"]?.object ?? JSONObject())
  }

  /// Whether clients may do what a permission such as `disabledUserSignup` would take from them.
  func permits(_ permission: String) -> Bool {
    let client = tenantID == nil ? configuration.settings["client"] : tenant?.settings["client"]
    return client?["permissions"]?[permission]?.bool != true
  }

  /// Refuses a client a new account where only administrators make accounts, or too many were made of late.
  func requireOpenSignUp() throws(Refusal) {
    guard rules[.projectSettings] else { return }
    guard permits("disabledUserSignup") else { throw Refusal(.adminOnlyOperation) }
    guard project.signUps.count(now, quota: configuration.signUpQuota) else {
      throw Refusal(.tooManyAttemptsTryLater)
    }
  }

  /// Refuses everything when the tenant is switched off.
  func requireOpen() throws(Refusal) {
    guard let tenant, tenant.allows("disableAuth") else { return }
    throw Refusal(rules[.googleAnswers] ? .tenantDisabled : .projectDisabled)
  }
}
