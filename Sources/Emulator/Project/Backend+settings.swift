internal import System
internal import IdentityToolkit

extension Backend {
  /// The tenant's settings; nil in the project itself.
  var tenant: Tenant? { tenantID.flatMap { project.tenants[ExactString(string: $0)] } }

  /// Whether passwords can be used to sign up and sign in.
  var allowsPasswords: Bool { allows("allowPasswordSignup", provider: "password") }

  var allowsEmailLinks: Bool { allows("enableEmailLinkSignin", provider: "emailLink") }

  var allowsAnonymous: Bool { allows("enableAnonymousUser", provider: "anonymous") }

  /// Whether sign-in by SMS code is enabled; tenants are refused before this matters.
  var allowsPhone: Bool { allows("phone", provider: "phone") }

  private func allows(_ setting: String, provider: String) -> Bool {
    if let tenantID {
      return project.tenants[ExactString(string: tenantID)]?.allows(setting) == true
    }
    // In Firebase's emulator all sign-in methods of the project itself are on and cannot be turned off.
    guard rules[.realProviders] else { return true }
    // The link is a second method of the password provider.
    if provider == "emailLink" { return configuration.isEmailLinkEnabled }
    return configuration.enabledProvider(provider) != nil
  }

  /// Whether the tenant has its own settings and inherits none from the project (measured).
  var standsAlone: Bool { tenantID != nil && rules[.knownTenantsOnly] }

  var passwordPolicy: PasswordPolicyConfig {
    guard standsAlone else { return configuration.passwordPolicy }
    return PasswordPolicyConfig(tenant?.settings["passwordPolicyConfig"]?.object ?? JSONObject())
  }

  /// Whether responses hide which addresses have accounts; a tenant's default is off.
  var hidesAddresses: Bool {
    guard standsAlone else { return project.hidesAddresses }
    return tenant?.settings["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
  }

  /// Whether two accounts may not share an e-mail address.
  var hasOneAccountPerEmail: Bool { standsAlone || configuration.oneAccountPerEmail }

  /// The fixed code of a test phone number; nil for other numbers.
  func testCode(of number: String) -> String? {
    guard standsAlone else { return project.testCode(of: number) }
    return tenant?.settings["testPhoneNumbers"]?[number]?.string
  }

  var smsRegions: SMSRegions {
    guard standsAlone else { return configuration.smsRegions }
    return SMSRegions(tenant?.settings["smsRegionConfig"]?.object ?? JSONObject())
  }

  /// Whether clients may do what a setting such as `disabledUserSignup` can forbid.
  func permits(_ permission: String) -> Bool {
    let client = tenantID == nil ? configuration.settings["client"] : tenant?.settings["client"]
    return client?["permissions"]?[permission]?.bool != true
  }

  /// Throws when only administrators may create accounts, or when the quota of new accounts is used up.
  func requireOpenSignUp() throws(Refusal) {
    guard rules[.projectSettings] else { return }
    guard permits("disabledUserSignup") else { throw Refusal(.adminOnlyOperation) }
    guard project.signUps.count(now, quota: configuration.signUpQuota) else {
      throw Refusal(.tooManyAttemptsTryLater)
    }
  }

  /// Throws when the tenant is disabled.
  func requireOpen() throws(Refusal) {
    guard let tenant, tenant.allows("disableAuth") else { return }
    throw Refusal(rules[.googleAnswers] ? .tenantDisabled : .projectDisabled)
  }
}
