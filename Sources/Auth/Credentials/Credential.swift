public import Encoding
import IdentityToolkit
import Synchronization

/// Something that proves who a person is: an e-mail with its password or with the code of a link, a
/// code a telephone was sent, an identity provider's tokens, or the address an identity provider sent
/// the browser to.
///
/// Printing it shows only which provider it is of.
public final class Credential: Sendable {
  enum Content: Sendable {
    case password(email: String, password: Secret)
    case emailLink(email: String, code: Secret)
    case phone(verificationID: Secret, code: Secret)
    /// What the backend gives when a proved number turns out to be another account's.
    case phoneProof(number: String, proof: Secret)
    case tokens(OAuthTokens)
    case redirect(requestURI: Secret, sessionID: Secret, postBody: Secret?)
  }

  /// The provider it is of, such as `microsoft.com` or `password`.
  public let providerID: String

  /// The way to sign in, which is the provider's id except for e-mail links.
  public let signInMethod: String

  let content: Content

  /// Whether the backend handed it out, which then has checked its tokens already.
  let isFromBackend: Bool

  private let isSpent = Atomic<Bool>(false)

  init(providerID: String, content: Content, isFromBackend: Bool = false) {
    self.providerID = providerID
    self.signInMethod = if case .emailLink = content { "emailLink" } else { providerID }
    self.content = content
    self.isFromBackend = isFromBackend
  }

  /// The identity provider's ID token.
  public var idToken: Secret? { tokens?.idToken }

  /// The identity provider's access token.
  public var accessToken: Secret? { tokens?.accessToken }

  /// The lifetime of the access token in seconds, counted from when it was received.
  public var accessTokenLifetime: Int64? { tokens?.expiresIn }

  /// The token secret of a provider that speaks OAuth 1.0a.
  public var secret: Secret? { tokens?.secret }

  private var tokens: OAuthTokens? {
    if case .tokens(let tokens) = content { tokens } else { nil }
  }

  /// Marks a redirect as used, and refuses when it was used before.
  ///
  /// The authorization code in it is redeemed by the backend on first sight (RFC 6749 section
  /// 4.1.2 allows one use), so a second try could only fail, in words that explain nothing.
  func spend() throws(AuthError) {
    guard case .redirect = content else { return }
    guard !isSpent.exchange(true, ordering: .relaxed) else {
      throw AuthError(
        .invalidCredential, "this \(providerID) credential was used before",
        hint: "get another one with provider:getCredential(), since each holds a code for one use")
    }
  }

  /// Takes a mark back after a request that cannot have reached the backend.
  func restore() { isSpent.store(false, ordering: .relaxed) }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The provider, and nothing of what the credential holds.
  public var description: String { "\(providerID) credential" }

  /// The provider, and nothing of what the credential holds.
  public var debugDescription: String { description }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
