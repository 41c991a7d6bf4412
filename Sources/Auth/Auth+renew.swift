extension Auth {
  /// What a script can set about an Auth, apart from who is signed in.
  public struct Settings {
    let tenantID: String?
    let customAuthDomain: String?
    let createsAccounts: Bool
    let languageCode: String?
    let listeners: [AuthListener]
  }

  /// What is set now.
  public var settings: Settings {
    Settings(
      tenantID: tenantID, customAuthDomain: customAuthDomain, createsAccounts: createsAccounts,
      languageCode: languageCode, listeners: listeners)
  }

  /// Begins anew on a project that knows nobody: nobody is signed in, which listeners are not told,
  /// and the settings are the given ones.
  public func renew(to settings: Settings) {
    forgetSession()
    tenantID = settings.tenantID
    customAuthDomain = settings.customAuthDomain
    createsAccounts = settings.createsAccounts
    languageCode = settings.languageCode
    listeners = settings.listeners
    for listener in listeners { listener.reset() }
  }
}
