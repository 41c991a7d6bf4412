import System

/// Why a sign-in with an OpenID provider failed; never quotes a token, code or secret.
public struct OIDCError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Code: String, Sendable, CaseIterable {
    /// A URL is neither absolute https, nor http on this machine.
    case unusableAddress
    /// The issuer's metadata could not be fetched, because its server does not respond.
    case issuerUnreachable
    /// The issuer's response is not its discovery document.
    case discoveryFailed
    /// The provider's response does not contain its signing keys.
    case keysUnavailable
    /// Another endpoint of the provider could not be reached.
    case transport
    /// The provider's response violates the specification.
    case unexpectedAnswer
    /// The provider's metadata name another issuer than the requested one.
    case issuerMismatch
    /// An endpoint rejected the client's identifier or secret: `invalid_client`, or status 401.
    case clientRefused
    /// The redirect URI is not registered at the provider; its pages report that under the same code.
    case redirectNotRegistered = "webRedirectNotRegistered"
    /// An endpoint rejected the request for another reason, which is in `providerError`.
    case refused
    /// The ID token's signature or format is invalid.
    case badSignature
    /// The ID token lacks a claim, or has one of the wrong type.
    case malformedClaims
    case wrongIssuer
    /// The ID token is for another client.
    case wrongAudience
    /// The ID token's nonce is of another request.
    case wrongNonce
    case expired
    case notYetValid
    /// The ID token has no nonce, although the request had one.
    case missingNonce
    /// The ID token names a key the provider does not publish.
    case unknownKey
    /// The ID token's algorithm is not supported, such as `none`.
    case unsupportedAlgorithm
    /// The user's sign-in is older than the request allows, or its time is missing.
    case staleSignIn
    /// A hash in the ID token does not match the code or access token issued with it.
    case wrongHash
    /// Claims or a token are of another user.
    case wrongSubject
    /// The response belongs to another request, or has no state.
    case stateMismatch
    case redirectMismatch
    /// The response has no issuer, although the provider promises one.
    case issuerMissing
    /// A response was already accepted for this request.
    case answerReplayed
    /// The user or an administrator denied access.
    case denied
    /// The provider ended the sign-in with the error in `providerError`.
    case providerError
    /// The device code expired before the user entered it.
    case deviceCodeExpired
    /// The caller's time limit was reached before the user finished.
    case timedOut
    case cancelled
    /// The provider does not support what was requested.
    case unsupported
    /// The request must not be sent, for example because it sets a reserved parameter.
    case unusableRequest
  }

  /// The kind of error.
  public let code: Code
  /// What happened, in lower case and without a period.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// The provider's error name, such as `invalid_grant` (RFC 6749 sections 4.1.2.1 and 5.2).
  public let providerError: String?

  /// Creates an error.
  public init(_ code: Code, _ message: String, hint: String, providerError: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.providerError = providerError
  }

  /// The message and the hint.
  public var description: String { "\(message); \(hint)" }
}

/// Cleans a server's message: one short line, without control characters, our secrets and tokens.
func harmless(_ text: String, without secrets: [Secret]) -> String {
  let redaction = Redaction(secrets: secrets.map { $0.reveal() }, hidesRandomWords: true)
  return String(redaction.clean(text).unicodeScalars.prefix(240))
}

/// Returns an error name if it can be shown: a plain word that is not a secret or token.
func errorName(_ text: String, without secrets: [Secret]) -> String? {
  guard isErrorName(text), harmless(text, without: secrets) == text else { return nil }
  return text
}

/// Whether a text has the form of an error name.
///
/// RFC 6749 section 5.2 allows more characters; real names are words like `invalid_grant`.
func isErrorName(_ text: String) -> Bool {
  (1...64).contains(text.utf8.count)
    && text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
        || [0x2D, 0x2E, 0x5F].contains($0)
    }
}
