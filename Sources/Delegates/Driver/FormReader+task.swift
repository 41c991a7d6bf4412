internal import HTTP

/// What the task of a visit forbids.
extension FormReader {
  /// Refuses a page that asks who the person is where no sign-in was begun.
  func checkLogin(on page: SignInPage) throws(FormDriverError) {
    guard task != .signIn, let field = loginField(on: page) else { return }
    throw unexpected(page, field: field)
  }

  /// Refuses a step that the task has no place for.
  func checkTask(of step: Step, on page: SignInPage) throws(FormDriverError) {
    switch task {
    case .signIn: return
    case .signOut: if isSecretFilled { throw unexpected(page) }
    case .silentSignIn:
      // A page that hands over by itself shows nothing to the person.
      if step.purpose == .proceed, !isSecretFilled {
        switch step {
        case .follow: return
        case .send(let form, _, _): if form.isOnlyHidden { return }
        }
      }
      throw unexpected(page)
    }
  }

  private func unexpected(_ page: SignInPage, field: String? = nil) -> FormDriverError {
    failure(task == .signOut ? .loginAtSignOut : .pageDespitePromptNone, on: page, field: field)
  }

  /// The field in which a page asks for a password or a user name.
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
