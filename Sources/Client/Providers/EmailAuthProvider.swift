public import System
import IdentityToolkit

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
          + "auth:isSignInWithEmailLink(link) tells such links from others")
    }
    return Credential(providerID: id, content: .emailLink(email: email, code: url.code))
  }
}
