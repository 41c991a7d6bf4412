import System
import IdentityToolkit
import OIDC

/// A second factor that an administrator adds to an account.
struct EnrolledFactor {
  private let uid: String?
  private let displayName: String?
  private let phoneNumber: String?
  private let enrollmentTime: String?

  /// Parses an entry of `multiFactor.enrolledFactors`.
  init(_ json: JSON, _ place: String) throws(AdminError) {
    let reader = try RecordReader(
      json, place, names: ["uid", "factorID", "displayName", "phoneNumber", "enrollmentTime"])
    uid = try reader.text("uid")
    displayName = try reader.text("displayName")
    phoneNumber = try reader.text("phoneNumber")
    enrollmentTime = try reader.text("enrollmentTime")
    switch try reader.text("factorID") {
    case nil, "phone":
      guard phoneNumber != nil else { throw reader.fault("phoneNumber", "is missing") }
    case "totp":
      guard uid != nil else {
        throw reader.fault("uid", "is missing: nobody but its owner can enrol an authenticator app")
      }
      guard phoneNumber == nil else {
        throw reader.fault("phoneNumber", "is not something an authenticator app has")
      }
    default: throw reader.fault("factorID", "must be phone or totp")
    }
  }

  /// Parses the factors of a table's `multiFactor`; nil when it has none.
  static func list(_ reader: RecordReader) throws(AdminError) -> [EnrolledFactor]? {
    if case .bool(false)? = reader.value("multiFactor") { return [] }
    guard let inner = try reader.record("multiFactor", names: ["enrolledFactors"]) else {
      return nil
    }
    if case .bool(false)? = inner.value("enrolledFactors") { return [] }
    guard let items = try inner.list("enrolledFactors") else { return nil }
    var factors: [EnrolledFactor] = []
    for (index, item) in items.enumerated() {
      factors.append(
        try EnrolledFactor(item, "multiFactor.enrolledFactors[\(index + 1)]."))
    }
    let uids = factors.compactMap { factor in factor.uid.map { ExactString($0) } }
    guard Set(uids).count == uids.count else {
      throw inner.fault("enrolledFactors", "has two factors with the same uid")
    }
    return factors
  }

  /// Returns the JSON for a new account, whose factor ids the backend chooses.
  func newWire() throws(AdminError) -> JSON {
    guard let phoneNumber else {
      throw AdminError(
        .invalidArgument, "a new account can begin with phone numbers as second factors only")
    }
    guard uid == nil, enrollmentTime == nil else {
      throw AdminError(
        .invalidArgument, "the backend chooses uid and enrollmentTime of a new account's factors",
        hint: "leave them out, or set the factors with admin:updateUser afterwards")
    }
    var wire: JSONObject = ["phoneInfo": .string(phoneNumber)]
    wire["displayName"] = displayName.map(JSON.string)
    return .object(wire)
  }

  /// The JSON for existing accounts and imports.
  var wire: JSON {
    // The API requires an id, which the caller may omit.
    var wire: JSONObject = ["mfaEnrollmentId": .string(uid ?? SecureRandom.token(bytes: 15))]
    wire["displayName"] = displayName.map(JSON.string)
    wire["enrolledAt"] = enrollmentTime.map(JSON.string)
    if let phoneNumber { wire["phoneInfo"] = .string(phoneNumber) } else { wire["totpInfo"] = [:] }
    return .object(wire)
  }
}
