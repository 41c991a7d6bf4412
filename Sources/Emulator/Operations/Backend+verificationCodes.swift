internal import System
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// How long an SMS code is valid where codes expire, in seconds.
  static let verificationCodeLifetime: Int64 = 600
  /// How long a code to enroll a phone as a second factor is valid, in seconds (measured with test numbers: 1800 pass).
  static let enrollmentCodeLifetime: Int64 = 1800
  /// How many wrong codes a session allows where codes expire.
  static let wrongCodesAllowed = 5

  private static func lifetime(of purpose: VerificationCode.Purpose) -> Int64 {
    if case .enrollment = purpose { enrollmentCodeLifetime } else { verificationCodeLifetime - 1 }
  }

  /// Creates a code for a number; the list of codes and the notice serve as the phone.
  func sendSMS(
    _ number: String, for purpose: VerificationCode.Purpose = .signIn,
    notice: (String, String) -> String = { "To verify the phone number \($0), use the code \($1)." }
  ) -> VerificationCode {
    let made = VerificationCode(
      code: testCode(of: number) ?? SecureRandom.digits(6), phoneNumber: number,
      // 169 bytes make the 226 characters that Firebase's emulator sends.
      sessionInfo: SecureRandom.token(bytes: 169), purpose: purpose, createdAt: now)
    if rules[.expiringCodes] {
      let dayAgo = now - 86_400
      verifications.sweep { $0.createdAt < dayAgo }
    }
    verifications.put(made, under: made.sessionInfo)
    context.notices?(notice(Self.printable(number), made.code))
    return made
  }

  /// Refuses a number in a country that the project sends no SMS to.
  func checkRegion(of number: String) throws(Refusal) {
    guard !rules[.projectSettings] || smsRegions.allow(number) else {
      throw Refusal(
        .operationNotAllowed,
        "SMS unable to be sent until this region enabled by the app developer.")
    }
  }

  /// Uses up a code and returns the number it was sent to.
  ///
  /// After a wrong code the right one stays valid, but where codes expire only until there are too many wrong ones.
  /// Firebase's emulator does not check what the code was sent for.
  func take(
    sessionInfo: String, code: String, for purpose: VerificationCode.Purpose = .signIn
  ) throws(Refusal) -> String {
    let expires = rules[.expiringCodes]
    guard var sent = verifications[sessionInfo], !expires || sent.purpose == purpose else {
      throw Refusal(.invalidSessionInfo)
    }
    if expires {
      // Measured: the code of a second factor can finish a sign-in more than once.
      let isSpent = sent.isUsed && purpose == .signIn
      guard !isSpent, sent.wrongTries < Self.wrongCodesAllowed,
        now <= sent.createdAt + Self.lifetime(of: purpose)
      else { throw Refusal(.sessionExpired) }
    }
    guard constantTimeEqual(sent.code, code) else {
      if expires {
        sent.wrongTries += 1
        verifications.put(sent, under: sessionInfo)
      }
      throw Refusal(.invalidCode)
    }
    if expires {
      sent.isUsed = true
      verifications.put(sent, under: sessionInfo)
    } else {
      verifications.remove(sessionInfo)
    }
    return sent.phoneNumber
  }
}
