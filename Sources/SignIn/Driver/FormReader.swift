internal import System
internal import HTTP

/// Decides the next step on each page of a sign-in.
///
/// It sends nothing: it fills a form and names the button, and the driver does the rest.
struct FormReader {
  enum Step {
    case send(PageForm, submitter: FormControl?, Purpose)
    case follow(WebURL, Purpose)

    var purpose: Purpose {
      switch self {
      case .send(_, _, let purpose), .follow(_, let purpose): purpose
      }
    }
  }

  /// The purpose of a step; saved pages are named after it.
  enum Purpose: Equatable { case login, username, accept, deny, choice, proceed }

  let answers: SignInAnswers
  let task: PageTask
  /// The app's redirect address; nil when the start URL has none.
  let redirectAddress: String?
  /// Whether the page's scripts run, as in a browser.
  let runsScripts: Bool
  /// Origins that received the password or user name; if one asks again, it was refused.
  private var passwordSent: Set<String> = []
  private var usernameSent: Set<String> = []
  /// Origins where we went back from another user's password page, which is tried once.
  private var turnedBack: Set<String> = []
  /// Codes and other secrets that were entered, by page and field.
  var answersSent: Set<String> = []
  /// Whether the last step filled in something secret.
  var isSecretFilled = false

  /// Creates a reader for the pages that `start` opens.
  init(answers: SignInAnswers, start: WebURL, runsScripts: Bool = false) {
    self.answers = answers
    task = PageTask(openedBy: start)
    redirectAddress =
      start.fields["redirect_uri"].flatMap { WebURL($0) }.map { "\($0.origin)\($0.path)" }
    self.runsScripts = runsScripts
  }

  mutating func step(on page: SignInPage, status: Int) throws(FormDriverError) -> Step {
    isSecretFilled = false
    if status >= 500 { throw failure(onErrorPage: page, status: status) }
    try checkLogin(on: page)
    do throws(FormDriverError) {
      let step = try answer(page, status: status)
      try checkTask(of: step, on: page)
      try checkRefusal(by: step, on: page)
      return step
    } catch {
      throw failure(error, on: page)
    }
  }

  private mutating func answer(
    _ page: SignInPage, status: Int
  ) throws(FormDriverError) -> Step {
    if let step = try login(on: page) { return step }
    if let step = try username(on: page) { return step }
    if status >= 400 {
      // Many providers ask again for a wrong code with an error status.
      let asksForCode = page.forms.contains { $0.controls.contains { Self.isCode($0) } }
      if asksForCode, let step = try proceed(on: page) { return step }
      throw failure(onErrorPage: page, status: status)
    }
    if task != .signOut, let step = staying(on: page) { return step }
    if let step = try consent(on: page) { return step }
    if let step = choice(on: page) { return step }
    if let step = try denial(on: page) { return step }
    if let step = try proceed(on: page) { return step }
    if let refresh = page.refresh { return .follow(refresh, .proceed) }
    let words = "\(page.title) \(page.heading) \(page.message ?? "")"
    // A page that scripts still build may have an alert that says "loading", and no heading.
    let isLoading = page.needsScript && page.heading.isEmpty
    let isTrouble =
      Vocabulary.mentions(Vocabulary.trouble, in: words) || (page.message != nil && !isLoading)
    throw isTrouble || refusesRedirect(page)
      ? failure(onErrorPage: page) : failure(.noUsableForm, on: page)
  }

  // MARK: Login

  private mutating func login(on page: SignInPage) throws(FormDriverError) -> Step? {
    guard var form = page.forms.first(where: { passwordSlot(in: $0) != nil }),
      let slot = passwordSlot(in: form)
    else { return nil }
    // A button that logs in and gives consent at once is handled by the consent code.
    if !answers.consent, agrees(mainSubmitter(of: form)) { return nil }
    let field = form.controls[slot].title
    if let step = otherPerson(in: form, on: page) { return step }
    guard let password = answers.password else {
      throw failure(.missingAnswer, on: page, field: field, isPassword: true)
    }
    guard passwordSent.insert(page.url.origin).inserted else {
      throw failure(.passwordRefused, on: page, field: field)
    }
    try fill(&form.controls[slot], with: password.reveal(), on: page)
    isSecretFilled = true
    if let name = Self.usernameSlot(in: form, before: slot) {
      try setUsername(in: &form, at: name, on: page)
    }
    let denies = try denyBesideLogin(in: &form, on: page)
    try fillOthers(in: &form, on: page, isLogin: true)
    return .send(form, submitter: mainSubmitter(of: form), denies ? .deny : .login)
  }

  /// Returns the password field of a login form.
  ///
  /// Several password fields mean a form for a new account or password, unless exactly one is
  /// marked as the current password.
  func passwordSlot(in form: PageForm) -> Int? {
    let slots = form.controls.indices.filter { index in
      let control = form.controls[index]
      return Self.isFillable(control) && control.kind == .password
        && !answers.fields.keys.contains { Self.isNamed(control, $0) }
    }
    if form.controls.contains(where: { $0.autocomplete.contains("new-password") }) { return nil }
    if slots.count == 1, Self.isCode(form.controls[slots[0]]) { return nil }
    let current = slots.filter { form.controls[$0].autocomplete.contains("current-password") }
    return current.count == 1 ? current[0] : slots.count == 1 ? slots[0] : nil
  }

