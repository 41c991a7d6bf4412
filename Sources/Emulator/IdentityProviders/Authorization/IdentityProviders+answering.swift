internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The successful response: a code, an ID token, or both, with the state.
  func succeed(_ flow: PageFlow, memory: ProviderMemory) -> ServerResponse {
    let request = flow.request
    let grant = Grant(flow)
    guard let reply = request.reply else { return endDevice(flow, grant: grant, memory: memory) }
    var fields = FormFields()
    var code: String?
    if request.wantsCode {
      let fresh = SecureRandom.token(bytes: 32)
      memory.codes[fresh] = AuthorizationCode(
        grant: grant, redirectURI: reply.redirectURI, challenge: request.challenge,
        expiresAt: context.clock.seconds + Self.codeLifetime)
      fields.append("code", fresh)
      code = fresh
    }
    if request.wantsIDToken {
      guard let person = person(grant.email, at: request.provider),
        let token = try? idToken(
          for: person, grant: grant, provider: request.provider, code: code, accessToken: nil)
      else {
        return finish(
          flow, error: ("server_error", "the ID token could not be signed"), memory: memory)
      }
      fields.append("id_token", token)
    }
    return send(fields, to: reply, provider: request.provider, language: request.language)
  }

  func finish(
    _ flow: PageFlow, error: (String, String), memory: ProviderMemory
  ) -> ServerResponse {
    guard let reply = flow.request.reply else {
      return endDevice(flow, grant: nil, memory: memory)
    }
    let fields = FormFields([("error", error.0), ("error_description", error.1)])
    return send(
      fields, to: reply, provider: flow.request.provider, language: flow.request.language)
  }

  /// Sends `fields` to the app with the response mode of its request.
  func send(
    _ fields: FormFields, to reply: AuthorizationReply, provider: IdentityProvider,
    language: Wording.Language
  ) -> ServerResponse {
    var fields = fields
    if let state = reply.state { fields.append("state", state) }
    if let issuer = reply.issuer { fields.append("iss", issuer) }
    let address: String
    switch reply.mode {
    case .formPost:
      return page(provider, language).handover(fields, to: reply.redirectURI)
    case .query:
      let joint =
        !reply.redirectURI.contains("?")
        ? "?" : reply.redirectURI.hasSuffix("?") || reply.redirectURI.hasSuffix("&") ? "" : "&"
      address = reply.redirectURI + joint + fields.encoded
    case .fragment: address = "\(reply.redirectURI)#\(fields.encoded)"
    }
    return redirect(to: address)
  }
}
