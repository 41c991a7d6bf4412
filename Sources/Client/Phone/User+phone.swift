import IdentityToolkit

extension User {
  /// Replaces the user's phone number; needs a recent sign-in.
  public func updatePhoneNumber(_ credential: Credential) async throws(AuthError) {
    switch credential.content {
    case .phone, .phoneProof: break
    default:
      throw AuthError(
        .rejectedCredential, "a \(credential.providerID) credential proves no phone number",
        hint: "make one with PhoneAuthProvider.credential(verificationID, code)")
    }
    try credential.checkUsable(by: backend)
    let answer = try SignInAnswer(
      await call(.signInWithPhoneNumber, credential.phoneRequest(.update)))
    try await adoptTokens(of: answer.response)
  }
}
