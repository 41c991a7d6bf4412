internal import Encoding

/// A code that goes to a telephone by SMS, for a first or a second factor.
struct VerificationCode: Sendable {
  let code: String
  let phoneNumber: String
  /// What the client gives back with the code.
  let sessionInfo: String
  /// Seconds since 1970.
  let createdAt: Int64

  /// The entry of the emulator's listing.
  var wire: JSON {
    [
      "code": .string(code), "phoneNumber": .string(phoneNumber),
      "sessionInfo": .string(sessionInfo),
    ]
  }
}
