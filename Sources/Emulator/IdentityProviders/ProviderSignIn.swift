internal import System
internal import HTTP

extension IdentityProviders {
  /// The pages between the app's request and the response to it.
  ///
  /// Every form is posted here and answered with a redirect, so that going back or reloading never submits it twice.
  func signIn(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    let memory = memory(of: provider)
    let errors = ProviderErrors(provider: provider)
    let acceptLanguage = Wording.preferred(request.headers["Accept-Language"]) ?? .english
    guard let id = request.url.fields["flow"], let flow = memory.flows[id],
      let session = browserSession(request, provider: provider), session === flow.session
    else {
      return page(provider, acceptLanguage).notice(errors.endedSignIn)
    }
    guard request.method == "POST" else { return show(flow) }
    let form = request.form
    guard constantTimeEqual(form["csrf"] ?? "", flow.formToken) else {
      return page(provider, flow.request.language).notice(errors.forgedForm)
    }
    if case .deviceEnded = flow.stage { return show(flow) }
    if form["action"] == "cancel" {
      memory.flows[flow.id] = nil
      return decline(flow, memory: memory)
    }
    switch flow.stage {
    case .userCode: readUserCode(flow, form: form, memory: memory)
    case .deviceEnded: break
    case .choosing: choose(flow, form: form)
    case .identifying: readLogin(flow, form: form, memory: memory)
    case .password: readPassword(flow, form: form, memory: memory)
    case .consent:
      guard form["decision"] == "accept" else {
        memory.flows[flow.id] = nil
        return decline(flow, memory: memory)
      }
      flow.hasConsented = true
      memory.rememberConsent(
        of: flow.email ?? "", to: flow.request.clientID, scopes: flow.request.scopes)
    case .stopped(let notice):
      if notice.offersOtherAccount {
        flow.typedEmail = ""
        flow.email = nil
        flow.stage = .identifying
      }
    }
    if case .consent = flow.stage, flow.hasConsented { memory.flows[flow.id] = nil }
    return proceed(flow, memory: memory)
  }

  private func show(_ flow: PageFlow) -> ServerResponse {
    let page = page(flow.request.provider, flow.request.language)
    return switch flow.stage {
    case .userCode: page.userCode(flow)
    case .deviceEnded(let isGranted): page.deviceEnded(isGranted: isGranted)
    case .choosing: page.chooser(flow, people: accounts(of: flow))
    case .identifying: page.login(flow)
    case .password: page.password(flow)
    case .consent: page.consent(flow)
    case .stopped(let notice): page.notice(notice, flow: flow)
    }
  }

  func page(_ provider: IdentityProvider, _ language: Wording.Language) -> ProviderPages {
    ProviderPages(
      provider: provider, words: Wording(language: language), app: context.configuration.id,
      people: context.people(knownTo: provider.id))
  }

  private func accounts(of flow: PageFlow) -> [Person] {
    flow.session.accounts.compactMap { person($0.email, at: flow.request.provider) }
  }

  private func choose(_ flow: PageFlow, form: FormFields) {
    guard let choice = form["account"], let account = flow.session.account(choice) else {
      flow.typedEmail = ""
      flow.stage = .identifying
      return
    }
    let age = context.clock.seconds - account.signedInAt
    if let maximum = flow.request.maximumAge, maximum == 0 || age > maximum {
      flow.typedEmail = account.email
      return askWhoItIs(flow)
    }
    identify(flow, as: account.email, at: account.signedInAt)
  }

  private func readLogin(_ flow: PageFlow, form: FormFields, memory: ProviderMemory) {
    let provider = flow.request.provider
    flow.typedEmail = trimmed(form["email"] ?? form["loginfmt"] ?? "")
    flow.problem = nil
    guard !flow.typedEmail.isEmpty else {
      flow.problem = .missingEmail
      return
    }
    let person = personOrNewcomer(flow.typedEmail, of: flow.request)
    if provider.kind == .microsoft {
      // Microsoft reports an unknown address before it asks for the password.
      if person == nil { return fail(flow, .unknownAccount) }
      flow.stage = .password
      return
    }
    // The others do not reveal which of the two was wrong.
    guard let person, constantTimeEqual(person.password.reveal(), form["password"] ?? "") else {
      return fail(flow, .wrongEither)
    }
    admit(flow, person, memory: memory)
  }

  private func readPassword(_ flow: PageFlow, form: FormFields, memory: ProviderMemory) {
    flow.problem = nil
    if form["action"] == "back" {
      flow.stage = .identifying
      return
    }
    guard let person = person(flow.typedEmail, at: flow.request.provider),
      constantTimeEqual(person.password.reveal(), form["passwd"] ?? "")
    else {
      return fail(flow, .wrongPassword)
    }
    admit(flow, person, memory: memory)
  }

  private func admit(_ flow: PageFlow, _ person: Person, memory: ProviderMemory) {
    let now = context.clock.seconds
    flow.session.remember(person.email, at: now)
    renew(flow.session, memory: memory)
    identify(flow, as: person.email, at: now)
  }

  func fail(_ flow: PageFlow, _ problem: Phrase) {
    flow.failedAttempts += 1
    flow.problem = problem
    guard flow.failedAttempts >= 10 else { return }
    let words = Wording(language: flow.request.language)
    flow.stage = .stopped(
      Notice(
        status: 429, code: flow.request.provider.kind == .microsoft ? "AADSTS50053" : "locked",
        message: words(.tooManyAttempts),
        advice: words(.errorLead, ["name": flow.request.provider.name])))
  }

  private func decline(_ flow: PageFlow, memory: ProviderMemory) -> ServerResponse {
    let errors = ProviderErrors(provider: flow.request.provider)
    return finish(
      flow, error: ("access_denied", errors.say(.declined, "the user declined to consent")),
      memory: memory)
  }

  private func trimmed(_ text: String) -> String {
    var part = text[...]
    while part.first?.isWhitespace == true { part.removeFirst() }
    while part.last?.isWhitespace == true { part.removeLast() }
    return String(part)
  }
}
