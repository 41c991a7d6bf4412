internal import System
internal import HTTP

/// The pages of one provider in one language, without external resources.
struct ProviderPages {
  let provider: IdentityProvider
  let words: Wording
  /// The app that the user signs in to.
  let app: String
  /// The test users of the provider; an emulator may list them.
  let people: [Person]

  /// A page with the common frame.
  func response(
    status: Int = 200, title: String, content: Markup, script: String? = nil
  ) -> ServerResponse {
    var response = CardPage(
      title: "\(title) – \(provider.name)", language: words.language.rawValue, kind: provider.kind,
      content: """
        <p class="who"><span class="sign" aria-hidden="true">\(monogram)</span>\(provider.name)</p>
        \(content)
        """,
      footer: words(.footer, ["name": provider.name]), script: script
    ).response(status: status)
    // No form-action: browsers also apply it to the redirect to the app.
    response.headers.set("X-Frame-Options", "DENY")
    response.headers.set("Content-Language", words.language.rawValue)
    return response
  }

  private var monogram: String { provider.name.first.map { String($0).uppercased() } ?? "?" }

  /// The start of every sign-in form, with the CSRF token.
  func opening(_ flow: PageFlow) -> Markup {
    let path = provider.signInPath(tenant: flow.request.tenant)
    return """
      <form method="post" action="\(path)?flow=\(flow.id)">
      <input type="hidden" name="csrf" value="\(flow.formToken)">
      """
  }

  func problem(_ flow: PageFlow) -> Markup {
    guard let problem = flow.problem else { return .nothing }
    let text = words(problem, ["name": provider.name, "email": flow.typedEmail])
    return "<p class=\"notice\" id=\"problem\" role=\"alert\">\(text)</p>\n"
  }

  var cancel: Markup {
    """
    <button class="quiet" type="submit" name="action" value="cancel" formnovalidate>\
    \(words(.cancel))</button>
    """
  }

  /// A list of the test users; it is no secret: this is an emulator.
  var guests: Markup {
    guard !people.isEmpty else { return .nothing }
    let shown = people.prefix(8).map { person -> Markup in
      "<li>\(person.email)</li>"
    }
    let more: Markup = people.count > 8 ? "<li>…</li>" : .nothing
    return """
      <details><summary>\(words(.whoCanSignIn))</summary><ul>\(shown)\(more)</ul></details>
      """
  }
}

extension ProviderPages {
  /// The first page: e-mail address and, except at Microsoft, the password.
  func login(_ flow: PageFlow) -> ServerResponse {
    let isFirstOfTwo = provider.kind == .microsoft
    let invalid: Markup =
      flow.problem == nil ? .nothing : " aria-invalid=\"true\" aria-describedby=\"problem\""
    // When the address is filled in, the password is the first empty field.
    let emailFocus: Markup = isFirstOfTwo || flow.typedEmail.isEmpty ? " autofocus" : .nothing
    let passwordFocus: Markup = flow.typedEmail.isEmpty ? .nothing : " autofocus"
    let password: Markup =
      isFirstOfTwo
      ? .nothing
      : """
      <label for="password">\(words(.password))</label>
      <input id="password" name="password" type="password" autocomplete="current-password" \
      required\(invalid)\(passwordFocus)>
      """
    let name = isFirstOfTwo ? "loginfmt" : "email"
    return response(
      title: words(.signIn),
      content: """
        <h1>\(words(.signIn))</h1>
        <p class="lead">\(words(.toContinue, ["app": app]))</p>
        \(opening(flow))
        \(problem(flow))<label for="email">\(words(.email))</label>
        <input id="email" name="\(name)" type="text" inputmode="email" autocomplete="username" \
        autocapitalize="none" spellcheck="false" required value="\(flow.typedEmail)"\(invalid)\
        \(emailFocus)>
        \(password)
        <div class="row"><button type="submit">\(words(isFirstOfTwo ? .next : .signIn))</button>
        \(cancel)</div>
        </form>
        \(guests)
        """)
  }

  /// Microsoft's second page.
  func password(_ flow: PageFlow) -> ServerResponse {
    let invalid: Markup =
      flow.problem == nil ? .nothing : " aria-invalid=\"true\" aria-describedby=\"problem\""
    return response(
      title: words(.enterPassword),
      content: """
        <p class="person">\(flow.typedEmail)</p>
        <h1>\(words(.enterPassword))</h1>
        <p class="lead">\(words(.toContinue, ["app": app]))</p>
        \(opening(flow))
        \(problem(flow))<input type="hidden" name="loginfmt" value="\(flow.typedEmail)">
        <label for="password">\(words(.password))</label>
        <input id="password" name="passwd" type="password" autocomplete="current-password" \
        required autofocus\(invalid)>
        <div class="row"><button type="submit">\(words(.signIn))</button>
        <button class="quiet" type="submit" name="action" value="back" formnovalidate>\
        \(words(.back))</button></div>
        </form>
        """)
  }

  /// The page with the accounts that are signed in in this browser.
  func chooser(_ flow: PageFlow, people: [Person]) -> ServerResponse {
    let rows = people.map { person -> Markup in
      """
      <li><button type="submit" name="account" value="\(person.email)">\
      <span class="sign" aria-hidden="true">\(person.name.prefix(1).uppercased())</span>\
      <span><b>\(person.name)</b> <small>\(person.email)</small></span></button></li>

      """
    }
    return response(
      title: words(.chooseAccount),
      content: """
        <h1>\(words(.chooseAccount))</h1>
        <p class="lead">\(words(.toContinue, ["app": app]))</p>
        \(opening(flow))
        <ul class="accounts">
        \(rows)<li><button type="submit" name="other" value="another account">\
        <span class="sign other" aria-hidden="true">+</span>\
        <span>\(words(.useAnother))</span></button></li>
        </ul>
        <div class="row">\(cancel)</div>
        </form>
        """)
  }

