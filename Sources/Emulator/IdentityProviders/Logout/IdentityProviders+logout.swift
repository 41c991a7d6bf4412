internal import System
internal import HTTP
internal import OIDC

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
    return ExactString(claims.subject) == ExactString(subject)
  }
}
