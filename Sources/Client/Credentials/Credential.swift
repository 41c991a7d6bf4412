import IdentityToolkit
public import System
import Synchronization

/// A user's proof of identity.
///
/// It is an e-mail address with a password or the code of a link, an SMS code, an identity provider's tokens, or the
/// URL that an identity provider redirected to. Printing it shows only the provider.
public final class Credential: Sendable {
  enum Content: Sendable {
    case password(email: String, password: Secret)
    case emailLink(email: String, code: Secret)
    case phone(verificationID: Secret, code: Secret)
    /// The backend's proof for a verified number that belongs to another account.
    case phoneProof(number: String, proof: Secret)
    case tokens(OAuthTokens)
    case redirect(requestURI: Secret, sessionID: Secret, postBody: Secret?)
  }

  /// The provider's id, such as `microsoft.com` or `password`.
  public let providerID: String

  /// The sign-in method: the provider's id, except for e-mail links.
  public let signInMethod: String

  let content: Content

  /// Whether the backend returned it, and so has verified its tokens already.
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

  /// The lifetime of the access token in seconds, from when it was received.
  public var accessTokenLifetime: Int64? { tokens?.expiresIn }

  /// The token secret of an OAuth 1.0a provider.
  public var secret: Secret? { tokens?.secret }

  private var tokens: OAuthTokens? {
    if case .tokens(let tokens) = content { tokens } else { nil }
  }

  /// Marks a redirect as used; throws when it was used before.
  ///
  /// The backend redeems the authorization code at once (RFC 6749 section 4.1.2 allows one use). A second attempt
  /// could only fail, with an unclear error.
  func spend() throws(AuthError) {
    guard case .redirect = content else { return }
    guard !isSpent.exchange(true, ordering: .relaxed) else {
      throw AuthError(
        .invalidCredential, "this \(providerID) credential was used before",
        hint: "get another one with provider:getCredential(), since each holds a code for one use")
    }
  }

  /// Removes the mark after a request that cannot have reached the backend.
  func restore() { isSpent.store(false, ordering: .relaxed) }

  /// The result of a sign-in or reauthentication with this credential, after its response was processed.
  func result(_ user: User, _ answer: SignInAnswer) -> AuthResult {
    switch content {
    case .password:
      AuthResult(
        user: user, additionalUserInfo: AdditionalUserInfo(providerID: providerID, isNewUser: false)
      )
    case .emailLink, .phone, .phoneProof:
      AuthResult(
        user: user,
        additionalUserInfo: AdditionalUserInfo(
          providerID: providerID, isNewUser: answer.isNewUser))
    case .tokens, .redirect:
      AuthResult(
        user: user, additionalUserInfo: AdditionalUserInfo(answer),
        credential: answer.credential(answering: self))
    }
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The provider, without the content.
  public var description: String { "\(providerID) credential" }

  /// The provider, without the content.
  public var debugDescription: String { description }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The identity provider's tokens in a credential.
struct OAuthTokens: Sendable {
  var idToken: Secret?
  var accessToken: Secret?
  /// The token secret of OAuth 1.0a.
  var secret: Secret?
  var rawNonce: Secret?
  /// The backend's handle of an identity provider sign-in it has processed; valid once.
  var pendingToken: Secret?
  /// The user's name, which Apple sends to the app at the first sign-in only.
  var fullName: PersonName?
  /// The access token's lifetime in seconds.
  var expiresIn: Int64?
}

/// A user's name in two parts, as Apple sends it.
public struct PersonName: Sendable, Equatable {
  let givenName: String?

  let familyName: String?

  /// A name; nil when both parts are nil or empty.
  public init?(givenName: String?, familyName: String?) {
    self.givenName = givenName.flatMap { $0.isEmpty ? nil : $0 }
    self.familyName = familyName.flatMap { $0.isEmpty ? nil : $0 }
    if self.givenName == nil, self.familyName == nil { return nil }
  }

  /// The format of the backend, and of Apple's own response to a browser.
  var json: JSON {
    var name: JSONObject = [:]
    name["firstName"] = givenName.map { .string($0) }
    name["lastName"] = familyName.map { .string($0) }
    return ["name": .object(name)]
  }
}
