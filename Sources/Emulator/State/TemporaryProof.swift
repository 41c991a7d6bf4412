/// Proof that the user has just entered the code sent to a phone number that another account has.
struct TemporaryProof: Sendable {
  /// How long the proof is valid, in seconds.
  static let lifetime: Int64 = 3600

  let phoneNumber: String
  /// Seconds since 1970.
  let createdAt: Int64
}
