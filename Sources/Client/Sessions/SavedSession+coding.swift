import System

extension SavedSession {
  /// Why bytes are not a session; it quotes none of them.
  public struct Unreadable: Error, Sendable, Equatable {
    /// What is wrong with them.
    public let message: String
  }

  private static let format = "luath session"
  private static let version: Int64 = 1

  /// Up to the year 9999; differences between later times could overflow.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799

  /// The session as JSON text.
  public var encoded: [UInt8] {
    var user: JSONObject = ["uid": .string(uid)]
    if let email { user["email"] = .string(email) }
    user["isAnonymous"] = .bool(isAnonymous)
    var object: JSONObject = [
      "format": .string(Self.format), "version": .integer(Self.version),
      "projectID": .string(projectID), "isEmulated": .bool(isEmulated),
      "apiKeyFingerprint": .string(keyFingerprint),
    ]
    if let tenantID { object["tenantID"] = .string(tenantID) }
    object["user"] = .object(user)
    object["tokens"] = [
      "idToken": .string(tokens.idToken.reveal()),
      "refreshToken": .string(tokens.refreshToken.reveal()),
      "expiresAt": .integer(tokens.expiresAt),
    ]
    return JSON.object(object).encodedBytes() + [UInt8(ascii: "\n")]
  }

  /// Reads a session; throws when a field is missing or has the wrong type.
  public init(decoding bytes: [UInt8]) throws(Unreadable) {
    guard let json = (try? JSON.parse(bytes))?.object, json["format"]?.string == Self.format else {
      throw Unreadable(message: "it is not a session that luath saved, or not the whole of it")
    }
    guard let version = json["version"]?.integer, version == Self.version else {
      throw Unreadable(message: "it has a version that this luath does not know")
    }
    func text(_ value: JSON?, _ name: String) throws(Unreadable) -> String {
      guard let text = value?.string, !text.isEmpty else {
        throw Unreadable(message: "its field \(name) is missing or wrong")
      }
      return text
    }
    func optionalText(_ value: JSON?, _ name: String) throws(Unreadable) -> String? {
      value == nil ? nil : try text(value, name)
    }
    func flag(_ value: JSON?, _ name: String) throws(Unreadable) -> Bool {
      guard let flag = value?.bool else {
        throw Unreadable(message: "its field \(name) is missing or wrong")
      }
      return flag
    }
    let user = json["user"]
    let tokens = json["tokens"]
    guard let expiresAt = tokens?["expiresAt"]?.integer, Self.times.contains(expiresAt) else {
      throw Unreadable(message: "its field tokens.expiresAt is missing or wrong")
    }
    projectID = try text(json["projectID"], "projectID")
    isEmulated = try flag(json["isEmulated"], "isEmulated")
    keyFingerprint = try text(json["apiKeyFingerprint"], "apiKeyFingerprint")
    tenantID = try optionalText(json["tenantID"], "tenantID")
    uid = try text(user?["uid"], "user.uid")
    email = try optionalText(user?["email"], "user.email")
    isAnonymous = try flag(user?["isAnonymous"], "user.isAnonymous")
    self.tokens = SessionTokens(
      idToken: Secret(try text(tokens?["idToken"], "tokens.idToken")),
      refreshToken: Secret(try text(tokens?["refreshToken"], "tokens.refreshToken")),
      expiresAt: expiresAt)
  }
}
