internal import System
internal import HTTP
internal import OIDC

/// An app's request to sign a user out (OpenID Connect RP-Initiated Logout 1.0).
struct LogoutRequest {
  /// The `sub` claim of the user to sign out; nil when the request names none.
  let subject: String?
  /// Where to redirect the browser afterwards, including the state.
  let target: String?

  /// Why a sign-out cannot start; it is shown to the user, because no redirect is safe then.
  struct Problem: Error {
    let code: String
    let message: String
    let advice: String
  }

  /// Reads the parameters; `verifiers` are for the provider's own keys.
  init(
    _ fields: FormFields, provider: IdentityProvider, origin: String, verifiers: KeySet?,
    appDomain: String?
  ) throws(Problem) {
    if let twice = fields.firstRepeated {
      throw Problem(
        code: "invalid_request", message: "\(twice) is given more than once.",
        advice: "Give each parameter once.")
    }
    let claims = try fields["id_token_hint"].map { text throws(Problem) in
      try Self.claims(of: text, provider: provider, origin: origin, verifiers: verifiers)
    }
    let client = provider.registration.map { ExactString($0.clientID) }
    if let named = fields["client_id"], ExactString(named) != client {
      throw Problem(
        code: "invalid_client", message: "There is no app with this client_id.",
        advice: "Use the client id registered for \(provider.id) in the project's configuration.")
    }
    subject = claims?["sub"]?.string
    guard let address = fields["post_logout_redirect_uri"] else {
      target = nil
      return
    }
    guard claims != nil || fields["client_id"] != nil else {
      throw Problem(
        code: "invalid_request",
        message: "The app requests a redirect, but does not name itself.",
        advice: "Send id_token_hint or client_id with post_logout_redirect_uri.")
    }
    let registered = provider.registration?.postLogoutRedirectURIs ?? []
    guard RedirectRules(registered, appDomain: appDomain).admit(address) else {
      throw Problem(
        code: "redirect_uri_mismatch",
        message: "The address to go to after the sign-out is not registered for this app.",
        advice: "Register it in postLogoutRedirectUris, or use an http address on this machine.")
    }
    let joint = address.contains("?") ? "&" : "?"
    target = address + (fields["state"].map { joint + FormFields([("state", $0)]).encoded } ?? "")
  }

  /// The claims of an ID token of this provider, which may have expired (section 2).
  private static func claims(
    of text: String, provider: IdentityProvider, origin: String, verifiers: KeySet?
  ) throws(Problem) -> JSONObject {
    let foreign = Problem(
      code: "invalid_token", message: "id_token_hint is not an ID token of \(provider.name).",
      advice: "Send the ID token that the sign-in gave, unchanged.")
    guard let verifiers, let token = try? JWT(decoding: text),
      (try? token.verify(verifiers, algorithms: [.rs256])) != nil
    else { throw foreign }
    let claims = token.claims
    let issuer = provider.issuer(origin: origin, tenantID: claims["tid"]?.string)
    guard claims["iss"] == .string(issuer),
      claims["aud"] == provider.registration.map({ .string($0.clientID) })
    else { throw foreign }
    return claims
  }
}

/// A pending question whether the user wants to sign out.
struct PendingLogout {
  let session: ProviderSession
  /// The value that proves a form came from our own page.
  let formToken: String
  let target: String?
  let language: Wording.Language
}

extension IdentityProviders {
  /// The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0).
  func logout(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    if request.method == "POST" {
      let form = request.form
      if let id = form["logout"] { return answerLogout(id, form, request, provider: provider) }
      return redirect(toQueryOf: request)
    }
    let fields = request.url.fields
    let language = IncomingAuthorization.language(
      fields, acceptLanguage: request.headers["Accept-Language"])
    let asked: LogoutRequest
    do throws(LogoutRequest.Problem) {
      asked = try LogoutRequest(
        fields, provider: provider, origin: context.origin,
        verifiers: try? context.keys.verifiers(for: .identityProvider(provider.id)),
        appDomain: context.configuration.authDomain)
    } catch {
      return page(provider, language).notice(
        Notice(
          code: error.code, message: error.message, advice: error.advice, lead: .logoutErrorLead))
    }
    guard let session = browserSession(request, provider: provider), !session.accounts.isEmpty
    else { return leave(asked.target, provider: provider, language: language) }
    if let subject = asked.subject,
      let account = session.accounts.first(where: { isSubject(subject, $0.email, at: provider) })
    {
      session.forget(account.email)
      return leave(asked.target, session: session, provider: provider, language: language)
    }
    // Any site can send a browser here; only an ID token of the user's own sign-in makes a confirmation unnecessary.
    let pending = PendingLogout(
      session: session, formToken: SecureRandom.token(bytes: 24), target: asked.target,
      language: language)
    let id = SecureRandom.token(bytes: 18)
    memory(of: provider).logouts[id] = pending
    return page(provider, language).logout(pending, id: id, path: request.url.path)
  }

  private func answerLogout(
    _ id: String, _ form: FormFields, _ request: HTTPRequest, provider: IdentityProvider
  ) -> ServerResponse {
    let memory = memory(of: provider)
    let errors = ProviderErrors(provider: provider)
    guard let pending = memory.logouts[id],
      let session = browserSession(request, provider: provider), session === pending.session
    else {
      return page(provider, .english).notice(errors.endedSignIn)
    }
    guard constantTimeEqual(form["csrf"] ?? "", pending.formToken) else {
      return page(provider, pending.language).notice(errors.forgedForm)
    }
    memory.logouts[id] = nil
    guard form["decision"] == "signout" else {
      return page(provider, pending.language).loggedOut(false)
    }
    session.forgetAll()
    return leave(
      pending.target, session: session, provider: provider, language: pending.language)
  }

  /// Redirects the browser to the target, or shows that the sign-out is done.
  private func leave(
    _ target: String?, session: ProviderSession? = nil, provider: IdentityProvider,
    language: Wording.Language
  ) -> ServerResponse {
    var response =
      target.map { redirect(to: $0) } ?? page(provider, language).loggedOut(true)
    if let session, session.accounts.isEmpty {
      memory(of: provider).sessions[session.id] = nil
      response.headers.set("Set-Cookie", endedCookie(of: provider))
    }
    return response
  }

  private func isSubject(_ subject: String, _ email: String, at provider: IdentityProvider) -> Bool
  {
    guard let person = person(email, at: provider) else { return false }
    let claims = ProviderClaims(
      person: person, provider: provider, clientID: provider.registration?.clientID ?? "",
      scopes: [])
    return sameText(claims.subject, subject)
  }
}
