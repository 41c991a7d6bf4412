import HTTP
import IdentityToolkit
import System

extension Credential {
  /// Throws for credentials that can only fail, with a specific message.
  func checkUsable(by backend: AuthContext) throws(AuthError) {
    switch content {
    case .password(let email, let password):
      guard !email.isEmpty else { throw AuthError(.missingEmail) }
      guard !password.reveal().isEmpty else {
        throw AuthError(.wrongPassword, "the password is empty")
      }
    case .emailLink(let email, _):
      guard !email.isEmpty else { throw AuthError(.missingEmail) }
    case .phone(let verificationID, let code):
      try PhoneAuthProvider.check(verificationID: verificationID, code: code)
    case .phoneProof: break
    case .tokens, .redirect:
      try checkVerifiable(isEmulated: backend.client.target.isEmulated)
    }
  }

  /// Signs in with this credential; the caller decides what to do with the tokens.
  func signIn(
    over backend: AuthContext, tenantID: String?, autoCreate: Bool
  ) async throws(AuthError) -> SignInAnswer {
    switch content {
    case .password(let email, let password):
      return try SignInAnswer(
        await backend.call(
          .signInWithPassword,
          [
            "email": .string(email), "password": .string(password.reveal()),
            "returnSecureToken": true,
          ], tenantID: tenantID))
    case .emailLink(let email, let code):
      return try SignInAnswer(
        await backend.call(
          .signInWithEmailLink, ["email": .string(email), "oobCode": .string(code.reveal())],
          tenantID: tenantID))
    case .phone, .phoneProof:
      return try SignInAnswer(
        await backend.call(
          .signInWithPhoneNumber, phoneRequest(autoCreate ? .signUpOrIn : .reauthenticate),
          tenantID: tenantID))
    case .tokens, .redirect:
      let response = try await send(
        identityProviderRequest(autoCreate: autoCreate), over: backend, tenantID: tenantID)
      return try SignInAnswer(response, to: self)
    }
  }

  /// Sends an identity provider's credential to the backend; a redirect can be sent only once.
  func send(
    _ request: JSONObject, over backend: AuthContext, tenantID: String?
  ) async throws(AuthError) -> JSONObject {
    var request = request
    if let tenantID { request["tenantId"] = .string(tenantID) }
    try spend()
    do {
      return try await backend.client.call(.signInWithIdp, request)
    } catch {
      // Without a connection, the code cannot have been redeemed.
      if case .transport(let cause) = error, [.resolve, .connect, .tls].contains(cause.code) {
        restore()
      }
      throw explained(AuthError(error)).refusing(providerID)
    }
  }

  /// The body of the call that sends an identity provider's credential to the backend.
  ///
  /// With a user's ID token it links the credential. Without `autoCreate` an unknown identity is refused.
  func identityProviderRequest(linkingTo idToken: Secret? = nil, autoCreate: Bool) -> JSONObject {
    var body = JSONObject()
    switch content {
    case .tokens(let tokens):
      // The field is required even without a redirect.
      body["requestUri"] = "http://localhost"
      body["postBody"] = .string(postBody(of: tokens))
      // Sent beside `postBody`, not in it; the backend prefers it, emulators ignore it.
      if let pendingToken = tokens.pendingToken {
        body["pendingToken"] = .string(pendingToken.reveal())
      }
    case .redirect(let requestURI, let sessionID, let posted):
      body["requestUri"] = .string(requestURI.reveal())
      body["sessionId"] = .string(sessionID.reveal())
      if let posted { body["postBody"] = .string(posted.reveal()) }
    case .password, .emailLink, .phone, .phoneProof:
      preconditionFailure("\(signInMethod) is not an identity provider's credential")
    }
    if let idToken { body["idToken"] = .string(idToken.reveal()) }
    body["returnSecureToken"] = true
    body["returnIdpCredential"] = true
    body["autoCreate"] = .bool(autoCreate)
    return body
  }

  /// Percent-encodes every value: tokens contain `+`, `/` and `=`.
  private func postBody(of tokens: OAuthTokens) -> String {
    var fields = FormFields([("providerId", providerID)])
    if let idToken = tokens.idToken { fields.append("id_token", idToken.reveal()) }
    // The raw nonce, whose hash is in the ID token. Without a nonce, omit the field.
    if let rawNonce = tokens.rawNonce { fields.append("nonce", rawNonce.reveal()) }
    if let accessToken = tokens.accessToken { fields.append("access_token", accessToken.reveal()) }
    if let secret = tokens.secret { fields.append("oauth_token_secret", secret.reveal()) }
    if let name = tokens.fullName { fields.append("user", name.json.encoded()) }
    return fields.encoded
  }

  /// The nonce for a credential made from the response, when that has no pending token.
  ///
  /// In a redirect the session id is the raw nonce.
  var nonceForReplay: Secret? {
    switch content {
    case .tokens(let tokens): tokens.rawNonce
    case .redirect(_, let sessionID, _): sessionID
    case .password, .emailLink, .phone, .phoneProof: nil
    }
  }

  /// Whether this is a bare token of Microsoft or Yahoo.
  ///
  /// Such a token does not name the app it was issued to, so an attacker could replay one from another app.
  /// Production refuses it; an emulator decides by its rules.
  private var isUnverifiable: Bool {
    guard case .tokens(let tokens) = content, !isFromBackend, tokens.pendingToken == nil else {
      return false
    }
    return providerID == "microsoft.com" || providerID == "yahoo.com"
  }

  /// The error with a specific hint, if this is a token that the backend cannot verify.
  func explained(_ error: AuthError) -> AuthError {
    guard isUnverifiable, error.code == .invalidCredential else { return error }
    return error.hinting(
      "run the provider's flow with provider:getCredential(), or sign in with a custom token")
  }

  /// Refuses tokens whose audience cannot be verified, before anything is sent.
  func checkVerifiable(isEmulated: Bool) throws(AuthError) {
    if !isEmulated, isUnverifiable {
      throw explained(
        AuthError(
          .invalidCredential,
          "tokens of \(providerID) are not accepted, since their audience cannot be checked"))
    }
    guard case .tokens(let tokens) = content, !isFromBackend, tokens.pendingToken == nil else {
      return
    }
    if providerID.hasPrefix("oidc."), tokens.idToken == nil {
      throw AuthError(
        .invalidCredential, "a credential of \(providerID) needs an ID token",
        hint: "pass the provider's ID token; an access token alone cannot be checked")
    }
  }
}
