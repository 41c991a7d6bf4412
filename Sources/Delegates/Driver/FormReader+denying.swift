internal import HTTP

/// How a consent that shall be denied is not given by mistake.
extension FormReader {
  /// The button or the link that denies what the page asks.
  func denial(on page: SignInPage) throws(FormDriverError) -> Step? {
    guard !answers.consent else { return nil }
    // A page that asks for a code has a button to cancel as well.
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

  /// Whether the page has anything to press besides a button that denies: else there is nothing to deny.
  private func hasOtherWay(than button: FormControl, on page: SignInPage) -> Bool {
    page.forms.contains { form in form.submitters.contains { $0.position != button.position } }
      || !acceptingLinks(on: page).isEmpty
  }

  private func acceptingLinks(on page: SignInPage) -> [SignInPage.Link] {
    page.links.filter {
      Vocabulary.mentions(accepting, in: $0.text) && !Vocabulary.mentions(denying, in: $0.text)
    }
  }

  /// Whether a form wants to know something of the person, as for a login in several steps.
  private func asksForEntry(_ form: PageForm) -> Bool {
    form.controls.contains { control in
      Self.isFillable(control) && !control.isReadOnly
        && (Self.isCode(control) && control.value.isEmpty
          || answers.fields.keys.contains { Self.isNamed(control, $0) })
    }
  }

  /// Refuses to send a denial that the provider could not tell from an acceptance.
  ///
  /// Without scripts a form is all that the provider receives, so its data must say no, or differ from
  /// what every other button sends. In a browser a script may make the difference, so there the button
  /// is pressed.
  private func checkDenial(
    _ form: PageForm, _ button: FormControl, on page: SignInPage
  ) throws(FormDriverError) {
    if runsScripts { return }
    let others = page.forms.filter { !isAside($0) }.flatMap { other in
      other.submitters.filter { $0.position != button.position && !refuses($0) }.map { (other, $0) }
    }
    // Each is compared as a whole form, so there must be an end.
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

  /// The same for one form and button that would accept.
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

  /// Whether the data of a form say no: in what its button sends, or where that sends it.
  private func saysNo(_ form: PageForm, _ button: FormControl) -> Bool {
    let path = (button.formAction ?? form.action ?? "").prefix { $0 != "?" && $0 != "#" }
    return [path.split(separator: "/").last.map { String($0) } ?? "", button.name, button.value]
      .contains { Vocabulary.mentions(Vocabulary.deny, in: $0) }
  }

  /// Refuses a link to deny that leads to its own page, as those of scripts do, or where a link to
  /// accept leads.
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

  /// Refuses a step that may give the consent that shall be denied.
  ///
  /// A login, a choice of accounts and a page that sends itself give none. Any other page may ask for one
  /// in words that are not in the vocabulary, so nothing but a denial is sent there.
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

  /// Whether a button does nothing without a script.
  private static func isScripted(_ control: FormControl) -> Bool {
    control.kind == .button && control.type != "reset" && !control.isDisabled
      && !control.isConcealed
  }
}

extension FormSubmission {
  /// Whether a server receives the same request from both.
  ///
  /// A multipart body is compared by its fields, as its boundary is random.
  fileprivate func isSame(as other: FormSubmission) -> Bool {
    method == other.method && url == other.url && fields.elementsEqual(other.fields, by: ==)
  }
}
