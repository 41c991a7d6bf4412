import Encoding
import HTTP
import IdentityToolkit

extension AuthError {
  /// Puts a failed call into the words of its code.
  init(_ error: BackendError) {
    switch error {
    case .refused(let refusal):
      self.init(refusal)
    case .transport(let cause):
      self.init(error.code, cause.message, hint: error.hint)
    case .unexpected(let status, let message):
      self.init(
        error.code, message, hint: error.hint, details: ["status": .integer(Int64(status))])
    }
  }

  /// Puts a refusal into the words of its code and keeps the backend's own words after them.
  init(
    _ refusal: Refusal, email: String? = nil, pendingCredential: Credential? = nil
  ) {
    let code = refusal.code
    let words = refusal.detail.map(withoutWrapping) ?? ""
    var message = code.summary
    if refusal.error == nil, !refusal.rawName.isEmpty {
      message = "the backend answered \(refusal.rawName), which has no error code of its own"
    }
    if !words.isEmpty { message += ": \(words)" }
    self.init(
      code, message,
      hint: refusal.hint(Self.hint(for: refusal, hasCredential: pendingCredential != nil)),
      serverName: refusal.rawName.isEmpty ? nil : refusal.rawName, email: email,
      pendingCredential: pendingCredential,
      details: refusal.details.isEmpty ? nil : .array(refusal.details))
  }

  private static func hint(for refusal: Refusal, hasCredential: Bool) -> String {
    switch (refusal.error, refusal.detail) {
    // E-mail enumeration protection answers a change of address with these words.
    case (.operationNotAllowed, let detail?) where detail.contains("verify the new email"):
      "the project protects against e-mail enumeration: verify the new address before changing to it"
    case (.invalidIdPResponse, _), (.invalidCredentialOrProviderID, _), (.invalidPendingToken, _):
      "get a fresh credential with provider:getCredential() and use it once"
    case (.invalidLoginCredentials, _):
      "check the e-mail and the password; the project does not say which of them is wrong"
    case (.emailExists, _) where !hasCredential:
      "sign in to the account of that address with auth:signIn, or use another address"
    case (.invalidTemporaryProof, _):
      "ask for a new code with provider:verifyPhoneNumber; the proof in err.pendingCredential works "
        + "once, within the hour"
    case (.federatedUserIDAlreadyLinked, _) where !hasCredential:
      "get a fresh credential with provider:getCredential() and pass it to auth:signIn"
    default: refusal.code.hint
    }
  }
}

/// Emulators wrap their explanations in double parentheses to tell them from production's words.
private func withoutWrapping(_ words: String) -> String {
  guard words.hasPrefix("(("), words.hasSuffix("))"), words.utf8.count > 4 else { return words }
  return String(words.dropFirst(2).dropLast(2))
}
