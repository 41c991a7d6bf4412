internal import Encoding

/// An authenticator app that is being added to an account.
struct AppEnrollment: Sendable {
  /// How long the first code may take, in seconds.
  static let lifetime: Int64 = 300

  let uid: String
  /// In base 32, as apps take it.
  let secret: Secret
}
