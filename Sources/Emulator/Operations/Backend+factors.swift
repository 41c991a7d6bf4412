internal import System
internal import IdentityToolkit
internal import OIDC

extension Account {
  func factor(_ id: String?) -> SecondFactor? {
    guard let id = id.map({ ExactString(string: $0) }) else { return nil }
    return factors?.first { ExactString(string: $0.id) == id }
  }

  /// The factor with a phone number, which may be masked.
  ///
  /// The iOS SDK has only the masked number when it requests a code with app verification disabled.
  func factor(ofNumber number: String) -> SecondFactor? {
    let number = ExactString(string: number)
    return factors?.first { factor in
      [factor.phoneNumber, factor.maskedNumber].contains { name in
        name.map { ExactString(string: $0) } == number
      }
    }
  }

  /// Replaces the factor that has the same id.
  mutating func replace(_ factor: SecondFactor) {
    let id = ExactString(string: factor.id)
    factors = factors?.map { ExactString(string: $0.id) == id ? factor : $0 }
  }
}

extension Backend {
  /// The id of a new factor: with Google's servers a UUID.
  func newFactorID() -> String { rules[.googleAnswers] ? SecureRandom.uuid() : newUID() }

  /// The second factors in a request's list.
  ///
  /// Factors of a new account get new ids. A repeated number is dropped. No request can set an authenticator app's
  /// secret, so only apps among `kept` can be named.
  func factors(
    from enrollments: [JSON], areNew: Bool = false, keeping kept: [SecondFactor] = []
  ) throws(Refusal) -> [SecondFactor] {
    var factors: [SecondFactor] = []
    var numbers: Set<ExactString> = []
    var ids: Set<ExactString> = []
    for enrollment in enrollments {
      if rules[.totp], enrollment["totpInfo"] != nil,
        let app = kept.first(where: {
          $0.totpSecret != nil && $0.hasID(enrollment["mfaEnrollmentId"]?.string)
        })
      {
        guard ids.insert(ExactString(string: app.id)).inserted else {
          throw Refusal(.duplicateMFAEnrollmentID)
        }
        factors.append(app)
        continue
      }
      guard !rules[.googleAnswers] || enrollment["totpInfo"] == nil else {
        throw Refusal(.unsupportedSecondFactor, "attempting to add a new TOTP enrollment")
      }
      guard let number = enrollment["phoneInfo"]?.string, number.utf8.first == UInt8(ascii: "+")
      else {
        throw Refusal(
          rules[.googleAnswers] ? .invalidPhoneNumber : .invalidMFAPhoneNumber, "Invalid format.")
      }
      guard numbers.insert(ExactString(string: number)).inserted else { continue }
      var given = areNew ? newFactorID() : enrollment["mfaEnrollmentId"]?.string
      // Measured: an administrator may omit ids.
      if given?.isEmpty != false, rules[.googleAnswers] { given = newFactorID() }
      guard let id = given, !id.isEmpty else {
        throw Refusal(.invalidMFAEnrollmentID, "mfaEnrollmentId must be defined.")
      }
      guard ids.insert(ExactString(string: id)).inserted else {
        throw Refusal(.duplicateMFAEnrollmentID)
      }
      var factor = SecondFactor(id: id, displayName: enrollment["displayName"]?.string)
      factor.enrolledAt = enrollment["enrolledAt"]?.string
      if factor.enrolledAt == nil, rules[.provenFactors] {
        factor.enrolledAt = Timestamp.text(milliseconds: nowMilliseconds)
      }
      factor.phoneNumber = number
      factors.append(factor)
    }
    guard !rules[.provenFactors] || factors.count <= SecondFactor.limit else {
      throw Refusal(.secondFactorLimitExceeded)
    }
    return factors
  }
}
