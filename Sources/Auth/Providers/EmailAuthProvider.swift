public import Encoding

/// Sign-in by e-mail address and password.
public enum EmailAuthProvider {
  /// The provider's id.
  public static let id = "password"

  /// A credential of an e-mail address and its password.
  public static func credential(email: String, password: Secret) -> Credential {
    Credential(providerID: id, content: .password(email: email, password: password))
  }
}
