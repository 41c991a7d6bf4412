public import System

/// The options of a sign-out (OpenID Connect RP-Initiated Logout 1.0 section 2).
public struct LogoutOptions: Sendable {
  /// An ID token of the session to end; without one the provider asks the user.
  public var idToken: Secret?
  /// The redirect address afterwards, as registered for sign-outs.
  public var redirectURI: String?
  /// Identifies the user, for a provider that cannot read the ID token.
  public var logoutHint: String?
  /// The languages of the pages, in order of preference.
  public var uiLocales: [String] = []

  /// Creates empty options.
  public init() {}
}
