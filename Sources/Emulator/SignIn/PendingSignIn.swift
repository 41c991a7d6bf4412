/// A sign-in whose first factor is proved and whose second one is awaited.
///
/// It can be finished more than once, as at Google's servers.
struct PendingSignIn: Sendable {
  /// How long a code by SMS may take where credentials expire, in seconds (measured: 450 pass, 600 do not).
  static let lifetime: Int64 = 600
  /// How long the code of an authenticator app may take, in seconds (measured: 290 pass, 300 do not).
  static let appLifetime: Int64 = 300
  /// How long a credential is remembered, so that an expired one is told from an unknown one, in seconds.
  static let memory: Int64 = 86_400

  let uid: String
  let factor: FirstFactor
  /// Seconds since 1970.
  var startedAt: Int64 = 0
}
