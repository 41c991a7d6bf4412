internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// How long a code from an SMS is good for where codes expire, in seconds.
  static let verificationCodeLifetime: Int64 = 600

  /// Makes a code for a number; whoever reads the listing plays the telephone.
  func sendSMS(_ number: String) -> VerificationCode {
    let made = VerificationCode(
      code: SecureRandom.digits(6), phoneNumber: number,
      // 169 bytes make the 226 characters that Firebase's emulator sends.
      sessionInfo: SecureRandom.token(bytes: 169), createdAt: now)
    verifications.put(made, under: made.sessionInfo)
    return made
  }

  /// Uses a code up and answers the number it went to; after a wrong try the code stays good.
  func take(sessionInfo: String, code: String) throws(Refusal) -> String {
    guard let sent = verifications[sessionInfo] else { throw Refusal(.invalidSessionInfo) }
    guard constantTimeEqual(sent.code, code) else { throw Refusal(.invalidCode) }
    guard !rules[.expiringCodes] || now < sent.createdAt + Self.verificationCodeLifetime else {
      verifications.remove(sessionInfo)
      throw Refusal(.sessionExpired)
    }
    verifications.remove(sessionInfo)
    return sent.phoneNumber
  }
}
