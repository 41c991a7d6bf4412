import Encoding
import IdentityToolkit

/// What a request about second factors belongs to: a signed-in user who enrols one, or a sign-in
/// that waits for one.
///
/// Printing it shows nothing of what it holds.
public final class MultiFactorSession {
  enum Purpose {
    /// The user's ID token is read for each request, so this session does not grow old.
    case enrollment(User)
    case signIn(AwaitedSecondFactor)
  }

  let purpose: Purpose
  let backend: Backend
  private let tenantID: String?

  init(enrolling user: User) {
    purpose = .enrollment(user)
    backend = user.backend
    tenantID = user.tenantID
  }

  init(finishing awaited: AwaitedSecondFactor, over backend: Backend, tenantID: String?) {
    purpose = .signIn(awaited)
    self.backend = backend
    self.tenantID = tenantID
  }

  /// The user who enrols a factor; refuses the session of a sign-in, which has nobody yet.
  func enrollingUser() throws(AuthError) -> User {
    guard case .enrollment(let user) = purpose else {
      throw AuthError(
        .invalidMultiFactorSession, "the session of a sign-in cannot enrol a second factor",
        hint: "finish the sign-in, then use the session that user.multiFactor:getSession() gives")
    }
    return user
  }

  /// The sign-in that waits; refuses the session of a user, who is signed in already.
  func awaitedFactor() throws(AuthError) -> AwaitedSecondFactor {
    guard case .signIn(let awaited) = purpose else {
      throw AuthError(
        .invalidMultiFactorSession, "the session of a signed-in user cannot finish a sign-in",
        hint: "use err.resolver.session of the sign-in that asked for a second factor")
    }
    return awaited
  }

  /// Calls an endpoint with the proof of the first factor.
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
  /// What the session is for.
  public var description: String {
    switch purpose {
    case .enrollment: "session for enrolling a second factor"
    case .signIn: "session of a sign-in that waits for its second factor"
    }
  }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
