import System
import IdentityToolkit

extension Admin {
  /// Returns the account with a uid.
  public func getUser(_ uid: String) async throws(AdminError) -> UserRecord {
    try Self.check(uid: uid)
    return try await single(
      ["localId": [.string(uid)]], "no account has the uid \(Self.brief(uid))")
  }

  /// Returns the account with an e-mail address.
  public func getUser(email: String) async throws(AdminError) -> UserRecord {
    try Self.check(email, "email")
    return try await single(
      ["email": [.string(email)]], "no account has the address \(Self.brief(email))")
  }

  /// Returns the account with a phone number in international form.
  public func getUser(phoneNumber: String) async throws(AdminError) -> UserRecord {
    try Self.check(phoneNumber, "phoneNumber")
    return try await single(
      ["phoneNumber": [.string(phoneNumber)]],
      "no account has the phone number \(Self.brief(phoneNumber))")
  }

  /// Returns the account linked to a user of an identity provider.
  ///
  /// As in the SDKs, the providers `email` and `phone` mean the e-mail address and the phone number.
  public func getUser(
    providerID: String, providerUID: String
  ) async throws(AdminError) -> UserRecord {
    try Self.check(providerID, "providerID")
    try Self.check(providerUID, "providerUID")
    switch providerID {
    case "email": return try await getUser(email: providerUID)
    case "phone": return try await getUser(phoneNumber: providerUID)
    default:
      return try await single(
        [
          "federatedUserId": [
            ["providerId": .string(providerID), "rawId": .string(providerUID)]
          ]
        ], "no account is linked with \(Self.brief(providerUID)) of \(Self.brief(providerID))")
    }
  }

  /// Shortens a text for a message.
  private static func brief(_ text: String) -> String {
    let most = 256
    return text.utf8.count <= most ? text : "\(text.prefix(most))…"
  }

  /// Returns the only account that a lookup finds.
  private func single(
    _ body: JSONObject, _ absence: String
  ) async throws(AdminError) -> UserRecord {
    let answer = try await call(AdminRequest("accounts:lookup", body, isRepeatable: true))
    guard let user = answer["users"]?.array?.first else {
      throw AdminError(
        .userNotFound, absence, hint: "check it, the target's project and the tenant")
    }
    return try UserRecord(user)
  }
}
