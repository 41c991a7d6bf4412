import HTTP
import IdentityToolkit
import System

/// A session in the form in which it is saved: its user, its project and its tokens.
///
/// Anyone who has it can act as the user, so store it where only the user can read it.
public struct SavedSession: Sendable {
  /// The user's project.
  let projectID: String

  /// Whether the project is emulated; real and emulated sessions are not interchangeable.
  let isEmulated: Bool

  /// A hash that identifies the API key of the sign-in without revealing it.
  let keyFingerprint: String

  /// The user's tenant.
  let tenantID: String?

  /// The user's id.
  public let uid: String

  /// The user's e-mail address, to distinguish files.
  public let email: String?

  /// Whether the user is anonymous, which the backend does not report.
  let isAnonymous: Bool

  /// The tokens.
  public let tokens: SessionTokens

  /// A user's current session.
  public init(of user: User, keyFingerprint: String) {
    let target = user.backend.client.target
    projectID = target.projectID
    isEmulated = target.isEmulated
    self.keyFingerprint = keyFingerprint
    tenantID = user.tenantID
    uid = user.uid
    email = user.email
    isAnonymous = user.isAnonymous
    tokens = user.session.tokens
  }

  /// Whether it is a session of this user.
  public func belongs(to user: User) -> Bool {
    user.hasID(uid) && isGood(at: user.backend.client.target)
      && user.isOf(tenant: tenantID)
  }

  /// Whether the session belongs to the project of this target.
  func isGood(at target: Target) -> Bool {
    isEmulated == target.isEmulated && ExactString(projectID) == ExactString(target.projectID)
  }

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
      throw Unreadable(message: "it is not a session that luath saved, or it is incomplete")
    }
    guard let version = json["version"]?.integer, version == Self.version else {
      throw Unreadable(message: "this luath does not support its version")
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

extension Auth {
  /// Signs in with a saved session, after the backend has confirmed that it is valid.
  ///
  /// Sets this Auth's tenant to the session's, and keeps the store up to date. If the session was saved with another
  /// API key, its token is renewed with this one's key first. A failure does not affect the current user.
  @discardableResult
  public func restore(
    _ saved: SavedSession, keyFingerprint: String, store: any SessionStore
  ) async throws(AuthError) -> User {
    guard saved.isGood(at: target) else {
      throw AuthError(
        .keychainError,
        "the session belongs to \(words(saved.projectID, saved.isEmulated)), and not to "
          + words(target.projectID, target.isEmulated),
        hint: "choose the target it was saved for, or sign in to this one and save that")
    }
    var known: JSONObject = ["localId": .string(saved.uid)]
    if let email = saved.email { known["email"] = .string(email) }
    let user = try User(
      session: Session(saved.tokens), account: known, isAnonymous: saved.isAnonymous,
      tenantID: saved.tenantID, backend: backend)
    user.store = store
    // No token is valid for more than an hour: a later expiry comes from another clock.
    let isOdd = saved.tokens.expiresAt - backend.clock.now > 3600
    if isOdd || saved.keyFingerprint != keyFingerprint {
      _ = try await user.getIDToken(forcingRefresh: true)
      try await user.reload()
    } else {
      try await reloadWithSavedToken(user)
    }
    tenantID = saved.tenantID
    user.auth = self
    makeCurrent(user)
    return user
  }

  /// Renews the token if the saved one was revoked, or has expired by the backend's clock.
  private func reloadWithSavedToken(_ user: User) async throws(AuthError) {
    let refusal: AuthError
    do {
      return try await user.reload()
    } catch {
      refusal = error
    }
    guard refusal.code == .userTokenExpired || refusal.code == .invalidUserToken else {
      throw refusal
    }
    _ = try await user.getIDToken(forcingRefresh: true)
    try await user.reload()
  }

  private func words(_ projectID: String, _ isEmulated: Bool) -> String {
    (isEmulated ? "the emulated project " : "the project ") + Redaction().clean(projectID)
  }

  /// Makes a user the current one without a sign-in, such as a former current user.
  ///
  /// A user of another Auth is copied, with separate tokens. If that Auth has another API key or backend, this one's
  /// backend must confirm the user first.
  public func updateCurrentUser(_ user: User?) async throws(AuthError) {
    guard let user else { throw AuthError(.nullUser) }
    guard user.isOf(tenant: tenantID) else {
      throw AuthError(
        .tenantIDMismatch,
        "the user belongs to \(words(of: user.tenantID)), and this Auth to \(words(of: tenantID))")
    }
    guard user.auth !== self else { return makeCurrent(user) }
    // An emulator uses no TLS and stores what it receives, so it must not receive a real token.
    guard user.backend.client.target.isEmulated == target.isEmulated else {
      throw AuthError(
        .invalidUserToken,
        target.isEmulated
          ? "the user is one of a real project, and the target is an emulator"
          : "the user is one of an emulator, and the target is a real project",
        hint: "sign in with this Auth instead; nothing was sent")
    }
    let copy = try User(copying: user, into: self)
    if !user.backend.client.target.isSame(as: target) {
      // Not a call as this user: an error must not affect the current user.
      let account = try await backend.call(
        .lookup, ["idToken": .string(copy.session.idToken.reveal())], tenantID: tenantID
      ).account()
      guard let uid = account["localId"]?.string, copy.hasID(uid) else {
        throw AuthError(
          .internalError, "the backend returned another account than the requested one")
      }
      copy.apply(account)
    }
    makeCurrent(copy)
  }

  private func words(of tenantID: String?) -> String {
    tenantID.map { "the tenant \(Redaction().clean($0))" } ?? "no tenant"
  }
}

extension User {
  /// Stores the session in `store` from now on; the store must have it already.
  public func keepSession(in store: any SessionStore) {
    self.store = store
    session.wasStored()
  }
}

extension Target {
  /// Whether both have the same backend and API key.
  fileprivate func isSame(as other: Target) -> Bool {
    apiKey == other.apiKey && ExactString(projectID) == ExactString(other.projectID)
      && backend == other.backend
  }
}
