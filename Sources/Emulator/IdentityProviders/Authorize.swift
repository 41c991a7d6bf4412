internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The authorization endpoint: checks the request and starts a page flow.
  func authorize(
    _ request: HTTPRequest, provider: IdentityProvider, tenant: String?
  ) -> ServerResponse {
    if request.method == "POST" { return redirect(toQueryOf: request) }
    let fields = request.url.fields
    let acceptLanguage = request.headers["Accept-Language"]
    let language = IncomingAuthorization.language(fields, acceptLanguage: acceptLanguage)
    let errors = ProviderErrors(provider: provider)
    if provider.kind == .microsoft, let tenant, !isKnownTenant(tenant) {
      return page(provider, language).notice(errors.unknownTenant(tenant))
    }
    let accepted: IncomingAuthorization
    do throws(AuthorizationFailure) {
      accepted = try IncomingAuthorization(
        fields, provider: provider, tenant: tenant,
        issuer: singleIssuer(of: provider, tenant: tenant),
        appDomain: context.configuration.authDomain, acceptLanguage: acceptLanguage)
    } catch {
      switch error {
      case .page(let notice): return page(provider, language).notice(notice)
      case .reply(let reply, let code, let description):
        let answer = FormFields([("error", code), ("error_description", description)])
        return send(answer, to: reply, provider: provider, language: language)
      }
    }
    let memory = memory(of: provider)
    let flow = open(accepted, for: request, memory: memory)
    if let refusal = begin(flow, memory: memory) {
      return finish(flow, error: refusal, memory: memory)
    }
    return proceed(flow, memory: memory)
  }

  /// Redirects the browser to the same address with the form as its query.
  ///
  /// Browsers omit our cookie (SameSite=Lax) from another site's form post, but send it with the redirected request.
  /// Without the redirect we would miss the user's session and replace it.
  func redirect(toQueryOf request: HTTPRequest) -> ServerResponse {
    let form = request.form
    return redirect(to: request.url.path + (form.isEmpty ? "" : "?\(form.encoded)"))
  }

  /// A page flow for the browser that sent `request`.
  func open(
    _ accepted: IncomingAuthorization, for request: HTTPRequest, memory: ProviderMemory
  ) -> PageFlow {
    let session =
      browserSession(request, provider: accepted.provider)
      ?? ProviderSession(id: SecureRandom.token(bytes: 24))
    memory.sessions[session.id] = session
    return PageFlow(
      id: SecureRandom.token(bytes: 18), request: accepted, session: session,
      formToken: SecureRandom.token(bytes: 24))
  }

  /// Chooses the first page, or returns an error for `prompt=none`, which must not show a page.
  func begin(_ flow: PageFlow, memory: ProviderMemory) -> (String, String)? {
    let request = flow.request
    let errors = ProviderErrors(provider: request.provider)
    let accounts = flow.session.accounts.filter { person($0.email, at: request.provider) != nil }
    let now = context.clock.seconds
    func isFresh(_ account: ProviderSession.Account) -> Bool {
      request.maximumAge.map { now - account.signedInAt <= $0 && $0 > 0 } ?? true
    }
    let hinted = request.loginHint.flatMap { hint in
      person(hint, at: request.provider).flatMap { flow.session.account($0.email) }
    }
    if request.prompts.contains(.none) {
      guard !accounts.isEmpty else {
        return ("login_required", errors.say(.silent, "nobody is signed in"))
      }
      guard let account = hinted ?? (accounts.count == 1 ? accounts[0] : nil) else {
        return (
          "account_selection_required", errors.say(.silent, "several people are signed in")
        )
      }
      guard isFresh(account) else {
        return ("login_required", errors.say(.silent, "the sign-in is too old"))
      }
      identify(flow, as: account.email, at: account.signedInAt)
      if case .stopped = flow.stage {
        return ("interaction_required", errors.say(.silent, "the account cannot be used here"))
      }
      guard flow.hasConsented else {
        return ("consent_required", errors.say(.consentNeeded, "consent has not been given"))
      }
      return nil
    }
    if request.prompts.contains(.login) || accounts.isEmpty {
      askWhoItIs(flow)
    } else if request.prompts.contains(.selectAccount) {
      flow.stage = .choosing
    } else if let hinted {
      if isFresh(hinted) {
        identify(flow, as: hinted.email, at: hinted.signedInAt)
      } else {
        askWhoItIs(flow)
      }
    } else if request.loginHint != nil {
      askWhoItIs(flow)
    } else {
      flow.stage = .choosing
    }
    return nil
  }

  /// Shows the login page, or at Microsoft the password page when the hint is the address of a known user.
  func askWhoItIs(_ flow: PageFlow) {
    let provider = flow.request.provider
    let isKnown = personOrNewcomer(flow.typedEmail, of: flow.request) != nil
    flow.stage = provider.kind == .microsoft && isKnown ? .password : .identifying
  }

  /// Sets the user of the flow; checks whether the tenant admits the user, and whether consent was given before.
  func identify(_ flow: PageFlow, as email: String, at seconds: Int64) {
    let request = flow.request
    guard let person = person(email, at: request.provider) else {
      flow.stage = .identifying
      return
    }
    flow.email = person.email
    flow.signedInAt = seconds
    flow.problem = nil
    if let notice = tenantRefusal(of: person, request: request) {
      flow.stage = .stopped(notice)
      return
    }
    let memory = memory(of: request.provider)
    let isKnown = memory.hasConsent(
      of: person.email, to: request.clientID, scopes: request.scopes)
    flow.hasConsented = isKnown && !request.prompts.contains(.consent)
    flow.stage = .consent
  }

  /// Redirects the browser to the app when the flow is complete, otherwise to the page of the current stage.
  func proceed(_ flow: PageFlow, memory: ProviderMemory) -> ServerResponse {
    var response: ServerResponse
    if case .consent = flow.stage, flow.hasConsented {
      response = succeed(flow, memory: memory)
    } else {
      response = showAgain(flow, memory: memory)
    }
    // Needed here too: a login without a consent page has just renewed the session.
    response.headers.set("Set-Cookie", cookie(for: flow.session, provider: flow.request.provider))
    return response
  }

  /// Redirects the browser to the page of the current stage.
  func showAgain(_ flow: PageFlow, memory: ProviderMemory) -> ServerResponse {
    memory.flows[flow.id] = flow
    let path = flow.request.provider.signInPath(tenant: flow.request.tenant)
    return redirect(to: "\(path)?flow=\(flow.id)")
  }

  // MARK: The browser session's cookie

  /// Emulators share the host 127.0.0.1 and cookies ignore ports, so the name includes the port.
  private var cookieName: String {
    "luath_idp_\(context.origin.split(separator: ":").last ?? "0")"
  }

  func browserSession(_ request: HTTPRequest, provider: IdentityProvider) -> ProviderSession? {
    let name = cookieName
    for header in request.headers.all("Cookie") {
      for pair in header.split(separator: ";") {
        let halves = pair.split(separator: "=", maxSplits: 1)
        guard halves.count == 2, halves[0].filter({ $0 != " " }) == name else { continue }
        if let session = memory(of: provider).sessions[String(halves[1])] { return session }
      }
    }
    return nil
  }

  func cookie(for session: ProviderSession, provider: IdentityProvider) -> String {
    "\(cookieName)=\(session.id); Path=\(provider.root); HttpOnly; SameSite=Lax"
  }

  /// A cookie that deletes the session's cookie.
  func endedCookie(of provider: IdentityProvider) -> String {
    "\(cookieName)=; Path=\(provider.root); HttpOnly; SameSite=Lax; Max-Age=0"
  }

  /// Gives the browser session a new id after a login, against session fixation.
  func renew(_ session: ProviderSession, memory: ProviderMemory) {
    memory.sessions[session.id] = nil
    session.id = SecureRandom.token(bytes: 24)
    memory.sessions[session.id] = session
  }

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

  /// Whether a tenant in Microsoft's path exists: it has test users, is `common`, `organizations` or `consumers`, or
  /// the project admits anyone.
  func isKnownTenant(_ tenant: String) -> Bool {
    if ["common", "organizations", "consumers"].contains(tenant) { return true }
    if isSame(tenant, MicrosoftAccount.personalTenantID) { return true }
    return context.configuration.admitsAnyone
      || context.configuration.people.contains { $0.microsoft.isOf(tenant) }
  }

  /// The page for a user whom the request's tenant does not admit; nil when it does.
  func tenantRefusal(of person: Person, request: IncomingAuthorization) -> Notice? {
    guard request.provider.kind == .microsoft, let tenant = request.tenant else { return nil }
    guard !person.microsoft.isAdmitted(by: tenant) else { return nil }
    let errors = ProviderErrors(provider: request.provider)
    return ["organizations", "consumers"].contains(tenant)
      ? errors.wrongKind(person, tenant: tenant, clientID: request.clientID)
      : errors.foreignAccount(person, tenant: tenant, clientID: request.clientID)
  }

  /// The GUID of the tenant in a path; nil for `common`, `organizations` and unknown tenants.
  func tenantID(_ tenant: String?) -> String? {
    guard let tenant, tenant != "common", tenant != "organizations" else { return nil }
    if tenant == "consumers" { return MicrosoftAccount.personalTenantID }
    if isSame(tenant, MicrosoftAccount.personalTenantID) {
      return MicrosoftAccount.personalTenantID
    }
    let account = context.configuration.people.first { $0.microsoft.isOf(tenant) }
    if let account { return account.microsoft.tenantID }
    guard context.configuration.admitsAnyone else { return nil }
    return Person(newcomer: "user@\(tenant)", tenant: tenant).microsoft.tenantID
  }

  /// Compares GUIDs or domains without regard to case.
  private func isSame(_ one: String, _ other: String) -> Bool {
    sameText(one.lowercased(), other.lowercased())
  }
}
