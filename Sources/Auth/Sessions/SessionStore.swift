/// A place where a user's session is kept beyond this process, and which other processes may use.
public protocol SessionStore: AnyObject {
  /// Runs `change` while nobody else can renew or replace what is stored, then stores the user's
  /// session as it is by then.
  ///
  /// `change` is given the stored tokens if another process has put them there since this one
  /// looked. Nothing is stored when it throws, or when the place holds another session by now.
  func exclusively(
    for user: User, _ change: (_ newer: SessionTokens?) async throws(AuthError) -> Void
  ) async throws(AuthError)
}
