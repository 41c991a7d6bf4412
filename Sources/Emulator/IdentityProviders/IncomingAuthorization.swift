internal import System
internal import HTTP

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

extension IncomingAuthorization {
  /// Checks a request.
  ///
  /// The client and its redirect address come first, because other errors are sent to that address.
  init(
    _ fields: FormFields, provider: IdentityProvider, tenant: String?, issuer: String?,
    appDomain: String?, acceptLanguage: String?
  ) throws(AuthorizationFailure) {
    let words = ProviderErrors(provider: provider)
    guard let clientID = fields.single("client_id"), let registration = provider.registration,
      sameText(clientID, registration.clientID)
    else {
      throw .page(words.unknownClient(fields.single("client_id")))
    }
    guard let redirectURI = fields.single("redirect_uri"),
      RedirectRules(registration.redirectURIs, appDomain: appDomain).admit(redirectURI)
    else {
      throw .page(words.unregisteredRedirect(fields.single("redirect_uri")))
    }

    // From here on errors are sent to the app, with the requested response mode if it is allowed.
    let types = Set((fields["response_type"] ?? "").split(separator: " ").map(String.init))
    let isCodeOnly = types == ["code"] || types.isEmpty
    let wantedMode = fields["response_mode"]
    let mode = wantedMode.flatMap { AuthorizationReply.Mode(rawValue: $0) }
    let fallback = isCodeOnly ? AuthorizationReply.Mode.query : .fragment
    // An ID token in a query would be written to server logs (Multiple Response Types, section 5).
    let isSound = isCodeOnly || mode != .query
    let reply = AuthorizationReply(
      redirectURI: redirectURI, mode: (isSound ? mode : nil) ?? fallback,
      state: fields.single("state"), issuer: issuer)
    func refuse(_ error: String, _ description: String) -> AuthorizationFailure {
      .reply(reply, error: error, description: description)
    }

    if let twice = fields.firstRepeated {
      throw refuse("invalid_request", words.say(.malformed, "\(twice) is given more than once"))
    }
    if fields["request"] != nil {
      throw refuse("request_not_supported", "request objects are not supported")
    }
    if fields["request_uri"] != nil {
      throw refuse("request_uri_not_supported", "request_uri is not supported")
    }
    if types.isEmpty {
      throw refuse("invalid_request", words.say(.missing, "response_type is missing"))
    }
    guard types.isSubset(of: ["code", "id_token"]) else {
      throw refuse(
        "unsupported_response_type",
        words.say(.responseType, "response_type must be code, id_token, or both"))
    }
    if wantedMode != nil, mode == nil {
      throw refuse(
        "invalid_request",
        words.say(.malformed, "response_mode must be query, fragment or form_post"))
    }
    if !isSound {
      throw refuse(
        "invalid_request", words.say(.responseType, "an ID token may not be sent in a query"))
    }
    scopes = try Self.scopes(fields["scope"], provider: provider, words: words, refuse: refuse)
    let nonce = fields["nonce"]
    if types.contains("id_token"), nonce?.isEmpty ?? true {
      throw refuse(
        "invalid_request", words.say(.missing, "nonce is missing, and an ID token needs one"))
    }
    challenge = try Self.challenge(in: fields, words: words, refuse: refuse)
    if types.contains("code"), challenge == nil, registration.clientSecret == nil {
      throw refuse(
        "invalid_request",
        words.say(.missing, "code_challenge is missing: a public client needs PKCE"))
    }
    prompts = try Self.prompts(fields["prompt"], words: words, refuse: refuse)
    maximumAge = try Self.maximumAge(fields["max_age"], words: words, refuse: refuse)

    self.provider = provider
    self.clientID = clientID
    self.reply = reply
    self.nonce = nonce
    self.tenant = tenant
    wantsCode = types.contains("code")
    wantsIDToken = types.contains("id_token")
    loginHint = fields["login_hint"].flatMap { $0.isEmpty ? nil : $0 }
    wantsRefreshToken =
      scopes.contains("offline_access")
      || provider.kind == .google && fields["access_type"] == "offline"
    language = Self.language(fields, acceptLanguage: acceptLanguage)
  }

  /// The requested language, by any of the providers' parameter names, otherwise the browser's.
  static func language(_ fields: FormFields, acceptLanguage: String?) -> Wording.Language {
    for name in ["ui_locales", "language", "hl", "mkt", "lang", "locale"] {
      if let language = Wording.preferred(fields[name]) { return language }
    }
    return Wording.preferred(acceptLanguage) ?? .english
  }

  private typealias Refuse = (String, String) -> AuthorizationFailure

