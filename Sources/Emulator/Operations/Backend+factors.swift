internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Account {
  func factor(_ id: String?) -> SecondFactor? {
    guard let id = id.map({ ExactString(string: $0) }) else { return nil }
    return factors?.first { ExactString(string: $0.id) == id }
  }

  /// The factor of a number, which may be masked: the iOS SDK has nothing else when it asks for a code
  /// with app verification switched off.
  func factor(ofNumber number: String) -> SecondFactor? {
    let number = ExactString(string: number)
    return factors?.first { factor in
      [factor.phoneNumber, factor.maskedNumber].contains { name in
        name.map { ExactString(string: $0) } == number
      }
    }
  }

  /// Puts a factor in the place of the one with its id.
  mutating func replace(_ factor: SecondFactor) {
    let id = ExactString(string: factor.id)
    factors = factors?.map { ExactString(string: $0.id) == id ? factor : $0 }
  }
}

extension Backend {
  /// The id of a new factor: a UUID at Google's servers.
  func newFactorID() -> String { rules[.googleAnswers] ? SecureRandom.uuid() : newUID() }

  /// The second factors of a request's list, as an administrator sets them.
  ///
  /// A new account's get ids of their own. A number that comes again is left out. An authenticator app's
  /// secret is nobody's to write, so of apps only those of `kept` can be named.
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
      // Measured: an administrator may leave ids out.
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
