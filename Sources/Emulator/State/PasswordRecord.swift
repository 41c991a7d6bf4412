internal import OIDC

/// A salted hash of a password.
struct PasswordRecord: Sendable {
  private let salt: [UInt8]
  private let hash: [UInt8]
  /// Milliseconds since 1970.
  let updatedAt: Int64

  // The accounts are gone when the process ends, so the hash need only be real, not slow.
  private static let cost = PasswordHash.Cost(n: 1024, r: 8, p: 1)

  init(_ password: String, now milliseconds: Int64) {
    (salt, hash) = PasswordHash.make(password, cost: Self.cost)
    updatedAt = milliseconds
  }

  func matches(_ password: String) -> Bool {
    PasswordHash.verify(password, salt: salt, hash: hash, cost: Self.cost)
  }
}
