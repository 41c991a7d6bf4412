public import HTTP
public import System

extension OIDCClient {
  /// Creates an authorization request with its own state, nonce and PKCE pair.
  ///
  /// `presentation` is the address at which a delegate listens. It takes precedence over the other
  /// redirect addresses, because the delegate receives responses only there.
  public func begin(
    _ options: AuthorizationOptions = AuthorizationOptions(), presentation: WebURL? = nil
  ) throws(OIDCError) -> OIDCFlow {
    try options.check()
    try checkResponseType(options.responseType)
    guard options.sendsNonce || !options.responseType.hasIDToken else {
      // OpenID Connect Core section 3.2.2.1.
      throw OIDCError(
        .unsupported, "an ID token in the response of the page needs a nonce",
        hint: "leave out nonce = false, or ask for the response type code")
    }
    let redirectURI = try redirectAddress(options, presentation)
    let state = Secret(SecureRandom.token())
    let rawNonce = options.sendsNonce ? Secret(SecureRandom.token()) : nil
    let nonce =
      options.hashesNonce ? rawNonce.map { Secret(Digest.sha256Hex($0.reveal())) } : rawNonce
    let pkce = PKCE()
    var fields = [
      ("response_type", options.responseType.rawValue), ("client_id", credentials.id),
      ("redirect_uri", redirectURI.text), ("scope", scope(options.scopes)),
      ("state", state.reveal()),
    ]
    if let nonce { fields.append(("nonce", nonce.reveal())) }
    if options.responseType.hasCode {
      fields += [("code_challenge", pkce.challenge), ("code_challenge_method", "S256")]
    }
    fields += optional(options) + options.parameters.map { ($0.name, $0.value) }
    let endpoint = metadata.authorizationEndpoint
    let query = [endpoint.query, FormFields(fields).encoded].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: "&")
    return OIDCFlow(
      url: endpoint.with(query: query), redirectURI: redirectURI.url, state: state, nonce: nonce,
      rawNonce: rawNonce, pkce: pkce, redirectText: redirectURI.text, options: options,
      client: (metadata.issuer, credentials.id))
  }

  private func optional(_ options: AuthorizationOptions) -> [(String, String)] {
    let values: [(String, String?)] = [
      ("response_mode", options.responseMode?.rawValue), ("prompt", options.prompt),
      ("max_age", options.maxAge.map { String($0) }), ("login_hint", options.loginHint),
      ("ui_locales", options.uiLocales.joined(separator: " ")),
      ("acr_values", options.acrValues.joined(separator: " ")),
    ]
    return values.compactMap { name, value in
      guard let value, !value.isEmpty else { return nil }
      return (name, value)
    }
  }

  private func checkResponseType(_ type: AuthorizationOptions.ResponseType) throws(OIDCError) {
    let words = Set(type.rawValue.split(separator: " "))
    guard
      metadata.responseTypes.isEmpty
        || metadata.responseTypes.contains(where: { Set($0.split(separator: " ")) == words })
    else {
      throw OIDCError(
        .unsupported, "the provider does not offer the response type \(type.rawValue)",
        hint: "ask for one of those in response_types_supported of its description")
    }
  }

  /// Returns the redirect address as text, which the provider compares exactly, and parsed.
  private func redirectAddress(
    _ options: AuthorizationOptions, _ presentation: WebURL?
  ) throws(OIDCError) -> (text: String, url: WebURL) {
    guard
      let text = presentation?.with(fragment: nil).description ?? options.redirectURI
        ?? settings.redirectURI
    else {
      throw OIDCError(
        .unusableRequest, "the client has no redirect address",
        hint: "give redirectURI, such as http://127.0.0.1:8910/callback, as registered")
    }
    return (text, try trustedAddress(text, "the redirect address"))
  }
}

