internal import HTTP

/// Denies consents, and prevents that one is given by mistake.
extension FormReader {
  /// Finds the button or link that denies.
  func denial(on page: SignInPage) throws(FormDriverError) -> Step? {
    guard !answers.consent else { return nil }
    // Forms that ask for a code have a cancel button, too.
    let forms = page.forms.filter { !isAside($0) && !asksForEntry($0) }
    for form in forms {
      guard let button = form.submitters.first(where: { refuses($0) }) else { continue }
      guard hasOtherWay(than: button, on: page) else { continue }
      try checkDenial(form, button, on: page)
      return .send(form, submitter: button, .deny)
    }
    guard asksForConsent(page) || page.forms.isEmpty && !acceptingLinks(on: page).isEmpty,
      !page.forms.contains(where: { asksForEntry($0) }),
      let link = page.links.first(where: { Vocabulary.mentions(Vocabulary.denyLink, in: $0.text) })
    else { return nil }
    try checkDenial(link, on: page)
    return .follow(link.address, .deny)
  }

  /// Whether the page offers anything besides a deny button; otherwise there is nothing to deny.
  private func hasOtherWay(than button: FormControl, on page: SignInPage) -> Bool {
    page.forms.contains { form in form.submitters.contains { $0.position != button.position } }
      || !acceptingLinks(on: page).isEmpty
  }

  private func acceptingLinks(on page: SignInPage) -> [SignInPage.Link] {
    page.links.filter {
      Vocabulary.mentions(accepting, in: $0.text) && !Vocabulary.mentions(denying, in: $0.text)
    }
  }

  /// Whether a form asks for input, as in a login with several steps.
  private func asksForEntry(_ form: PageForm) -> Bool {
    form.controls.contains { control in
      Self.isFillable(control) && !control.isReadOnly
        && (Self.isCode(control) && control.value.isEmpty
          || answers.fields.keys.contains { Self.isNamed(control, $0) })
    }
  }

  /// Checks that the provider can distinguish a denial from an acceptance.
  ///
  /// Without scripts the provider receives only the form data, so these must say no, or differ from the data of
  /// every other button. In a browser a script may make the difference, so there the button is pressed.
  private func checkDenial(
    _ form: PageForm, _ button: FormControl, on page: SignInPage
  ) throws(FormDriverError) {
    if runsScripts { return }
    let others = page.forms.filter { !isAside($0) }.flatMap { other in
      other.submitters.filter { $0.position != button.position && !refuses($0) }.map { (other, $0) }
    }
    // Each is compared as a whole form, so their number must be limited.
    guard others.count <= 100 else {
      throw failure(
        .cannotDeny, on: page, field: button.title,
        because: "it has too many buttons to find those that accept")
    }
    for (other, accepting) in others {
      try checkDenial(form, button, against: other, accepting, on: page)
    }
    if saysNo(form, button) { return }
    guard others.contains(where: { accepts($0.1) }) || !acceptingLinks(on: page).isEmpty else {
      throw failure(
        .cannotDeny, on: page, field: button.title, because: "nothing that its button sends says no"
      )
    }
    if let script = form.controls.first(where: { Self.isScripted($0) && !denies($0) }) {
      throw failure(
        .cannotDeny, on: page, field: script.title,
        because: "its button to accept works by a script")
    }
  }

  /// Checks the denial against one form and button that would accept.
  func checkDenial(
    _ form: PageForm, _ button: FormControl?, against other: PageForm, _ accepting: FormControl?,
    on page: SignInPage
  ) throws(FormDriverError) {
    guard !runsScripts, let denial = FormSubmission(form, submitter: button, on: page),
      let acceptance = FormSubmission(other, submitter: accepting, on: page),
      acceptance.isSame(as: denial)
    else { return }
    throw failure(
      .cannotDeny, on: page, field: button?.title,
      because: "to accept and to deny send the same data")
  }

  /// Whether the form data say no: in the button's name or value, or in the path they are sent to.
  private func saysNo(_ form: PageForm, _ button: FormControl) -> Bool {
    let path = (button.formAction ?? form.action ?? "").prefix { $0 != "?" && $0 != "#" }
    return [path.split(separator: "/").last.map { String($0) } ?? "", button.name, button.value]
      .contains { Vocabulary.mentions(Vocabulary.deny, in: $0) }
  }

  /// Checks that a deny link leads neither to its own page, as script links do, nor where an accept link leads.
  private func checkDenial(
    _ link: SignInPage.Link, on page: SignInPage
  ) throws(FormDriverError) {
    if runsScripts { return }
    let target = link.address.with(fragment: nil)
    if target == page.url.with(fragment: nil) {
      throw failure(
        .cannotDeny, on: page, field: link.text, because: "its link to deny works by a script")
    }
    guard acceptingLinks(on: page).contains(where: { $0.address.with(fragment: nil) == target })
    else { return }
    throw failure(
      .cannotDeny, on: page, field: link.text, because: "to accept and to deny lead to one address")
  }

  /// Refuses a step that may give a consent that is to be denied.
  ///
  /// A login, an account choice and a page that submits itself give no consent. Any other page may
  /// ask for one in words outside our vocabulary, so only a denial is sent there.
  func checkRefusal(by step: Step, on page: SignInPage) throws(FormDriverError) {
    guard !answers.consent, !isAutomatic(step, on: page) else { return }
    switch step {
    case .follow(_, .deny), .follow(_, .choice), .send(_, _, .deny): return
    case .follow:
      throw failure(.cannotDeny, on: page, because: "it has a link to go on and none to deny")
    case .send(let form, let button, let purpose):
      let isLogin = [.login, .username, .choice].contains(purpose) || isSecretFilled
      if isLogin, !agrees(button) { return }
      let isStaying = purpose == .proceed && button.map { refuses($0) } == true
      if isStaying, let button { return try checkDenial(form, button, on: page) }
      let denying = form.controls.first { Self.isScripted($0) && denies($0) }
      throw failure(
        .cannotDeny, on: page, field: (denying ?? button)?.title,
        because: denying != nil
          ? "its button to deny works by a script" : "it has a button to accept and none to deny")
    }
  }

  /// Whether a button works only with scripts.
  private static func isScripted(_ control: FormControl) -> Bool {
    control.kind == .button && control.type != "reset" && !control.isDisabled
      && !control.isConcealed
  }
}

extension FormSubmission {
  /// Whether a server receives the same request from both.
  ///
  /// Compares the fields of a multipart body, because its boundary is random.
  fileprivate func isSame(as other: FormSubmission) -> Bool {
    method == other.method && url == other.url && fields.elementsEqual(other.fields, by: ==)
  }
}
