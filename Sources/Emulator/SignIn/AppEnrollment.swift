internal import System

/// An authenticator app that is being added to an account.
struct AppEnrollment: Sendable {
  /// How long the first code may take, in seconds (measured: 870 pass, 930 do not).
  static let lifetime: Int64 = 900
  /// How long an enrollment is remembered, in seconds; after that an expired one counts as unknown.
  static let memory: Int64 = 86_400

  let uid: String
  /// In base32, as apps take it.
  let secret: Secret
  /// Seconds since 1970.
  let startedAt: Int64
  var isFinished = false
}