/// The options of one authorization request (OpenID Connect Core 3.1.2.1).
public struct AuthorizationOptions: Sendable {
  /// What the provider responds with.
  public enum ResponseType: String, Sendable, CaseIterable {
    /// A code, to be redeemed at the token endpoint.
    case code
    /// An ID token directly, for providers that issue no code to the client.
    case idToken = "id_token"
    case codeAndIDToken = "code id_token"

    var hasCode: Bool { self != .idToken }
    var hasIDToken: Bool { self != .code }
  }

  /// How the response is returned.
  public enum ResponseMode: String, Sendable, CaseIterable {
    case query
    case fragment
    /// In a request body (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
  }

  /// The requested response mode, or the default of the response type.
  ///
  /// See OAuth 2.0 Multiple Response Type Encoding Practices section 2.1.
  var expectedMode: ResponseMode { responseMode ?? (responseType.hasIDToken ? .fragment : .query) }

  /// What the provider responds with.
  public var responseType: ResponseType = .code
  /// How the response is returned; nil for the default of the response type.
  public var responseMode: ResponseMode?
  /// The redirect address; nil for the client's.
  public var redirectURI: String?
  /// The requested scopes; nil for the client's.
  public var scopes: [String]?
  /// The `prompt` parameter: `none`, `login`, `consent`, `select_account`.
  public var prompt: String?
  /// The maximum age of the user's sign-in at the provider, in seconds; older ones are repeated.
  public var maxAge: Int64?
  /// The user who is likely to sign in.
  public var loginHint: String?
  /// The languages of the pages, in order of preference.
  public var uiLocales: [String] = []
  /// The requested authentication levels, by the provider's names, in order of preference.
  public var acrValues: [String] = []
  /// Additional parameters of the provider.
  public var parameters: [(name: String, value: String)] = []
  /// Whether to send only the nonce's SHA-256 to the provider, as Firebase requires.
  public var hashesNonce = true
  /// Whether to send a nonce; without it, the ID token must have none.
  public var sendsNonce = true

  /// Creates options that request a code.
  public init() {}

  /// Parameter names that `parameters` must not contain, with the options to use instead.
  static let reserved: [String: String] = [
    "client_id": "clientID of the client", "client_secret": "clientSecret of the client",
    "redirect_uri": "redirectURI", "scope": "scopes", "response_type": "responseType",
    "response_mode": "responseMode", "prompt": "prompt", "max_age": "maxAge",
    "login_hint": "loginHint", "ui_locales": "uiLocales", "acr_values": "acrValues",
    "state": "", "nonce": "", "code_challenge": "", "code_challenge_method": "",
    "request": "", "request_uri": "",
  ]

  /// Throws when the request must not be sent.
  func check() throws(OIDCError) {
    for (name, _) in parameters {
      guard let option = Self.reserved[name] else { continue }
      throw OIDCError(
        .unusableRequest, "the parameter \(name) is reserved",
        hint: option.isEmpty
          ? "leave it out; every sign-in gets its own" : "use the option \(option) for it")
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

/// Proves that the client redeeming a code is the one that requested it (RFC 7636), with S256 only.
public struct PKCE: Sendable {
  /// The secret that the client keeps until it redeems the code.
  public let verifier: Secret
  /// The hash that the client sends when it requests the code.
  public let challenge: String

  /// Creates a random pair.
  public init() {
    self.init(verifier: Secret(SecureRandom.token(bytes: 32)))
  }

  /// Creates the pair of a known verifier.
  init(verifier: Secret) {
    self.verifier = verifier
    challenge = Base64URL.encode(Digest.sha256(Array(verifier.reveal().utf8)))
  }

  /// Whether the verifier matches the challenge (section 4.6).
  ///
  /// False for a verifier that violates section 4.1, which requires 43 to 128 unreserved characters.
  public static func matches(verifier: String, challenge: String) -> Bool {
    guard (43...128).contains(verifier.utf8.count),
      PercentEncoding.encode(verifier).utf8.elementsEqual(verifier.utf8)
    else { return false }
    return constantTimeEqual(PKCE(verifier: Secret(verifier)).challenge, challenge)
  }
}
