internal import Encoding

/// An authorization request that may be acted on (RFC 6749 section 4.1.1, OpenID Connect Core 3.1.2.1).
struct IncomingAuthorization: Sendable {
  enum Prompt: String, Sendable {
    case none, login, consent
    case selectAccount = "select_account"
  }

  let provider: IdentityProvider
  let clientID: String
  /// Where the answer goes; nil when a device asked, which fetches it itself.
  let reply: AuthorizationReply?
  let wantsCode: Bool
  let wantsIDToken: Bool
  let scopes: [String]
  let nonce: String?
  let challenge: String?
  let prompts: Set<Prompt>
  let loginHint: String?
  let maximumAge: Int64?
  /// The tenant of Microsoft's path.
  let tenant: String?
  let wantsRefreshToken: Bool
  let language: Wording.Language
}

/// Where and how an authorization response goes back to the app.
struct AuthorizationReply: Sendable {
  enum Mode: String, Sendable {
    case query, fragment
    case formPost = "form_post"
  }

  let redirectURI: String
  let mode: Mode
  let state: String?
  /// Who answers (RFC 9207); nil when the metadata names no single issuer.
  let issuer: String?
}

/// An error of the authorization endpoint, and where it may be told (RFC 6749 section 4.1.2.1).
enum AuthorizationFailure: Error {
  /// The redirect address cannot be trusted, or the provider tells people itself.
  case page(Notice)
  case reply(AuthorizationReply, error: String, description: String)
}

/// What an error page says.
struct Notice: Sendable {
  var status = 400
  /// The provider's own code for it, as people search for it.
  let code: String
  let message: String
  let advice: String
  var lead = Phrase.errorLead
  var facts: [(label: String, value: String)] = []
  /// Whether somebody else could go on from here.
  var offersOtherAccount = false
}
