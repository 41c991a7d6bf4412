import IdentityToolkit
import System

/// Finishes a sign-in or a reauthentication that needs a second factor.
///
/// Unchecked, because errors must be Sendable and `AuthError` holds a resolver. It may be used only on the thread of its
/// Auth. The code that catches the error runs there, because an Auth is not shared between threads either.
public final class MultiFactorResolver: @unchecked Sendable {
  /// The factors that can finish it.
  public let hints: [MultiFactorInfo]

  /// The session for requesting an SMS code.
  public let session: MultiFactorSession

  /// The Auth of the sign-in.
  public let auth: Auth?

  private let awaited: AwaitedSecondFactor
  private let finish: (SignInAnswer) async throws(AuthError) -> AuthResult
  private var isSpent = false

  init(
    _ awaited: AwaitedSecondFactor, auth: Auth?, over backend: AuthContext, tenantID: String?,
    finish: @escaping (SignInAnswer) async throws(AuthError) -> AuthResult
  ) {
    self.awaited = awaited
    self.auth = auth
    self.finish = finish
    hints = awaited.hints
    session = MultiFactorSession(finishing: awaited, over: backend, tenantID: tenantID)
  }

  /// Finishes the sign-in, with the result that the first factor alone would have had.
  ///
  /// After a wrong code, another attempt is allowed. After a success the resolver is used up.
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
    // From here on the backend has used up the proof of the first factor.
    isSpent = true
    return try await finish(SignInAnswer(awaited.response(completedBy: tokens)))
  }
}

extension MultiFactorResolver: CustomStringConvertible, CustomReflectable {
  /// The number of factors.
  public var description: String { "resolver with \(hints.count) second factors" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A sign-in whose first factor is done and whose second is missing.
struct AwaitedSecondFactor: Sendable {
  /// The backend's proof of the first factor.
  let pendingCredential: Secret

  /// The factors that can finish the sign-in.
  let hints: [MultiFactorInfo]

  /// The first factor's response; its provider tokens and profile belong to the final result.
  private let response: JSONObject

  init(_ response: JSONObject) {
    pendingCredential = Secret(response["mfaPendingCredential"]?.string ?? "")
    hints = (response["mfaInfo"]?.array ?? []).compactMap(MultiFactorInfo.init)
    self.response = response
  }

  /// The user of the first factor, if the response has it.
  var userID: String? {
    response["localId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The response as it would be without a second factor, with the tokens of the second factor.
  ///
  /// These have no lifetime, so it is read from the ID token. The user is too, because the tokens decide who is
  /// signed in.
  func response(completedBy tokens: JSONObject) -> JSONObject {
    var complete = response
    for name in ["mfaPendingCredential", "mfaInfo", "localId"] { complete[name] = nil }
    for name in ["idToken", "refreshToken", "expiresIn"] { complete[name] = tokens[name] }
    return complete
  }
}

extension AwaitedSecondFactor: CustomReflectable {
  /// Shows no members, because the response may have a provider's tokens.
  var customMirror: Mirror { Mirror(self, children: []) }
}
