internal import System

/// A code sent by SMS, for a first or a second factor.
struct VerificationCode: Sendable {
  enum Purpose: Sendable, Equatable {
    /// Proves the number as a first factor.
    case signIn
    /// Proves the number as a new second factor of an account.
    case enrollment(uid: String)
    /// Proves the number as a second factor that the account has.
    case secondFactor(uid: String)
  }

  let code: String
  let phoneNumber: String
  /// The client sends it back with the code.
  let sessionInfo: String
  let purpose: Purpose
  /// Seconds since 1970.
  let createdAt: Int64
  var wrongTries = 0
  /// Whether the code was used; such a code is kept only where its session then counts as expired.
  var isUsed = false

  init(code: String, phoneNumber: String, sessionInfo: String, purpose: Purpose, createdAt: Int64) {
    self.code = code
    self.phoneNumber = phoneNumber
    self.sessionInfo = sessionInfo
    self.purpose = purpose
    self.createdAt = createdAt
  }

  /// The entry in the emulator's list of SMS codes.
  var wire: JSON {
    [
      "code": .string(code), "phoneNumber": .string(phoneNumber),
      "sessionInfo": .string(sessionInfo),
    ]
  }
}
