/// Why a sign-in with an OpenID provider failed; never quotes a token, code or secret.
public struct OIDCError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// An address is not an absolute https address, or http on this machine.
    case unusableAddress
    /// The issuer's description could not be fetched, as nothing answers at its address.
    case issuerUnreachable
    /// The issuer answers, but not with its discovery document.
    case discoveryFailed
    /// The provider answers, but not with its signing keys.
    case keysUnavailable
    /// Another endpoint of the provider could not be reached.
    case transport
    /// The provider answered, but not with what the specification asks for.
    case unexpectedAnswer
    /// The provider's own description names another issuer than the one asked.
    case issuerMismatch
    /// An endpoint refused the client's identifier or secret: `invalid_client`, or status 401.
    case clientRefused
    /// The provider does not know the redirect URI; its pages report that under the same code.
    case redirectNotRegistered = "webRedirectNotRegistered"
    /// An endpoint refused for another reason, which is in `providerError`.
    case refused
    /// The ID token's signature or shape was refused.
    case badSignature
    /// The ID token lacks a claim, or has one of the wrong type.
    case malformedClaims
    /// The ID token is from another issuer.
    case wrongIssuer
    /// The ID token is for another client.
    case wrongAudience
    /// The ID token answers another request.
    case wrongNonce
    /// The ID token is no longer valid.
    case expired
    /// The ID token is not valid yet, or is from the future.
    case notYetValid
    /// The ID token carries no nonce, though the request asked for one.
    case missingNonce
    /// The ID token names a key the provider does not publish.
    case unknownKey
    /// The ID token is signed with an algorithm that proves nothing here, such as `none`.
    case unsupportedAlgorithm
    /// The person signed in longer ago than the request allows, or the token does not say when.
    case staleSignIn
    /// A hash in the ID token fits neither the code nor the access token it came with.
    case wrongHash
    /// Claims or a token are about another person.
    case wrongSubject
    /// The answer belongs to another request, or to nobody's.
    case stateMismatch
    /// The answer came to another address than the one asked for.
    case redirectMismatch
    /// The answer does not say who gave it, though the provider promises that it does.
    case issuerMissing
    /// An answer was taken for this request already.
    case answerReplayed
    /// The person, or an administrator, said no.
    case denied
    /// The provider ended the sign-in; `providerError` has its word for it.
    case providerError
    /// Nobody entered the device's code in time.
    case deviceCodeExpired
    /// The caller's own time was up before the person was done.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The provider does not offer what was asked for.
    case unsupported
    /// The request is one that must not be sent, such as one that sets a reserved parameter.
    case unusableRequest
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, in lower case and without a full stop.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// The provider's error name, such as `invalid_grant` (RFC 6749 sections 4.1.2.1 and 5.2).
  public let providerError: String?

  /// Describes a failure.
  public init(_ code: Code, _ message: String, hint: String, providerError: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.providerError = providerError
  }

  /// The message and the hint.
  public var description: String { "\(message); \(hint)" }
}
