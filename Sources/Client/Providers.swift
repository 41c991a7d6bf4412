import IdentityToolkit
public import System

/// The valid ids of identity providers.
enum ProviderID {
  static let password = "password"

  /// The providers available in every project; others need a prefix.
  static let builtIn = [
    "apple.com", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com",
    "microsoft.com", "playgames.google.com", "twitter.com", "yahoo.com",
  ]

  /// Throws for an id that no project can have, with a suggestion.
  static func check(_ id: String) throws(AuthError) {
    if builtIn.contains(id) { return }
    for prefix in ["oidc.", "saml."] where id.hasPrefix(prefix) {
      let name = id.utf8.dropFirst(prefix.utf8.count)
      if !name.isEmpty, name.allSatisfy(isNameByte) { return }
      throw AuthError(
        .invalidProviderID, "a provider id that starts with \(prefix) needs a plain name after it",
        hint: "write it as \(prefix)NAME, with letters, digits, dots, hyphens or underscores")
    }
    let shown = String(Redaction().clean(id).prefix(60))
    if ["password", "emailLink", "phone", "anonymous", "custom", "firebase"].contains(id) {
      throw AuthError(
        .invalidProviderID, "\(shown) is not an identity provider",
        hint: id == password
          ? "use Auth.EmailAuthProvider.credential(email, password)"
          : "use the auth:signIn call of that sign-in method")
    }
    let guess = nearestName(to: id, among: builtIn)
    throw AuthError(
      .invalidProviderID, id.isEmpty ? "the provider id is empty" : "there is no provider \(shown)",
      hint: guess.map { "did you mean \($0)?" }
        ?? "use an id such as microsoft.com, yahoo.com, google.com or oidc.NAME")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-_.".utf8.contains(byte)
  }
}

/// Sign-in by e-mail address with a password, or with a link sent to it.
public enum EmailAuthProvider {
  /// The provider's id, for both methods.
  public static let id = "password"

  /// A credential from an e-mail address and password.
  public static func credential(email: String, password: Secret) -> Credential {
    Credential(providerID: id, content: .password(email: email, password: password))
  }

  /// A credential from an e-mail address and the link that was sent to it.
  public static func credential(email: String, link: String) throws(AuthError) -> Credential {
    guard let url = ActionCodeURL(link), url.operation == .emailLink else {
      throw AuthError(
        .invalidActionCode, "the link is not one to sign in with",
        hint: "pass the whole link of the e-mail that auth:sendSignInLink sent; "
          + "auth:isSignInWithEmailLink(link) checks that a link is one")
    }
    return Credential(providerID: id, content: .emailLink(email: email, code: url.code))
  }
}

/// Sign-in with a Facebook access token.
public enum FacebookAuthProvider {
  /// The provider's id.
  public static let id = "facebook.com"

  /// A credential from an access token.
  public static func credential(accessToken: Secret) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: nil, accessToken: accessToken)
  }
}

/// Sign-in with a GitHub access token.
public enum GitHubAuthProvider {
  /// The provider's id.
  public static let id = "github.com"

  /// A credential from an access token.
  public static func credential(token: Secret) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: nil, accessToken: token)
  }
}

/// Sign-in with Google's tokens.
public enum GoogleAuthProvider {
  /// The provider's id.
  public static let id = "google.com"

  /// A credential from an ID token or an access token; at least one is required.
  public static func credential(
    idToken: Secret?, accessToken: Secret? = nil
  ) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: idToken, accessToken: accessToken)
  }
}

/// Sign-in with a Twitter token (OAuth 1.0a).
public enum TwitterAuthProvider {
  /// The provider's id.
  public static let id = "twitter.com"

  /// A credential from a token and its secret.
  public static func credential(
    token: Secret, secret: Secret
  ) throws(AuthError) -> Credential {
    guard !token.reveal().isEmpty, !secret.reveal().isEmpty else {
      throw AuthError(
        .invalidCredential, "a credential of \(id) needs both the token and its secret",
        hint: "pass the access token and the token secret of Twitter's response")
    }
    return Credential(
      providerID: id, content: .tokens(OAuthTokens(accessToken: token, secret: secret)))
  }
}
