public import Encoding

/// What a sign-out at the provider says (OpenID Connect RP-Initiated Logout 1.0 section 2).
public struct LogoutOptions: Sendable {
  /// An ID token of the session to end; without one the provider asks the person.
  public var idToken: Secret?
  /// Where the browser is sent afterwards, as registered for that.
  public var redirectURI: String?
  /// Who signs out, for a provider that cannot read the ID token.
  public var logoutHint: String?
  /// The languages of the pages, best first.
  public var uiLocales: [String] = []

  /// Says nothing.
  public init() {}
}
