import System
import HTTP
import IdentityToolkit

/// One sign-in at an identity provider, from the page to open to its final URL.
final class SignInFlow {
  /// The page to open.
  let request: SignInPageRequest

  private let sessionID: Secret
  private var isFinished = false

  init(request: SignInPageRequest, sessionID: Secret) {
    self.request = request
    self.sessionID = sessionID
  }

  /// Creates a credential from the final URL of the page.
  ///
  /// Origin, path and state must match this sign-in, so that a response to another sign-in cannot be injected (RFC
  /// 6749 section 10.12).
  func finish(_ ending: PageAnswer) throws(AuthError) -> Credential {
    guard !isFinished else {
      throw AuthError(
        .webStateMismatch, "this sign-in with \(request.providerID) is finished already",
        hint: "start another one with provider:getCredential()")
    }
    guard let url = WebURL(ending.finalURL) else {
      throw AuthError(
        .webStateMismatch, "the final address is not an absolute http or https address")
    }
    let expected = request.redirectURI
    guard url.origin == expected.origin, url.path == expected.path else {
      throw AuthError(
        .webStateMismatch,
        "the page ended at \(url.origin)\(Redaction().clean(url.path)) and not at "
          + "\(expected.origin)\(expected.path)")
    }
    let answer = RedirectAnswer(url, postBody: ending.postBody)
    if let name = answer.doubled {
      throw AuthError(
        .webStateMismatch, "the final address carries \(name) twice",
        hint: "return the address as the browser came back to it")
    }
    let failure = answer.failure(of: request.providerID)
    try checkState(answer, mayMiss: failure != nil)
    isFinished = true
    if let failure { throw failure }
    guard answer.hasResult else {
      throw AuthError(
        .webStateMismatch, "the final address carries neither a code nor an ID token",
        hint: "return the address with its whole query and fragment, or the body that was posted")
    }
    return Credential(
      providerID: request.providerID,
      content: .redirect(
        requestURI: Secret(url.description), sessionID: sessionID, postBody: ending.postBody))
  }

  /// Checks the state; providers may omit it in an error that occurs before they read the request.
  private func checkState(_ answer: RedirectAnswer, mayMiss: Bool) throws(AuthError) {
    guard let expected = request.url.fields["state"] else { return }
    guard let state = answer["state"] else {
      if mayMiss { return }
      throw AuthError(.webStateMismatch, "the final address carries no state")
    }
    guard constantTimeEqual(state, expected) else {
      throw AuthError(
        .webStateMismatch, "the state in the final address is not the one of this sign-in")
    }
  }
}