  /// Returns the step back from a password page that a login hint opened for another user.
  private mutating func otherPerson(in form: PageForm, on page: SignInPage) -> Step? {
    guard answers.username.contains("@"), !usernameSent.contains(page.url.origin),
      !turnedBack.contains(page.url.origin),
      let shown = form.controls.first(where: { Self.isFixedUsername($0) }),
      ExactString(shown.value.lowercased()) != ExactString(answers.username.lowercased()),
      let button = form.submitters.first(where: { Self.says(Vocabulary.back, $0) })
    else { return nil }
    turnedBack.insert(page.url.origin)
    return .send(form, submitter: button, .choice)
  }

  private mutating func username(on page: SignInPage) throws(FormDriverError) -> Step? {
    // Choosing an account on the page replaces entering the name.
    if !asksForConsent(page), let step = exactChoice(on: page) { return step }
    for var form in page.forms where !isAside(form) {
      guard let slot = Self.usernameSlot(in: form, before: nil) else { continue }
      if !answers.consent, agrees(mainSubmitter(of: form)) { continue }
      guard usernameSent.insert(page.url.origin).inserted else {
        throw failure(.usernameRefused, on: page, field: form.controls[slot].title)
      }
      try setUsername(in: &form, at: slot, on: page)
      let denies = try denyBesideLogin(in: &form, on: page)
      try fillOthers(in: &form, on: page)
      return .send(form, submitter: mainSubmitter(of: form), denies ? .deny : .username)
    }
    return nil
  }

  // MARK: Other pages

  /// Handles a page with one button to press, or a form that a script would submit.
  private mutating func proceed(on page: SignInPage) throws(FormDriverError) -> Step? {
    for var form in page.forms where !isAside(form) && !form.controls.isEmpty {
      let wantsWords = form.controls.contains {
        !$0.isDisabled && !$0.isConcealed && ($0.isRequired || Self.isCode($0))
      }
      let isAnswered = form.controls.contains { control in
        answers.fields.keys.contains { Self.isNamed(control, $0) }
      }
      if wantsWords || isAnswered {
        let button = mainSubmitter(of: form)
        try fillOthers(in: &form, on: page)
        return .send(form, submitter: button, .proceed)
      }
      guard page.message == nil else { continue }
      if form.isOnlyHidden || !form.submitters.isEmpty {
        let button = mainSubmitter(of: form)
        if let button, denies(button), form.submitters.count == 1 { continue }
        return .send(form, submitter: button, .proceed)
      }
    }
    let hasForms = page.forms.contains { task != .signOut || !isAside($0) }
    guard !hasForms, page.message == nil else { return nil }
    guard let link = page.links.first(where: { Vocabulary.mentions(accepting, in: $0.text) })
    else { return nil }
    return .follow(link.address, .proceed)
  }
}

/// What the task of a visit forbids.
extension FormReader {
  /// Refuses a page that asks for a login when the task is not a sign-in.
  func checkLogin(on page: SignInPage) throws(FormDriverError) {
    guard task != .signIn, let field = loginField(on: page) else { return }
    throw unexpected(page, field: field)
  }

  /// Refuses a step that the task does not allow.
  func checkTask(of step: Step, on page: SignInPage) throws(FormDriverError) {
    switch task {
    case .signIn: return
    case .signOut: if isSecretFilled { throw unexpected(page) }
    case .silentSignIn: if !isAutomatic(step, on: page) { throw unexpected(page) }
    }
  }

  /// Whether a browser would do the step without the user.
  func isAutomatic(_ step: Step, on page: SignInPage) -> Bool {
    switch step {
    case .follow(let address, _): address == page.refresh
    case .send(let form, _, let purpose): purpose == .proceed && sendsItself(form, on: page)
    }
  }

  /// Whether the page submits a form by itself, with nothing to enter or decide.
  func sendsItself(_ form: PageForm, on page: SignInPage) -> Bool {
    let buttons = form.controls.filter {
      ($0.isSubmitter || $0.kind == .button) && !$0.isDisabled && !$0.isConcealed
    }
    return page.sendsItself && form.isOnlyHidden && !buttons.contains { agrees($0) }
      && buttons.count { !$0.isForScriptless } <= 1
  }

  /// Whether a form sent to the redirect address is the provider's response.
  ///
  /// Usually it is. But if nothing may be pressed, or a consent is to be denied, it could be a form
  /// for the user to submit.
  func isAnswer(_ form: PageForm, on page: SignInPage) -> Bool {
    if task != .silentSignIn, answers.consent { return true }
    let answer: Set<String> = [
      "code", "id_token", "access_token", "error", "response", "SAMLResponse",
    ]
    return sendsItself(form, on: page)
      || form.controls.contains { $0.kind == .hidden && answer.contains($0.name) }
  }

  /// Converts errors on a page that `prompt=none` forbids to `pageDespitePromptNone`.
  func failure(_ failure: FormDriverError, on page: SignInPage) -> FormDriverError {
    guard task == .silentSignIn else { return failure }
    switch failure.code {
    case .missingAnswer, .answerRefused, .cannotDeny: break
    // In a browser, a script may still continue without input.
    case .noUsableForm where !page.needsScript: break
    default: return failure
    }
    return unexpected(page, field: failure.field)
  }

  private func unexpected(_ page: SignInPage, field: String? = nil) -> FormDriverError {
    failure(task == .signOut ? .loginAtSignOut : .pageDespitePromptNone, on: page, field: field)
  }

  /// Returns the field in which a page asks for a password or user name.
  private func loginField(on page: SignInPage) -> String? {
    for form in page.forms {
      if let slot = passwordSlot(in: form) { return form.controls[slot].title }
    }
    for form in page.forms where !isAside(form) {
      if let slot = Self.usernameSlot(in: form, before: nil) { return form.controls[slot].title }
    }
    return nil
  }
}
