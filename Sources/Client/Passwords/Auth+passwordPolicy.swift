public import System
import IdentityToolkit

extension Auth {
  /// Validates a password locally against the current policy of the project or tenant.
  public func validatePassword(_ password: Secret) async throws(AuthError) -> PasswordValidation {
    let policy = try PasswordPolicy(await backend.get(.getPasswordPolicy, tenantID: tenantID))
    return PasswordValidation(password, by: policy)
  }
}
