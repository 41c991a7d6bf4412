import System
import IdentityToolkit

/// When an account was created and last used.
public struct UserMetadata: Sendable, Equatable {
  /// When the account was created, in milliseconds since 1970.
  public let creationDate: Int64?

  /// When the user last signed in, in milliseconds since 1970.
  public let lastSignInDate: Int64?

  init(_ account: JSONObject) {
    creationDate = account["createdAt"]?.wholeNumber
    lastSignInDate = account["lastLoginAt"]?.wholeNumber
  }
}
