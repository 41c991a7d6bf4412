public import Encoding
import IdentityToolkit

extension Auth {
  /// How a password does by the policy the project, or the tenant, has now.
  ///
  /// The password stays on this machine.
  public func validatePassword(_ password: Secret) async throws(AuthError) -> PasswordValidation {
    let policy = try PasswordPolicy(await backend.get(.getPasswordPolicy, tenantID: tenantID))
    return PasswordValidation(password, by: policy)
  }
}
