/// Storage for a user's session beyond this process, which other processes may use too.
public protocol SessionStore: AnyObject {
  /// Runs `change` under an exclusive lock, then stores the user's current session.
  ///
  /// `change` receives the stored tokens if another process has replaced them since the last access. Nothing is
  /// stored when it throws, or when the store has another session by now.
  func exclusively(
    for user: User, _ change: (_ newer: SessionTokens?) async throws(AuthError) -> Void
  ) async throws(AuthError)
}
