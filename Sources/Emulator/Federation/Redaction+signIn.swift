internal import System
internal import IdentityToolkit
internal import OIDC

extension Redaction {
  /// Collects the secrets that the backend and a provider exchanged in one redirect sign-in.
  ///
  /// Servers quote requests in their errors, headers included, and the app receives these messages.
  init(flow: RedirectSignIn, request: IdentityRequest, provider: ProviderConfiguration) {
    var secrets = [flow.sessionID, flow.state, flow.pkce.verifier.reveal()]
    secrets += [flow.nonce, request.sessionID].compactMap(\.self)
    for name in ["code", "id_token", "access_token", "refresh_token"] {
      secrets += request.answer.all(name)
    }
    if let secret = provider.clientSecret?.reveal() {
      secrets += Self.forms(of: secret, client: provider.clientID)
    }
    self.init(secrets: secrets)
  }

  /// A client secret as forms and the `Authorization` header carry it (RFC 6749 section 2.3.1), also in the spellings
  /// of clients that do not encode the two halves, or encode a space as a plus.
  private static func forms(of secret: String, client: String) -> [String] {
    let encoded = PercentEncoding.encode(secret)
    let spellings = [secret, encoded, encoded.split(separator: "%20").joined(separator: "+")]
    var forms = spellings
    for (id, secret) in spellings.map({ (client, $0) })
      + spellings.map({ (PercentEncoding.encode(client), $0) })
    {
      let pair = Array("\(id):\(secret)".utf8)
      let basic = Base64.encode(pair)
      // Without the padding, which is not secret and may be missing.
      forms.append(basic.filter { $0 != "=" })
      forms.append(Base64URL.encode(pair))
    }
    return forms
  }
}

extension Refusal {
  /// The same refusal, with the secrets of a sign-in removed from its message.
  func cleaned(
    of flow: RedirectSignIn, _ request: IdentityRequest, _ provider: ProviderConfiguration
  ) -> Refusal {
    guard let error, let detail else { return self }
    let redaction = Redaction(flow: flow, request: request, provider: provider)
    return Refusal(error, redaction.clean(detail), status: status)
  }
}
