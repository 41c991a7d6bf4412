import System
import IdentityToolkit

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
}