  /// The consent page, which describes each scope.
  func consent(_ flow: PageFlow) -> ServerResponse {
    let title = words(.consentTitle, ["app": app])
    return response(
      title: title,
      content: """
        <p class="person">\(flow.email ?? "")</p>
        <h1 tabindex="-1" autofocus>\(title)</h1>
        \(deviceWarning(flow))<p class="lead">\(words(.consentLead))</p>
        <ul class="scopes">
        \(ScopeWords.lines(flow.request.scopes, in: words))
        </ul>
        \(opening(flow))
        <div class="row"><button type="submit" name="decision" value="accept">\
        \(words(.accept))</button>
        <button class="quiet" type="submit" name="decision" value="deny">\(words(.deny))</button></div>
        </form>
        """)
  }

  /// Shows the code again, so that the user does not admit somebody else's device (RFC 8628 section 5.4).
  private func deviceWarning(_ flow: PageFlow) -> Markup {
    guard let code = flow.device?.userCode else { return .nothing }
    return "<p class=\"notice\">\(words(.deviceWarning, ["code": code]))</p>\n"
  }

  /// An error page; it ends the sign-in, or offers to continue with another account.
  func notice(_ notice: Notice, flow: PageFlow? = nil) -> ServerResponse {
    let facts = notice.facts.map { fact -> Markup in
      "<dt>\(fact.label)</dt><dd>\(fact.value)</dd>"
    }
    let rows: Markup =
      "<dl><dt>\(words(.code))</dt><dd>\(notice.code)</dd>\(facts)</dl>"
    var other = Markup.nothing
    if let flow, notice.offersOtherAccount {
      other = """
        \(opening(flow))
        <div class="row"><button type="submit" name="other" value="another account">\
        \(words(.useAnother))</button>\(cancel)</div>
        </form>
        """
    }
    return response(
      status: notice.status, title: words(.errorTitle),
      content: """
        <h1 tabindex="-1" autofocus>\(words(.errorTitle))</h1>
        <p class="lead">\(words(notice.lead, ["name": provider.name]))</p>
        <p class="notice" role="alert">\(notice.code): \(notice.message)</p>
        <p>\(notice.advice)</p>
        \(rows)
        \(other)
        """)
  }

  /// The response as a form (OAuth 2.0 Form Post Response Mode).
  ///
  /// A script submits it at once. Without scripts the user presses a button.
  func handover(_ fields: FormFields, to address: String) -> ServerResponse {
    let hidden = fields.pairs.map { pair -> Markup in
      "<input type=\"hidden\" name=\"\(pair.name)\" value=\"\(pair.value)\">\n"
    }
    return response(
      title: words(.returning),
      content: """
        <h1>\(words(.returning))</h1>
        <p class="lead">\(words(.returningLead))</p>
        <form method="post" action="\(address)">
        \(hidden)<div class="row"><button type="submit">\(words(.proceed))</button></div>
        </form>
        """,
      script: "document.forms[0].submit()")
  }

  /// The page that asks for a device's code.
  func userCode(_ flow: PageFlow) -> ServerResponse {
    let invalid: Markup =
      flow.problem == nil ? .nothing : " aria-invalid=\"true\" aria-describedby=\"problem\""
    return response(
      title: words(.deviceTitle),
      content: """
        <h1>\(words(.deviceTitle))</h1>
        <p class="lead">\(words(.deviceLead))</p>
        \(opening(flow))
        \(problem(flow))<label for="user_code">\(words(.userCode))</label>
        <input id="user_code" name="user_code" type="text" autocomplete="off" \
        autocapitalize="characters" spellcheck="false" required maxlength="32" \
        value="\(flow.typedEmail)"\(invalid) autofocus>
        <div class="row"><button type="submit">\(words(.next))</button>
        \(cancel)</div>
        </form>
        """)
  }

  /// The last page of a sign-in for a device, which continues there.
  func deviceEnded(isGranted: Bool) -> ServerResponse {
    let title = words(isGranted ? .deviceGranted : .deviceDenied)
    return response(
      title: title,
      content: """
        <h1 tabindex="-1" autofocus>\(title)</h1>
        <p class="lead">\(words(isGranted ? .deviceGrantedLead : .deviceDeniedLead))</p>
        """)
  }

  /// The page that asks whether to sign out.
  func logout(_ pending: PendingLogout, id: String, path: String) -> ServerResponse {
    response(
      title: words(.logoutTitle),
      content: """
        <h1>\(words(.logoutTitle))</h1>
        <p class="lead">\(words(.logoutLead, ["name": provider.name]))</p>
        <form method="post" action="\(path)">
        <input type="hidden" name="logout" value="\(id)">
        <input type="hidden" name="csrf" value="\(pending.formToken)">
        <div class="row"><button type="submit" name="decision" value="signout">\
        \(words(.logoutTitle))</button>
        <button class="quiet" type="submit" name="decision" value="stay">\
        \(words(.staySignedIn))</button></div>
        </form>
        """)
  }

  /// The last page of a sign-out without a redirect.
  func loggedOut(_ isOut: Bool) -> ServerResponse {
    let title = words(isOut ? .loggedOut : .stillSignedIn)
    return response(
      title: title,
      content: """
        <h1 tabindex="-1" autofocus>\(title)</h1>
        <p class="lead">\(words(.closePage))</p>
        """)
  }
}
