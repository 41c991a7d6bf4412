public import System
public import HTTP

/// One sign-in at a provider, from its URL to its only response.
public final class OIDCFlow {
  /// The page to open; its query contains state, nonce and PKCE challenge.
  public let url: WebURL
  /// The redirect address.
  public let redirectURI: WebURL
  /// The state, which ties the response to this request.
  public let state: Secret
  /// The nonce that is sent to the provider and returned in the ID token.
  public let nonce: Secret
  /// The nonce before hashing; equals `nonce` when it is not hashed.
  public let rawNonce: Secret
  /// The options of the request.
  let options: AuthorizationOptions

  let pkce: PKCE
  /// The client that began the flow; no other one may finish it.
  let client: (issuer: String, id: String)
  /// The redirect address exactly as in the request.
  let redirectText: String
  private var isFinished = false

  init(
    url: WebURL, redirectURI: WebURL, state: Secret, nonce: Secret, rawNonce: Secret, pkce: PKCE,
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

  /// Accepts the response of this sign-in, once.
  ///
  /// A response of another sign-in leaves the flow open.
  func accept(_ answer: AuthorizationAnswer, by client: OIDCClient) throws(OIDCError) {
    guard !isFinished else {
      throw OIDCError(
        .answerReplayed, "this sign-in has had its answer already",
        hint: "begin another one; an answer counts once")
    }
    try checkState(answer)
    try checkIssuer(answer, client.metadata)
    let failure = answer.failure(
      without: [state, nonce, rawNonce, pkce.verifier] + client.credentials.secrets)
    // Anyone can send an error without a state, so it must not end a sign-in that may still succeed.
    if let failure, answer["state"] == nil { throw Self.unproven(failure) }
    isFinished = true
    if let failure { throw failure }
  }

  private static func unproven(_ failure: OIDCError) -> OIDCError {
    OIDCError(
      failure.code,
      "\(failure.message), without a state: it may not be the answer to this sign-in",
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
        .stateMismatch, "the answer carries no state",
        hint: "pass the whole address the browser came back to, of this sign-in")
    }
    guard constantTimeEqual(claimed, state.reveal()) else {
      throw OIDCError(
        .stateMismatch, "the answer's state is not the one of this sign-in",
        hint: "pass the answer of this sign-in; if it is, someone slipped another one in")
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
        .issuerMissing, "the answer does not say which provider gave it",
        hint: "the provider promises iss in every answer, so this one may be another's")
    }
    guard metadata.isOwnIssuer(claimed) else {
      throw OIDCError(
        .wrongIssuer, "the answer is from another provider",
        hint: "finish a sign-in with the client that began it")
    }
  }
}

extension OIDCFlow: CustomStringConvertible {
  /// The provider's origin, without secrets.
  public var description: String { "sign-in at \(url.origin)" }
}
