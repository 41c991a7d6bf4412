internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// The second factors of a request's list, as an administrator sets them.
  func factors(from enrollments: [JSON]) throws(Refusal) -> [SecondFactor] {
    var factors: [SecondFactor] = []
    for enrollment in enrollments {
      guard let number = enrollment["phoneInfo"]?.string, number.utf8.first == UInt8(ascii: "+")
      else { throw Refusal(.invalidMFAPhoneNumber, "Invalid format.") }
      guard let id = enrollment["mfaEnrollmentId"]?.string, !id.isEmpty else {
        throw Refusal(.invalidMFAEnrollmentID, "mfaEnrollmentId must be defined.")
      }
      guard !factors.contains(where: { ExactString(string: $0.id) == ExactString(string: id) })
      else { throw Refusal(.duplicateMFAEnrollmentID) }
      guard !factors.contains(where: { $0.phoneNumber == number }) else { continue }
      var factor = SecondFactor(id: id, displayName: enrollment["displayName"]?.string)
      factor.enrolledAt =
        enrollment["enrolledAt"]?.string ?? Timestamp.text(milliseconds: nowMilliseconds)
      factor.phoneNumber = number
      factors.append(factor)
    }
    return factors
  }
}
