import System
import HTTP
import IdentityToolkit

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
      throw explained(AuthError(error))
    }
  }
}
