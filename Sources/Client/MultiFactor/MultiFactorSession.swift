import System
import IdentityToolkit

/// The context of a second-factor request: a signed-in user who enrolls one, or a sign-in that needs one.
///
/// Printing it shows only its purpose.
public final class MultiFactorSession {
  enum Purpose {
    /// The user's ID token is read for each request, so this session does not expire.
    case enrollment(User)
    case signIn(AwaitedSecondFactor)
  }

  let purpose: Purpose
  let backend: AuthContext
  private let tenantID: String?

  init(enrolling user: User) {
    purpose = .enrollment(user)
    backend = user.backend
    tenantID = user.tenantID
  }

  init(finishing awaited: AwaitedSecondFactor, over backend: AuthContext, tenantID: String?) {
    purpose = .signIn(awaited)
    self.backend = backend
    self.tenantID = tenantID
  }

  /// The user who enrolls a factor; throws for the session of a sign-in, which has no user yet.
  func enrollingUser() throws(AuthError) -> User {
    guard case .enrollment(let user) = purpose else {
      throw AuthError(
        .invalidMultiFactorSession, "the session of a sign-in cannot enrol a second factor",
        hint: "finish the sign-in, then use the session that user.multiFactor:getSession() gives")
    }
    return user
  }

  /// The unfinished sign-in; throws for the session of a user, who is already signed in.
  func awaitedFactor() throws(AuthError) -> AwaitedSecondFactor {
    guard case .signIn(let awaited) = purpose else {
      throw AuthError(
        .invalidMultiFactorSession, "the session of a signed-in user cannot finish a sign-in",
        hint: "use err.resolver.session of the sign-in that asked for a second factor")
    }
    return awaited
  }

  /// Calls an endpoint with the user's ID token or with the proof of the first factor.
  func call(_ endpoint: Endpoint, _ body: JSONObject) async throws(AuthError) -> JSONObject {
    switch purpose {
    case .enrollment(let user): return try await user.call(endpoint, body)
    case .signIn(let awaited):
      var body = body
      body["mfaPendingCredential"] = .string(awaited.pendingCredential.reveal())
      return try await backend.call(endpoint, body, tenantID: tenantID)
    }
  }
}

extension MultiFactorSession: CustomStringConvertible, CustomReflectable {
  /// The purpose of the session.
  public var description: String {
    switch purpose {
    case .enrollment: "session for enrolling a second factor"
    case .signIn: "session of a sign-in that waits for its second factor"
    }
  }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
