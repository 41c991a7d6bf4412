public import Encoding
import IdentityToolkit

extension Admin {
  /// Makes an account and reads it back.
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

  /// Sets the claims that an administrator adds to an account's tokens, in place of earlier ones.
  ///
  /// Tokens have them when they are next renewed.
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

  /// Makes the refresh tokens that an account has now useless.
  ///
  /// ID tokens stay good until they end, for whoever does not ask whether they were revoked.
  public func revokeRefreshTokens(_ uid: String) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(
      AdminRequest(
        "accounts:update", ["localId": .string(uid), "validSince": .string(String(clock.now))]))
  }

  /// Reads an account after a change, which a failure must not hide.
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
