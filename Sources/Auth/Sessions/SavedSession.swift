import Encoding
public import IdentityToolkit

/// A session as it is kept in a file: whose it is, where it is good, and its tokens.
///
/// Whoever has it can act as the user, so it belongs where only its owner can read it.
public struct SavedSession: Sendable {
  /// The project the user belongs to.
  public let projectID: String

  /// Whether the project is an emulated one; its sessions are worth nothing at Google, nor the other
  /// way round.
  public let isEmulated: Bool

  /// A hash that tells the API key of the sign-in from others without showing it.
  public let keyFingerprint: String

  /// The tenant of the user.
  public let tenantID: String?

  /// The user's identifier.
  public let uid: String

  /// The user's e-mail address, to tell files apart by.
  public let email: String?

  /// Whether the user has no way to sign in again, which the backend does not tell.
  public let isAnonymous: Bool

  /// The tokens.
  public let tokens: SessionTokens

  /// Describes a user's session as it is now.
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

  /// Whether a target is the project it was made at.
  public func isGood(at target: Target) -> Bool {
    isEmulated == target.isEmulated && ExactString(projectID) == ExactString(target.projectID)
  }
}
