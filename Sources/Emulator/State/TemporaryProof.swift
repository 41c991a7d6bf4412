/// Evidence that somebody has just answered at a telephone number that another account has.
struct TemporaryProof: Sendable {
  /// How long it is good for, in seconds.
  static let lifetime: Int64 = 3600

  let phoneNumber: String
  /// Seconds since 1970.
  let createdAt: Int64
}
