/// A sign-in whose first factor is proved and whose second one is awaited.
struct PendingSignIn: Sendable {
  /// How long the second factor may take where credentials expire, in seconds.
  static let lifetime: Int64 = 600

  let uid: String
  let factor: FirstFactor
}
