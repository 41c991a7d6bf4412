public import Encoding
public import IdentityToolkit

/// Why an operation of Auth failed, what to do about it, and what is needed to go on.
///
/// No text in it holds a token, a password or a code, and printing it shows none.
public struct AuthError: Error, Sendable {
  /// The code, as the SDKs have it.
  public let code: ErrorCode

  /// What happened.
  public let message: String

  /// What to do next, in one sentence.
  public private(set) var hint: String

  /// The name the backend or the identity provider gave the failure on the wire.
  public let serverName: String?

  /// The e-mail address the failure is about.
  public private(set) var email: String?

  /// The credential to go on with once the conflict is solved; the original one is used up.
  public let pendingCredential: Credential?

  /// The identity providers by which the owner of the e-mail address can sign in.
  ///
  /// Empty when the backend names none, which leaves a password or an e-mail link.
  public let verifiedProviders: [String]

  /// What finishes a sign-in that asked for a second factor.
  public private(set) var resolver: MultiFactorResolver?

  /// The first factor's answer, for whoever makes the resolver.
  private(set) var awaitedFactor: AwaitedSecondFactor?

  /// What else the backend said, without its secrets.
  public let details: JSON?

  /// Describes a failure; the code's own sentences stand where none are given.
  public init(
    _ code: ErrorCode, _ message: String? = nil, hint: String? = nil, serverName: String? = nil,
    email: String? = nil, pendingCredential: Credential? = nil, verifiedProviders: [String] = [],
    details: JSON? = nil
  ) {
    self.code = code
    self.message = message ?? code.summary
    self.hint = hint ?? code.hint
    self.serverName = serverName
    self.email = email
    self.pendingCredential = pendingCredential
    self.verifiedProviders = verifiedProviders
    self.details = details
  }

  /// Describes a sign-in that asks for a second factor.
  init(awaiting factor: AwaitedSecondFactor, email: String?, details: JSON) {
    self.init(.secondFactorRequired, email: email, details: details)
    awaitedFactor = factor
  }

  /// A copy that also says whose e-mail address it is about.
  func about(email: String) -> AuthError {
    var copy = self
    copy.email = self.email ?? email
    return copy
  }

  /// A copy that gives another advice.
  func hinting(_ hint: String) -> AuthError {
    var copy = self
    copy.hint = hint
    return copy
  }

  /// A copy that carries what finishes the sign-in, where a second factor is asked for.
  func resolvable(
    _ makeResolver: (AwaitedSecondFactor) -> MultiFactorResolver
  ) -> AuthError {
    guard let awaitedFactor else { return self }
    var copy = self
    copy.resolver = makeResolver(awaitedFactor)
    return copy
  }
}

extension AuthError: CustomStringConvertible {
  /// The code's name and number, what happened and what to do.
  public var description: String { "\(code.rawValue) (\(code.number)): \(message); \(hint)" }
}
