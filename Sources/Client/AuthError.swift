public import System
public import IdentityToolkit

/// Why an operation of Auth failed, how to correct it, and what is needed to continue.
///
/// No text in it has a token, a password or a code. Printing it shows none either.
public struct AuthError: Error, Sendable {
  /// The code, as in the SDKs.
  public let code: ErrorCode

  /// What happened.
  public let message: String

  /// What to do next, in one sentence.
  public private(set) var hint: String

  /// The name of the failure on the wire, from the backend or the identity provider.
  public let serverName: String?

  /// The e-mail address of the failure.
  public private(set) var email: String?

  /// The credential to continue with after resolving the conflict; the original one is used up.
  public let pendingCredential: Credential?

  /// The identity providers with which the owner of the e-mail address can sign in.
  ///
  /// Empty when the backend names none. Then the account has a password or uses e-mail links.
  public let verifiedProviders: [String]

  /// Finishes a sign-in that needs a second factor.
  public private(set) var resolver: MultiFactorResolver?

  /// The first factor's response, for creating the resolver.
  private(set) var awaitedFactor: AwaitedSecondFactor?

  /// Further data from the backend, without secrets.
  public let details: JSON?

  /// A failure; message and hint default to those of the code.
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

  /// A sign-in that needs a second factor.
  init(awaiting factor: AwaitedSecondFactor, email: String?, details: JSON) {
    self.init(.secondFactorRequired, email: email, details: details)
    awaitedFactor = factor
  }

  /// A copy with an e-mail address, unless it has one already.
  func about(email: String) -> AuthError {
    var copy = self
    copy.email = self.email ?? email
    return copy
  }

  func hinting(_ hint: String) -> AuthError {
    var copy = self
    copy.hint = hint
    return copy
  }

  /// A copy with a resolver, if a second factor is needed.
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
  /// The code's name and number, the message and the hint.
  public var description: String { "\(code.rawValue) (\(code.number)): \(message); \(hint)" }
}
