public import System
import IdentityToolkit

/// An identifier of an account.
public enum UserIdentifier: Sendable {
  case uid(String)
  case email(String)
  case phoneNumber(String)
  case provider(id: String, uid: String)

  /// The allowed fields of its table.
  public static let names = ["uid", "email", "phoneNumber", "providerID", "providerUID"]

  /// Parses `{ uid }`, `{ email }`, `{ phoneNumber }` or `{ providerID, providerUID }`.
  public init(_ json: JSON, _ position: Int) throws(AdminError) {
    let place = "identifiers[\(position)]."
    let reader = try RecordReader(json, place, names: Self.names)
    let uid = try reader.text("uid")
    let email = try reader.text("email")
    let number = try reader.text("phoneNumber")
    let provider = try reader.text("providerID")
    let providerUID = try reader.text("providerUID")
    switch (uid, email, number, provider, providerUID) {
    case (let uid?, nil, nil, nil, nil):
      try Admin.check(uid: uid)
      self = .uid(uid)
    case (nil, let email?, nil, nil, nil): self = .email(email)
    case (nil, nil, let number?, nil, nil): self = .phoneNumber(number)
    case (nil, nil, nil, let provider?, let uid?): self = .provider(id: provider, uid: uid)
    default:
      throw AdminError(
        .invalidArgument,
        "\(place.dropLast()) must have uid, email, phoneNumber, or providerID with providerUID")
    }
  }

  /// Whether it identifies this account.
  func names(_ user: UserRecord) -> Bool {
    switch self {
    case .uid(let uid): ExactString(uid) == ExactString(user.uid)
    // The backend stores e-mail addresses in lower case.
    case .email(let email):
      user.email.map { ExactString($0.lowercased()) == ExactString(email.lowercased()) } ?? false
    case .phoneNumber(let number):
      user.phoneNumber.map { ExactString($0) == ExactString(number) } ?? false
    case .provider(let id, let uid):
      user.providerData.contains {
        ExactString($0.providerID) == ExactString(id) && ExactString($0.uid) == ExactString(uid)
      }
    }
  }
}
