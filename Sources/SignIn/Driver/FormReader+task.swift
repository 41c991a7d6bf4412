internal import HTTP

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
