/// What one sign-in asks of the provider, beyond what holds for all (OpenID Connect Core 3.1.2.1).
public struct AuthorizationOptions: Sendable {
  /// What the provider is to answer with.
  public enum ResponseType: String, Sendable, CaseIterable {
    /// A code, to be redeemed at the token endpoint.
    case code
    /// An ID token, at once: for providers that give a client no code.
    case idToken = "id_token"
    /// Both.
    case codeAndIDToken = "code id_token"

    var hasCode: Bool { self != .idToken }
    var hasIDToken: Bool { self != .code }
  }

  /// How the answer travels back.
  public enum ResponseMode: String, Sendable, CaseIterable {
    /// In the address's query.
    case query
    /// In the address's fragment.
    case fragment
    /// In the body of a request (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
  }

  /// How the answer has to come: as asked for, or as is usual for the type (OAuth 2.0 Multiple
  /// Response Type Encoding Practices section 2.1).
  var expectedMode: ResponseMode { responseMode ?? (responseType.hasIDToken ? .fragment : .query) }

  /// What the provider is to answer with.
  public var responseType: ResponseType = .code
  /// How the answer travels back; the specification's default for the type when nil.
  public var responseMode: ResponseMode?
  /// Where the browser is sent back to; the client's own address when nil.
  public var redirectURI: String?
  /// The permissions asked for; the client's own when nil.
  public var scopes: [String]?
  /// What the pages may or must ask: `none`, `login`, `consent`, `select_account`.
  public var prompt: String?
  /// How many seconds ago the person may have signed in there; longer ago means once more.
  public var maxAge: Int64?
  /// Who is likely to sign in.
  public var loginHint: String?
  /// The languages of the pages, best first.
  public var uiLocales: [String] = []
  /// How strongly the person should prove who it is, by the provider's names, best first.
  public var acrValues: [String] = []
  /// Parameters of the provider's own.
  public var parameters: [(name: String, value: String)] = []
  /// Whether the provider gets the nonce's SHA-256 only, as Firebase wants it.
  public var hashesNonce = true

  /// Asks for a code, and for nothing special.
  public init() {}

  /// What `parameters` may not hold, and the option that is there for it.
  static let reserved: [String: String] = [
    "client_id": "clientID of the client", "client_secret": "clientSecret of the client",
    "redirect_uri": "redirectURI", "scope": "scopes", "response_type": "responseType",
    "response_mode": "responseMode", "prompt": "prompt", "max_age": "maxAge",
    "login_hint": "loginHint", "ui_locales": "uiLocales", "acr_values": "acrValues",
    "state": "", "nonce": "", "code_challenge": "", "code_challenge_method": "",
    "request": "", "request_uri": "",
  ]

  /// Returns when the request may be sent.
  func check() throws(OIDCError) {
    for (name, _) in parameters {
      guard let option = Self.reserved[name] else { continue }
      throw OIDCError(
        .unusableRequest, "the parameter \(name) is reserved",
        hint: option.isEmpty
          ? "leave it out; every sign-in gets one of its own" : "use the option \(option) for it")
    }
    if responseType.hasIDToken, responseMode == .query {
      throw OIDCError(
        .unusableRequest, "an ID token must not travel in a query",
        hint: "use the response mode fragment or form_post, or the response type code")
    }
    if let maxAge, maxAge < 0 {
      throw OIDCError(
        .unusableRequest, "the age of a sign-in cannot be negative",
        hint: "give maxAge in seconds; 0 asks for a sign-in now")
    }
    let prompts = prompt?.split(separator: " ") ?? []
    if prompts.count > 1, prompts.contains("none") {
      throw OIDCError(
        .unusableRequest, "prompt=none goes with no other prompt",
        hint: "leave none out when the pages may ask something")
    }
  }
}
