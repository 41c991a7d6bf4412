import IdentityToolkit
public import System

/// An identity provider, with scopes and parameters for its sign-in.
public struct OAuthProvider: Sendable, Equatable {
  /// The id, such as `microsoft.com` or `oidc.corp`.
  public let providerID: String

  /// The scopes to request in addition to the basic profile.
  private(set) var scopes: [String] = []

  /// Additional parameters of the authorization URL, such as `prompt` or `login_hint`.
  private(set) var customParameters: [String: String] = [:]

  /// A provider; throws for an id that no project can have.
  public init(_ providerID: String) throws(AuthError) {
    try ProviderID.check(providerID)
    self.providerID = providerID
  }

  /// Replaces the scopes; empty ones are ignored.
  public mutating func setScopes(_ scopes: [String]) throws(AuthError) {
    let scopes = scopes.filter { !$0.isEmpty }
    for scope in scopes {
      // RFC 6749 section 3.3 forbids spaces in a scope, and requests join scopes with commas.
      guard scope.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) else {
        throw AuthError(
          .invalidCustomParameter,
          "a scope of \(providerID) holds a space, a comma or a control sign",
          hint: "pass a list with one string for each scope in provider.scopes")
      }
    }
    self.scopes = scopes
  }

  /// Replaces the custom parameters; throws for names that the sign-in itself sets.
  public mutating func setCustomParameters(_ parameters: [String: String]) throws(AuthError) {
    let reserved = ReservedParameters.names(for: providerID)
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      let shown = Redaction().clean(name)
      guard !reserved.contains(name) else {
        throw AuthError(
          .invalidCustomParameter, "\(providerID) reserves the parameter \(shown)",
          hint: name == "scope"
            ? "ask for permissions with provider.scopes instead"
            : "remove it from provider.customParameters, since the sign-in sets it itself")
      }
      guard !name.isEmpty, !value.isEmpty else {
        let what =
          name.isEmpty ? "a custom parameter has no name" : "the parameter \(shown) is empty"
        throw AuthError(
          .invalidCustomParameter, what,
          hint: "give each member of provider.customParameters a name and a non-empty string")
      }
    }
    customParameters = parameters
  }

  /// A credential from tokens that the caller obtained from the provider.
  ///
  /// `rawNonce` is the nonce whose SHA-256 was sent to the provider. If the ID token has no nonce, pass none.
  public static func credential(
    providerID: String, idToken: Secret?, rawNonce: Secret? = nil, accessToken: Secret? = nil
  ) throws(AuthError) -> Credential {
    try ProviderID.check(providerID)
    let tokens = OAuthTokens(
      idToken: idToken.nonEmpty, accessToken: accessToken.nonEmpty, rawNonce: rawNonce.nonEmpty)
    guard tokens.idToken != nil || tokens.accessToken != nil else {
      throw AuthError(
        .invalidCredential, "the credential of \(providerID) has no token",
        hint: "pass the provider's ID token, or its access token, as a non-empty string")
    }
    return Credential(providerID: providerID, content: .tokens(tokens))
  }

  /// A credential for Sign in with Apple.
  ///
  /// Apple sends the name once, when the user first uses the app, and includes it in no token.
  public static func appleCredential(
    idToken: Secret, rawNonce: Secret?, fullName: PersonName? = nil
  ) throws(AuthError) -> Credential {
    guard let idToken = Optional(idToken).nonEmpty else {
      throw AuthError(
        .invalidCredential, "the credential of apple.com has no token",
        hint: "pass the identity token of Apple's response as a non-empty string")
    }
    return Credential(
      providerID: "apple.com",
      content: .tokens(
        OAuthTokens(idToken: idToken, rawNonce: rawNonce.nonEmpty, fullName: fullName)))
  }
}

/// The authorization parameters that the sign-in sets itself, by provider.
enum ReservedParameters {
  static func names(for providerID: String) -> Set<String> {
    let common: Set<String> = ["client_id", "response_type", "redirect_uri", "state", "scope"]
    if providerID == "microsoft.com" || providerID.hasPrefix("oidc.") {
      return common.union(["response_mode"])
    }
    if providerID == "twitter.com" {
      return common.union([
        "oauth_consumer_key", "oauth_nonce", "oauth_signature", "oauth_signature_method",
        "oauth_timestamp", "oauth_token", "oauth_version",
      ])
    }
    return common
  }
}

extension Optional where Wrapped == Secret {
  /// Nil for an empty secret too.
  var nonEmpty: Secret? { self.flatMap { $0.reveal().isEmpty ? nil : $0 } }
}
