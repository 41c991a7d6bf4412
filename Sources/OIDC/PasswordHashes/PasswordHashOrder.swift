/// Whether the salt or the password comes first in the hashed message.
enum PasswordHashOrder: String, Sendable {
  case saltFirst = "SALT_AND_PASSWORD"
  case passwordFirst = "PASSWORD_AND_SALT"

  static let unspecified = "UNSPECIFIED_ORDER"

  /// Calls `body` with salt and password in this order, and wipes them afterwards.
  func withMessage<Result>(
    _ password: UnsafeBufferPointer<UInt8>, _ salt: [UInt8],
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    withWipedBytes(salt.count + password.count) { message in
      let saltStart = self == .saltFirst ? 0 : password.count
      let passwordStart = self == .saltFirst ? salt.count : 0
      for (index, byte) in salt.enumerated() { message[saltStart + index] = byte }
      for (index, byte) in password.enumerated() { message[passwordStart + index] = byte }
      return body(UnsafeBufferPointer(message))
    }
  }
}
