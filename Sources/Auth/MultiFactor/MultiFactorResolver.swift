import Encoding
import IdentityToolkit

/// What finishes a sign-in or a reauthentication that asked for a second factor.
///
/// Unchecked, because errors must be sendable and one carries this: whoever catches the error does so
/// where its Auth lives, which is not shared between threads either, and only there may it be used.
public final class MultiFactorResolver: @unchecked Sendable {
  /// The factors that can finish it.
  public let hints: [MultiFactorInfo]

  /// What to ask for a telephone's code with.
  public let session: MultiFactorSession

  /// The Auth that was asked to sign in.
  public let auth: Auth?

  private let awaited: AwaitedSecondFactor
  private let finish: (SignInAnswer) async throws(AuthError) -> AuthResult
  private var isSpent = false

  init(
    _ awaited: AwaitedSecondFactor, auth: Auth?, over backend: Backend, tenantID: String?,
    finish: @escaping (SignInAnswer) async throws(AuthError) -> AuthResult
  ) {
    self.awaited = awaited
    self.auth = auth
    self.finish = finish
    hints = awaited.hints
    session = MultiFactorSession(finishing: awaited, over: backend, tenantID: tenantID)
  }

  /// Finishes what the first factor began, and gives what that would have given by itself.
  ///
  /// A wrong code may be followed by another one. Once it has succeeded it is used up.
  @discardableResult
  public func resolveSignIn(
    with assertion: MultiFactorAssertion
  ) async throws(AuthError) -> AuthResult {
    if case .newApp = assertion.content {
      throw AuthError(
        .rejectedCredential, "an assertion for enrolling an app cannot finish a sign-in",
        hint: "make one with TOTPMultiFactorGenerator.assertionForSignIn(factor.uid, code)")
    }
    if case .app(let uid, _) = assertion.content,
      let factor = hints.first(where: { ExactString($0.uid) == ExactString(uid) }),
      factor.factorID != assertion.factorID
    {
      throw AuthError(
        .rejectedCredential,
        "the factor is no authenticator app, but of the kind \(factor.factorID)",
        hint: "pass one of err.resolver.hints whose factorID is totp")
    }
    guard !isSpent else {
      throw AuthError(
        .invalidMultiFactorSession, "this resolver has finished its sign-in already")
    }
    let tokens: JSONObject
    do {
      tokens = try await session.call(.finalizeMfaSignIn, assertion.proof)
    } catch {
      throw assertion.advising(error)
    }
    // The backend has used up the proof of the first factor, whatever follows.
    isSpent = true
    return try await finish(SignInAnswer(awaited.response(completedBy: tokens)))
  }
}

extension MultiFactorResolver: CustomStringConvertible, CustomReflectable {
  /// How many factors there are to choose from.
  public var description: String { "resolver with \(hints.count) second factors" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
