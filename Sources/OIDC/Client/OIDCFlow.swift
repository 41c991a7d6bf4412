public import HTTP
public import System

/// One sign-in at a provider, from its URL to its only response.
public final class OIDCFlow {
  /// The page to open; its query contains state, nonce and PKCE challenge.
  public let url: WebURL
  /// The redirect address.
  public let redirectURI: WebURL
  /// The state, which ties the response to this request.
  public let state: Secret
  /// The nonce that is sent to the provider and returned in the ID token; nil if none is sent.
  public let nonce: Secret?
  /// The nonce before hashing; equals `nonce` when it is not hashed.
  public let rawNonce: Secret?
  let options: AuthorizationOptions

  let pkce: PKCE
  /// The client that began the flow; no other one may finish it.
  let client: (issuer: String, id: String)
  /// The redirect address exactly as in the request.
  let redirectText: String
  private var isFinished = false

  init(
    url: WebURL, redirectURI: WebURL, state: Secret, nonce: Secret?, rawNonce: Secret?, pkce: PKCE,
    redirectText: String, options: AuthorizationOptions, client: (issuer: String, id: String)
  ) {
    self.url = url
    self.redirectURI = redirectURI
    self.state = state
    self.nonce = nonce
    self.rawNonce = rawNonce
    self.pkce = pkce
    self.redirectText = redirectText
    self.options = options
    self.client = client
  }

  /// The rule for the nonce of the ID token.
  var nonceRule: IDTokenRules.NonceRule { nonce.map { .exactly($0.reveal()) } ?? .absent }

  /// Accepts the response of this sign-in, once.
  ///
  /// A response of another sign-in leaves the flow open.
  func accept(_ answer: AuthorizationAnswer, by client: OIDCClient) throws(OIDCError) {
    guard !isFinished else {
      throw OIDCError(
        .answerReplayed, "this sign-in already has its response",
        hint: "start another sign-in; a response is accepted once")
    }
    try checkState(answer)
    try checkIssuer(answer, client.metadata)
    let failure = answer.failure(
      without: [state, pkce.verifier] + [nonce, rawNonce].compactMap(\.self)
        + client.credentials.secrets)
    // Anyone can send an error without a state, so it must not end a sign-in that may still succeed.
    if let failure, answer["state"] == nil { throw Self.unproven(failure) }
    isFinished = true
    if let failure { throw failure }
  }

  private static func unproven(_ failure: OIDCError) -> OIDCError {
    OIDCError(
      failure.code,
      "\(failure.message), without a state: it may not be the response to this sign-in",
      hint: failure.hint, providerError: failure.providerError)
  }

  /// Throws unless this client began the sign-in (RFC 9700 section 4.4).
  ///
  /// No other provider may get the code and the verifier.
  func checkClient(_ other: OIDCClient) throws(OIDCError) {
    guard ExactString(client.issuer) == ExactString(other.metadata.issuer),
      ExactString(client.id) == ExactString(other.credentials.id)
    else {
      throw OIDCError(
        .unusableRequest, "this sign-in was begun by another client",
        hint: "finish it with the client that began it; nothing was sent")
    }
  }

  /// Compares the state (RFC 6749 section 10.12).
  ///
  /// It may be missing in an error that the provider found before it read the request.
  private func checkState(_ answer: AuthorizationAnswer) throws(OIDCError) {
    guard let claimed = answer["state"] else {
      if answer["error"] != nil { return }
      throw OIDCError(
        .stateMismatch, "the response has no state",
        hint: "pass the complete address that the browser was redirected to in this sign-in")
    }
    guard constantTimeEqual(claimed, state.reveal()) else {
      throw OIDCError(
        .stateMismatch, "the response's state is not the one of this sign-in",
        hint: "pass the response of this sign-in; if you did, do not trust it")
    }
  }

  /// Compares the issuer (RFC 9207 section 2.4), to detect responses of another provider.
  private func checkIssuer(
    _ answer: AuthorizationAnswer, _ metadata: ProviderMetadata
  ) throws(OIDCError) {
    guard let claimed = answer["iss"] else {
      // Servers that promise it may still omit it from errors.
      if answer["error"] != nil || !metadata.namesIssuerInAnswers { return }
      throw OIDCError(
        .issuerMissing, "the response does not name its provider",
        hint:
          "the provider promises iss in every response, so this one may come from another provider")
    }
    guard metadata.isOwnIssuer(claimed) else {
      throw OIDCError(
        .wrongIssuer, "the response is from another provider",
        hint: "finish a sign-in with the client that began it")
    }
  }
}

extension OIDCFlow: CustomStringConvertible {
  /// The provider's origin, without secrets.
  public var description: String { "sign-in at \(url.origin)" }
}

/// A provider's authorization response, from the query, the fragment or a posted body.
struct AuthorizationAnswer {
  typealias Mode = AuthorizationOptions.ResponseMode

