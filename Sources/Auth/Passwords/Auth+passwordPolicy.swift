public import Encoding
import IdentityToolkit

extension Auth {
  /// Validates a password against the current policy of the project or tenant.
  ///
  /// The password is not sent anywhere.
  public func validatePassword(_ password: Secret) async throws(AuthError) -> PasswordValidation {
    let policy = try PasswordPolicy(await backend.get(.getPasswordPolicy, tenantID: tenantID))
    return PasswordValidation(password, by: policy)
  }
}
