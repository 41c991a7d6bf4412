extension Credential {
  /// The result of a sign-in or reauthentication with this credential, after its response was processed.
  func result(_ user: User, _ answer: SignInAnswer) -> AuthResult {
    switch content {
    case .password:
      AuthResult(
        user: user, additionalUserInfo: AdditionalUserInfo(providerID: providerID, isNewUser: false)
      )
    case .emailLink, .phone, .phoneProof:
      AuthResult(
        user: user,
        additionalUserInfo: AdditionalUserInfo(
          providerID: providerID, isNewUser: answer.isNewUser))
    case .tokens, .redirect:
      AuthResult(
        user: user, additionalUserInfo: AdditionalUserInfo(answer),
        credential: answer.credential(answering: self))
    }
  }
}