  private static func scopes(
    _ text: String?, provider: IdentityProvider, words: ProviderErrors, refuse: Refuse
  ) throws(AuthorizationFailure) -> [String] {
    var scopes: [String] = []
    for scope in (text ?? "").split(separator: " ").map(String.init) where !scopes.contains(scope) {
      scopes.append(scope)
    }
    guard scopes.contains("openid") else {
      throw refuse("invalid_scope", words.say(.scope, "scope must contain openid"))
    }
    if provider.kind == .yahoo {
      // Yahoo shows an error page instead of an error for the app when the permissions do not match.
      let extra = scopes.filter { !ScopeWords.basic.contains($0) }
      let permissions = provider.registration?.permissions ?? []
      if !extra.isEmpty, Set(extra) != Set(permissions) {
        throw .page(words.yahooPermissions(asked: extra, permitted: permissions))
      }
    } else if let unknown = scopes.first(where: { !ScopeWords.exists($0, at: provider.kind) }) {
      throw refuse("invalid_scope", words.say(.scope, "there is no scope \(unknown)"))
    }
    return scopes
  }

  private static func challenge(
    in fields: FormFields, words: ProviderErrors, refuse: Refuse
  ) throws(AuthorizationFailure) -> String? {
    guard let challenge = fields["code_challenge"] else {
      if fields["code_challenge_method"] != nil {
        throw refuse("invalid_request", words.say(.missing, "code_challenge is missing"))
      }
      return nil
    }
    guard fields["code_challenge_method"] == "S256" else {
      throw refuse("invalid_request", words.say(.malformed, "code_challenge_method must be S256"))
    }
    guard challenge.utf8.count == 43, Base64URL.decode(challenge)?.count == 32 else {
      throw refuse(
        "invalid_request", words.say(.malformed, "code_challenge is not a base64url SHA-256"))
    }
    return challenge
  }

  private static func prompts(
    _ text: String?, words: ProviderErrors, refuse: Refuse
  ) throws(AuthorizationFailure) -> Set<Prompt> {
    var prompts: Set<Prompt> = []
    for word in (text ?? "").split(separator: " ") {
      guard let prompt = Prompt(rawValue: String(word)) else {
        throw refuse(
          "invalid_request",
          words.say(.malformed, "prompt must be none, login, consent or select_account"))
      }
      prompts.insert(prompt)
    }
    if prompts.contains(.none), prompts.count > 1 {
      throw refuse(
        "invalid_request", words.say(.malformed, "prompt none cannot go with another one"))
    }
    return prompts
  }

  private static func maximumAge(
    _ text: String?, words: ProviderErrors, refuse: Refuse
  ) throws(AuthorizationFailure) -> Int64? {
    guard let text else { return nil }
    guard let seconds = Int64(text), seconds >= 0 else {
      throw refuse("invalid_request", words.say(.malformed, "max_age must be a number of seconds"))
    }
    return seconds
  }
}

extension FormFields {
  func single(_ name: String) -> String? {
    let values = all(name)
    return values.count == 1 ? values[0] : nil
  }

  /// The first name that occurs twice; parameters must not be repeated (RFC 6749 section 3.1).
  var firstRepeated: String? {
    var seen: Set<ExactString> = []
    return pairs.first { !seen.insert(ExactString($0.name)).inserted }?.name
  }
}

/// The addresses an app may be redirected to.
struct RedirectRules {
  private let registered: [String]
  private let appDomain: String?

  /// When `registered` is empty, the handler of the app's domain and any address of this machine are allowed.
  init(_ registered: [String], appDomain: String?) {
    self.registered = registered
    self.appDomain = appDomain
  }

  /// Whether the address is allowed; registered ones must match byte for byte (RFC 9700 section 2.1).
  func admit(_ text: String) -> Bool {
    // Refuse a fragment, and characters that browsers may interpret differently.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C && $0 != 0x23 }),
      let url = WebURL(text)
    else { return false }
    guard registered.isEmpty else {
      return registered.contains { known in
        sameText(known, text) || Self.differOnlyInPort(url, known)
      }
    }
    if url.scheme == "http", url.isLoopback { return true }
    guard let appDomain, !appDomain.isEmpty else { return false }
    return ExactString(text) == ExactString("https://\(appDomain)/__/auth/handler")
  }

  /// An app on this machine uses any free port (RFC 8252 section 7.3).
  private static func differOnlyInPort(_ url: WebURL, _ known: String) -> Bool {
    guard let known = WebURL(known), known.scheme == "http", known.isLoopback,
      url.scheme == "http"
    else { return false }
    return sameText(url.host, known.host)
      && sameText(url.path, known.path)
      && sameText(url.query, known.query)
  }
}
