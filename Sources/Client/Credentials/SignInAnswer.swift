import System
import IdentityToolkit

/// The response to a sign-in, without the failures that have status 200.
struct SignInAnswer {
  let response: JSONObject

  /// Reads a response; the order of the checks matters: a response without tokens may match several of them.
  init(_ response: JSONObject, to credential: Credential? = nil) throws(AuthError) {
    self.response = response
    if response["needConfirmation"]?.bool == true {
      throw conflict(credential)
    }
    if let message = response["errorMessage"]?.string, !message.isEmpty {
      throw refusal(message, credential)
    }
    let hasToken = response["idToken"]?.string?.isEmpty == false
    if !hasToken, response["mfaInfo"] != nil || response["mfaPendingCredential"] != nil {
      throw AuthError(
        awaiting: AwaitedSecondFactor(response), email: email,
        details: ["mfaInfo": Redaction().clean(response["mfaInfo"] ?? [])])
    }
    if !hasToken, let taken = takenNumber { throw taken }
    if credential != nil, providerID.isEmpty {
      throw AuthError(
        .internalError, "the backend's response does not name the provider",
        hint: "check that the target is an Identity Toolkit backend", details: cleaned)
    }
  }

  private init(unchecked response: JSONObject) { self.response = response }

  /// The identity provider's credential in a response of any kind, also in a refusal; nil if it has none.
  ///
  /// Throws if the e-mail address belongs to an account with other providers.
  static func credential(
    in response: JSONObject, to credential: Credential
  ) throws(AuthError) -> Credential? {
    let answer = SignInAnswer(unchecked: response)
    if response["needConfirmation"]?.bool == true { throw answer.conflict(credential) }
    return answer.credential(answering: credential)
  }

  var providerID: String { response["providerId"]?.string ?? "" }

  var isNewUser: Bool { response["isNewUser"]?.bool ?? false }

  /// The user's id, from the response or its ID token.
  var userID: String? {
    if let localID = response["localId"]?.string, !localID.isEmpty { return localID }
    guard let token = response["idToken"]?.string else { return nil }
    return (try? IDTokenClaims(decoding: token))?.userID
  }

  private var email: String? {
    guard let email = response["email"]?.string, !email.isEmpty else { return nil }
    return email
  }

  private var cleaned: JSON { Redaction().clean(.object(response)) }

  /// The credential in the response, for calls to the identity provider or for linking later.
  ///
  /// A pending token is sufficient: SAML providers return nothing else.
  func credential(answering request: Credential?) -> Credential? {
    func secret(_ name: String) -> Secret? {
      guard let text = response[name]?.string, !text.isEmpty else { return nil }
      return Secret(text)
    }
    var tokens = OAuthTokens(
      idToken: secret("oauthIdToken"), accessToken: secret("oauthAccessToken"),
      secret: secret("oauthTokenSecret"), pendingToken: secret("pendingToken"),
      expiresIn: response["oauthExpireIn"]?.wholeNumber)
    guard
      tokens.idToken != nil || tokens.accessToken != nil || tokens.secret != nil
        || tokens.pendingToken != nil
    else { return nil }
    // Without a pending token the ID token must be sent again, with its nonce.
    if tokens.pendingToken == nil, tokens.idToken != nil, providerID.hasPrefix("oidc.") {
      tokens.rawNonce = request?.nonceForReplay
    }
    let providerID = providerID.isEmpty ? request?.providerID ?? "" : providerID
    return Credential(providerID: providerID, content: .tokens(tokens), isFromBackend: true)
  }

  private func conflict(_ request: Credential?) -> AuthError {
    let pending = credential(answering: request)
    let ways = verifiedProviders
    // Without a provider, the account has a password or an e-mail link; the project may hide which.
    let existing =
      ways.isEmpty
      ? "sign in with the account's password or with an e-mail link (auth:fetchProviders returns an empty "
        + "list while the project protects against e-mail enumeration)"
      : "sign in with \(ways.joined(separator: " or "))"
    let next =
      pending == nil
      ? "link a fresh credential from provider:getCredential()"
      : "call auth.currentUser:link(err.pendingCredential)"
    let earlier =
      "to get this error from getCredential, write local ok, err = "
      + "pcall(provider.getCredential, provider, nil, { raisesConflict = true })"
    return AuthError(
      .accountExistsWithDifferentCredential, hint: "\(existing), then \(next); \(earlier)",
      email: email,
      pendingCredential: pending, verifiedProviders: ways,
      details: response["localId"].map { ["localId": $0] })
  }

  /// The error for a number of another account, with a credential for signing in to that account.
  private var takenNumber: AuthError? {
    guard let number = response["phoneNumber"]?.string,
      let proof = response["temporaryProof"]?.string, !proof.isEmpty
    else { return nil }
    return AuthError(
      .credentialAlreadyInUse, "the phone number belongs to another account",
      hint: "call auth:signIn(err.pendingCredential) to use that account, or take another number",
      pendingCredential: Credential(
        providerID: PhoneAuthProvider.id,
        content: .phoneProof(number: number, proof: Secret(proof)), isFromBackend: true),
      details: ["phoneNumber": .string(number)])
  }

  private func refusal(_ message: String, _ request: Credential?) -> AuthError {
    let refusal = Refusal(status: 200, message: Redaction().clean(message))
    switch refusal.error {
    case .federatedUserIDAlreadyLinked, .emailExists, .userNotFound:
      return AuthError(
        refusal, email: email, pendingCredential: credential(answering: request))
    default:
      return AuthError(refusal, email: email)
    }
  }

  /// Either an array, or an array as JSON text.
  private var verifiedProviders: [String] {
    guard let value = response["verifiedProvider"] else { return [] }
    if let array = value.array { return array.compactMap(\.string) }
    guard let text = value.string, let array = (try? JSON.parse(text))?.array else { return [] }
    return array.compactMap(\.string)
  }
}
