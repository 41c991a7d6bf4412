internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// How long a code from an SMS is good for where codes expire, in seconds.
  static let verificationCodeLifetime: Int64 = 600
  /// How long the session of a phone that is being added as a second factor is good, in seconds (measured with
  /// numbers for tests: 1800 pass).
  static let enrollmentCodeLifetime: Int64 = 1800
  /// How many wrong codes a session bears where codes expire.
  static let wrongCodesAllowed = 5

  private static func lifetime(of purpose: VerificationCode.Purpose) -> Int64 {
    if case .enrollment = purpose { enrollmentCodeLifetime } else { verificationCodeLifetime - 1 }
  }

  /// Makes a code for a number; whoever reads the listing or the notice plays the telephone.
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
    site.notices?(notice(Self.printable(number), made.code))
    return made
  }

  /// Refuses a number in a country the project does not write to.
  func checkRegion(of number: String) throws(Refusal) {
    guard !rules[.projectSettings] || smsRegions.allow(number) else {
      throw Refusal(
        .operationNotAllowed,
        "SMS unable to be sent until this region enabled by the app developer.")
    }
  }

  /// Uses a code up and answers the number it went to.
  ///
  /// After a wrong try the code stays good, but where codes expire not after too many of them.
  /// Firebase's emulator does not ask what the code was sent for.
  func take(
    sessionInfo: String, code: String, for purpose: VerificationCode.Purpose = .signIn
  ) throws(Refusal) -> String {
    let expires = rules[.expiringCodes]
    guard var sent = verifications[sessionInfo], !expires || sent.purpose == purpose else {
      throw Refusal(.invalidSessionInfo)
    }
    if expires {
      // Measured: the code of a second factor finishes a sign-in more than once.
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
