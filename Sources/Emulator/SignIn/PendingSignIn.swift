/// A sign-in whose first factor is proved and whose second factor is pending.
///
/// As with Google's servers, it can be finished more than once.
struct PendingSignIn: Sendable {
  /// How long an SMS code may take where credentials expire, in seconds (measured: 450 pass, 600 do not).
  static let lifetime: Int64 = 600
  /// How long the code of an authenticator app may take, in seconds (measured: 290 pass, 300 do not).
  static let appLifetime: Int64 = 300
  /// How long a credential is remembered, in seconds; after that an expired one counts as unknown.
  static let memory: Int64 = 86_400

  let uid: String
  let factor: FirstFactor
  /// Seconds since 1970.
  var startedAt: Int64 = 0
}
