extension Auth {
  /// The properties of an Auth that a script can set, without the signed-in user.
  public struct Settings {
    let tenantID: String?
    let customAuthDomain: String?
    let createsAccounts: Bool
    let languageCode: String?
    let listeners: [AuthListener]
  }

  /// The current settings.
  public var settings: Settings {
    Settings(
      tenantID: tenantID, customAuthDomain: customAuthDomain, createsAccounts: createsAccounts,
      languageCode: languageCode, listeners: listeners)
  }

  /// Resets the Auth for a new, empty project, with the given settings.
  ///
  /// No user is signed in afterwards. Listeners are not called.
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
