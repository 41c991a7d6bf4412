internal import System

/// A checked authorization request (RFC 6749 section 4.1.1, OpenID Connect Core 3.1.2.1).
struct IncomingAuthorization: Sendable {
  enum Prompt: String, Sendable {
    case none, login, consent
    case selectAccount = "select_account"
  }

  let provider: IdentityProvider
  let clientID: String
  /// Where to send the response; nil for a device, which polls for it.
  let reply: AuthorizationReply?
  let wantsCode: Bool
  let wantsIDToken: Bool
  let scopes: [String]
  let nonce: String?
  let challenge: String?
  let prompts: Set<Prompt>
  let loginHint: String?
  let maximumAge: Int64?
  /// The tenant in Microsoft's path.
  let tenant: String?
  let wantsRefreshToken: Bool
  let language: Wording.Language
}

/// The address, response mode and state of an authorization response.
struct AuthorizationReply: Sendable {
  enum Mode: String, Sendable {
    case query, fragment
    case formPost = "form_post"
  }

  let redirectURI: String
  let mode: Mode
  let state: String?
  /// The `iss` parameter (RFC 9207); nil when the metadata has no single issuer.
  let issuer: String?
}

/// An error of the authorization endpoint, and where it is reported (RFC 6749 section 4.1.2.1).
enum AuthorizationFailure: Error {
  /// Shown to the user: the redirect address is not trusted, or the provider does not report this error to apps.
  case page(Notice)
  case reply(AuthorizationReply, error: String, description: String)
}

/// The content of an error page.
struct Notice: Sendable {
  var status = 400
  /// The provider's own error code, for searches on the web.
  let code: String
  let message: String
  let advice: String
  var lead = Phrase.errorLead
  var facts: [(label: String, value: String)] = []
  /// Whether the page offers to continue with another account.
  var offersOtherAccount = false
}
