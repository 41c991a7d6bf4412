public import System
import IdentityToolkit

extension Admin {
  /// Creates an account and reads it back.
  public func createUser(_ user: NewUser) async throws(AdminError) -> UserRecord {
    let answer = try await call(AdminRequest("accounts", user.body))
    guard let uid = answer["localId"]?.string, !uid.isEmpty else {
      throw AdminError(.internalError, "the backend made an account and did not tell its uid")
    }
    return try await readBack(uid, "made")
  }

  /// Changes an account and reads it back.
  public func updateUser(
    _ uid: String, _ changes: UserChanges
  ) async throws(AdminError) -> UserRecord {
    try Self.check(uid: uid)
    _ = try await call(AdminRequest("accounts:update", changes.body(uid: uid)))
    return try await readBack(uid, "changed")
  }

  /// Replaces the custom claims in an account's tokens.
  ///
  /// Tokens have them after their next renewal.
  public func setCustomUserClaims(_ uid: String, _ claims: JSON) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(
      AdminRequest(
        "accounts:update",
        ["localId": .string(uid), "customAttributes": .string(try CustomClaims.text(claims))]))
  }

  /// Deletes an account.
  public func deleteUser(_ uid: String) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(AdminRequest("accounts:delete", ["localId": .string(uid)]))
  }

  /// Revokes the current refresh tokens of an account.
  ///
  /// ID tokens stay valid until they expire, for verifiers that do not check revocation.
  public func revokeRefreshTokens(_ uid: String) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(
      AdminRequest(
        "accounts:update", ["localId": .string(uid), "validSince": .string(String(clock.now))]))
  }

  /// Reads an account after a change; a failure reports that the change was made.
  private func readBack(_ uid: String, _ deed: String) async throws(AdminError) -> UserRecord {
    do {
      return try await getUser(uid)
    } catch {
      throw AdminError(
        error.code, "the account \(uid) was \(deed), but cannot be read: \(error.message)",
        hint: "do not repeat the call; read the account with admin:getUser",
        serverName: error.serverName, details: error.details)
    }
  }
}