  private static let names = ["state", "iss", "code", "id_token", "error", "access_token"]

  private let fields: FormFields
  private let redirectURI: WebURL

  /// Parses a response, which must have arrived at the requested address and by the requested mode.
  init(
    _ finalURL: String, postBody: Secret?, to redirectURI: WebURL, by mode: Mode
  ) throws(OIDCError) {
    guard let url = WebURL(finalURL) else {
      throw OIDCError(
        .redirectMismatch, "the final address is not an absolute http or https address",
        hint: "pass the complete address that the browser was redirected to")
    }
    self.redirectURI = redirectURI
    var pairs = url.fields.pairs
    // The redirect address may have its own query, which must come back unchanged.
    for own in redirectURI.fields.pairs {
      guard let place = pairs.firstIndex(where: { $0 == own }) else { throw .redirect(redirectURI) }
      pairs.remove(at: place)
    }
    guard url.origin == redirectURI.origin, url.path == redirectURI.path else {
      throw .redirect(redirectURI)
    }
    let query = FormFields(pairs.map { ($0.name, $0.value) })
    fields = try Self.choose(
      mode,
      among: [
        (.query, query), (.fragment, url.fragmentFields),
        (.formPost, FormFields(parsing: postBody?.reveal() ?? "")),
      ])
    // RFC 6749 section 3.1: no parameter may occur twice, because it is unclear which one counts.
    for name in Self.names {
      guard fields.all(name).count > 1 else { continue }
      throw OIDCError(
        .unexpectedAnswer, "the response has \(name) twice",
        hint: "pass the address that the browser was redirected to, unchanged")
    }
  }

  /// Returns the parameters of the requested response mode; rejects a response in several places.
  ///
  /// A provider that did not understand the request may report an error in its default mode; such
  /// an error contains nothing to redeem.
  private static func choose(
    _ mode: Mode, among places: [(mode: Mode, fields: FormFields)]
  ) throws(OIDCError) -> FormFields {
    let found = places.filter { place in names.contains { place.fields[$0] != nil } }
    guard let place = found.first else { return FormFields([]) }
    guard found.count == 1 else {
      throw OIDCError(
        .unexpectedAnswer, "the response came in more than one place",
        hint: "pass the address that the browser was redirected to, unchanged")
    }
    let isBareError =
      place.fields["error"]?.isEmpty == false
      && !["code", "id_token", "access_token"].contains { place.fields[$0] != nil }
    guard place.mode == mode || isBareError else {
      throw OIDCError(
        .unexpectedAnswer, "the response came by \(place.mode.rawValue), not by \(mode.rawValue)",
        hint: "request responseMode \(place.mode.rawValue) if the provider supports no other; "
          + "otherwise do not trust this response")
    }
    return place.fields
  }

  /// A parameter that is present and not empty.
  subscript(name: String) -> String? {
    guard let value = fields[name], !value.isEmpty else { return nil }
    return value
  }

  /// Returns the provider's error, if the response is one.
  ///
  /// Removes `secrets`, and those of the response itself, from its text.
  func failure(without secrets: [Secret]) -> OIDCError? {
    guard let error = self["error"] else { return nil }
    let own = ["state", "code", "id_token", "access_token"].compactMap { self[$0] }
    let secrets = secrets + own.map { Secret($0) }
    let name = errorName(error, without: secrets)
    var message = "the provider ended the sign-in with "
    message += name ?? "an error without a usable name"
    let text = self["error_description"] ?? ""
    if !text.isEmpty { message += " (\(harmless(text, without: secrets)))" }
    if RedirectComplaint.isMade(by: name, text) {
      return OIDCError(
        .redirectNotRegistered, message, hint: RedirectComplaint.hint(redirectURI.description),
        providerError: name)
    }
    return OIDCError(
      name == "access_denied" ? .denied : .providerError, message, hint: Self.hint(for: name),
      providerError: name)
  }

  /// RFC 6749 section 4.1.2.1 and OpenID Connect Core section 3.1.2.6 list these names.
  private static func hint(for name: String?) -> String {
    switch name {
    case "access_denied": "accept the provider's question, or request fewer scopes"
    case "invalid_scope": "request scopes that the provider supports and the client may have"
    case "login_required", "interaction_required", "consent_required",
      "account_selection_required":
      "leave prompt=none out, so that the page may ask"
    case "unauthorized_client", "invalid_client", "unsupported_response_type":
      "check the client identifier and the client's registration at the provider"
    case "temporarily_unavailable", "server_error": "wait a while and begin again"
    default: "check the request and the client's registration at the provider, then begin again"
    }
  }
}

extension OIDCError {
  fileprivate static func redirect(_ expected: WebURL) -> OIDCError {
    OIDCError(
      .redirectMismatch, "the browser was not redirected to \(expected.origin)\(expected.path)",
      hint: "pass the address at which this sign-in ended, and register its redirect address")
  }
}
