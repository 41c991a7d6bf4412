import IdentityToolkit
import System

/// The second factors of a user.
public struct MultiFactor {
  let user: User

  /// A session for enrolling a factor.
  public func session() async throws(AuthError) -> MultiFactorSession {
    // Report an ended session now, not after the code has been sent.
    _ = try await user.getIDToken()
    return MultiFactorSession(enrolling: user)
  }

  /// Enrolls a factor; needs a verified e-mail address and a recent sign-in.
  ///
  /// Every later sign-in then needs it. The user gets new tokens that name the factor.
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String? = nil
  ) async throws(AuthError) {
    if case .app = assertion.content {
      throw AuthError(
        .rejectedCredential, "an assertion for signing in cannot enrol an app",
        hint: "make one with TOTPMultiFactorGenerator.assertionForEnrollment(secret, code)")
    }
    var body = assertion.proof
    if let displayName { body["displayName"] = .string(displayName) }
    let answer: JSONObject
    do {
      answer = try await user.call(.finalizeMfaEnrollment, body)
    } catch {
      throw assertion.advising(error)
    }
    try await user.adoptTokens(of: answer)
  }

  /// Withdraws a factor; needs a recent sign-in.
  public func unenroll(factorUID: String) async throws(AuthError) {
    guard !factorUID.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    let answer = try await user.call(
      .withdrawMfaEnrollment, ["mfaEnrollmentId": .string(factorUID)])
    try await user.adoptTokens(of: answer)
  }
}

extension User {
  /// The user's second factors.
  public var multiFactor: MultiFactor { MultiFactor(user: self) }
}

/// A second factor of an account: a phone or an authenticator app.
public struct MultiFactorInfo: Sendable, Equatable {
  /// Its id, for using and withdrawing it.
  public let uid: String

  /// The name that the user gave it.
  public let displayName: String?

  /// When it was enrolled, in milliseconds since 1970.
  public let enrollmentDate: Int64?

  /// `phone` or `totp`; `email` or `unknown` for other kinds.
  public let factorID: String

  /// The phone number; until the sign-in is complete, only its last digits are shown.
  public let phoneNumber: String?

  /// Reads a member of `mfaInfo`; nil without an id, which would make it unusable.
  init?(_ json: JSON) {
    guard let uid = json["mfaEnrollmentId"]?.string, !uid.isEmpty else { return nil }
    self.uid = uid
    displayName = json["displayName"]?.string
    enrollmentDate = json["enrolledAt"]?.string.flatMap(Timestamp.milliseconds)
    phoneNumber = json["phoneInfo"]?.string
    if phoneNumber != nil {
      factorID = PhoneMultiFactorGenerator.factorID
    } else if json["totpInfo"] != nil {
      factorID = TOTPMultiFactorGenerator.factorID
    } else {
      factorID = json["emailInfo"] == nil ? "unknown" : "email"
    }
  }
}

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
        hint: "finish the sign-in, then use the session that user.multiFactor:getSession() returns")
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
