internal import HTTP

/// Consent pages, account choosers, and pages that look similar.
extension FormReader {
  /// Handles an offer to stay signed in, which is not a consent although it has yes and no.
  func staying(on page: SignInPage) -> Step? {
    guard Vocabulary.mentions(Vocabulary.staySignedIn, in: "\(page.title) \(page.heading)") else {
      return nil
    }
    for form in page.forms where !isAside(form) {
      // If consent is denied, decline: the page may be a consent after all.
      let button = form.submitters.first { answers.consent ? accepts($0) : refuses($0) }
      if let button { return .send(form, submitter: button, .proceed) }
    }
    return nil
  }

  mutating func consent(on page: SignInPage) throws(FormDriverError) -> Step? {
    if let step = try decision(on: page) { return step }
    guard asksForConsent(page) else { return nil }
    guard answers.consent else { return try denial(on: page) }
    for var form in page.forms where !isAside(form) {
      guard let button = form.submitters.first(where: { accepts($0) }) else { continue }
      Self.tick(&form)
      try fillOthers(in: &form, on: page)
      return .send(form, submitter: button, .accept)
    }
    return nil
  }

  /// Handles a consent chosen by radio buttons or from a list, with a neutral submit button.
  private mutating func decision(on page: SignInPage) throws(FormDriverError) -> Step? {
    for var form in page.forms where !isAside(form) {
      guard let place = Self.decisionPlaces(in: form, accepting: answers.consent).first else {
        continue
      }
      let submitter = mainSubmitter(of: form)
      if let submitter, denies(submitter) { continue }
      if answers.consent {
        Self.choose(place, in: &form)
        Self.tick(&form)
      } else {
        // If buttons decide on the consent, this question is a different one, such as whether to remember it.
        if form.submitters.contains(where: { denies($0) }) { continue }
        if agrees(submitter), !Self.isConsent(form) { continue }
        try deny(in: &form, on: page)
      }
      try fillOthers(in: &form, on: page)
      return .send(form, submitter: submitter, answers.consent ? .accept : .deny)
    }
    return nil
  }

  /// Denies a consent that is part of a login form; false when there is none.
  ///
  /// - Throws: `cannotDeny` for a box that is required for the login and may give consent.
  func denyBesideLogin(
    in form: inout PageForm, on page: SignInPage
  ) throws(FormDriverError) -> Bool {
    guard !answers.consent else { return false }
    let box = form.controls.first { control in
      control.kind == .checkbox && control.isRequired && !control.isDisabled
        && Vocabulary.mentions(Vocabulary.agree, in: control.label)
    }
    if let box {
      throw failure(
        .cannotDeny, on: page, field: box.title,
        because: "its login needs a box to be ticked that may be the consent")
    }
    guard Self.isConsent(form) else { return false }
    try deny(in: &form, on: page)
    return true
  }

  /// Answers the form's questions with no, if the server can distinguish that from yes.
  private func deny(in form: inout PageForm, on page: SignInPage) throws(FormDriverError) {
    let acceptance = Self.decided(form, accepting: true)
    form = Self.decided(form, accepting: false)
    let submitter = mainSubmitter(of: form)
    try checkDenial(form, submitter, against: acceptance, submitter, on: page)
  }

  private static func choose(_ place: DecisionPlace, in form: inout PageForm) {
    switch place {
    case .radio(let slot): form.checkRadio(at: slot)
    case .option(let slot, let chosen):
      for option in form.controls[slot].options.indices {
        form.controls[slot].options[option].isSelected = option == chosen
      }
    }
  }

  /// Gives all questions of the form the same answer, because any of them may be the consent.
  private static func decided(_ form: PageForm, accepting: Bool) -> PageForm {
    var decided = form
    let places = decisionPlaces(in: form, accepting: accepting)
    var chosen: [String: Int] = [:]
    for case .radio(let slot) in places { chosen[form.controls[slot].name] = slot }
    for slot in form.controls.indices where form.controls[slot].kind == .radio {
      if let wanted = chosen[form.controls[slot].name] {
        decided.controls[slot].isChecked = slot == wanted
      }
    }
    for case .option(let slot, let option) in places {
      choose(.option(slot, of: option), in: &decided)
    }
    return decided
  }

  /// Whether a question of the form has an option that clearly agrees to something, beyond a plain yes.
  private static func isConsent(_ form: PageForm) -> Bool {
    decisionPlaces(in: form, accepting: true).contains { place in
      let texts =
        switch place {
        case .radio(let slot): [form.controls[slot].value, form.controls[slot].label]
        case .option(let slot, let chosen):
          [form.controls[slot].options[chosen].value, form.controls[slot].options[chosen].text]
        }
      return texts.contains { Vocabulary.mentions(Vocabulary.agree, in: $0) }
    }
  }

  private enum DecisionPlace {
    case radio(Int)
    case option(Int, of: Int)
  }

  /// Finds the yes/no questions of a form: groups of radio buttons, then short lists.
  private static func decisionPlaces(in form: PageForm, accepting: Bool) -> [DecisionPlace] {
    func means(_ yes: Bool, _ texts: [String]) -> Bool {
      let isDenied = texts.contains { Vocabulary.mentions(Vocabulary.deny, in: $0) }
      if !yes { return isDenied }
      return !isDenied && texts.contains { Vocabulary.mentions(Vocabulary.accept, in: $0) }
    }
    var wanted: [(name: String, slot: Int)] = []
    var known: Set<String> = []
    var opposed: Set<String> = []
    var lists: [DecisionPlace] = []
    for (slot, control) in form.controls.enumerated() {
      switch control.kind {
      case .radio where !control.isDisabled:
        let texts = [control.value, control.label]
        if means(!accepting, texts) { opposed.insert(control.name) }
        if means(accepting, texts), known.insert(control.name).inserted {
          wanted.append((control.name, slot))
        }
      case .select where control.options.count <= 4:
        guard control.options.contains(where: { means(!accepting, [$0.value, $0.text]) }),
          let chosen = control.options.firstIndex(where: {
            !$0.isDisabled && means(accepting, [$0.value, $0.text])
          })
        else { continue }
        lists.append(.option(slot, of: chosen))
      default: continue
      }
    }
    return wanted.filter { opposed.contains($0.name) }.map { DecisionPlace.radio($0.slot) } + lists
  }

  func asksForConsent(_ page: SignInPage) -> Bool {
    let buttons = page.forms.filter { !isAside($0) }.flatMap(\.submitters)
    return buttons.contains { accepts($0) }
      && (buttons.contains { denies($0) }
        || page.links.contains { Vocabulary.mentions(Vocabulary.denyLink, in: $0.text) })
  }

  /// Ticks required boxes, and all requested scopes if none of them is ticked.
  private static func tick(_ form: inout PageForm) {
    let boxes = form.controls.indices.filter {
      let box = form.controls[$0]
      return box.kind == .checkbox && !box.isDisabled && !box.isConcealed
    }
    let scopes = boxes.filter {
      Vocabulary.mentions(
        Vocabulary.scope, in: "\(form.controls[$0].name) \(form.controls[$0].identifier)")
    }
    let isNoneTicked = !scopes.contains { form.controls[$0].isChecked }
    for slot in boxes
    where form.controls[slot].isRequired || isNoneTicked && scopes.contains(slot) {
      form.controls[slot].isChecked = true
    }
  }

  func choice(on page: SignInPage) -> Step? {
    if let step = exactChoice(on: page) { return step }
    for form in page.forms {
      if let button = form.submitters.first(where: { Self.says(Vocabulary.otherAccount, $0) }) {
        return .send(form, submitter: button, .choice)
      }
    }
    let link = page.links.first { Vocabulary.mentions(Vocabulary.otherAccount, in: $0.text) }
    return link.map { .follow($0.address, .choice) }
  }

  /// Finds the user's account among the buttons, radio buttons and links of the page.
  func exactChoice(on page: SignInPage) -> Step? {
    let wanted = answers.username.lowercased()
    guard wanted.utf8.count > 2 else { return nil }
    func words(_ text: String) -> [Substring] {
      text.lowercased().split { $0.isWhitespace || "<>(),;".contains($0) }
    }
    func names(_ text: String) -> Bool { words(text).contains { $0 == wanted } }
    // "Continue as ada@idp.example" chooses an account and gives consent at once.
    func mayAgree(_ text: String) -> Bool {
      let others = words(text).filter { $0 != wanted }.joined(separator: " ")
      return !answers.consent && Vocabulary.mentions(accepting, in: others)
    }
    for var form in page.forms {
      if form.controls.contains(where: { Self.isFillable($0) && $0.kind == .password }) { continue }
      if let button = form.submitters.first(where: {
        (names($0.label) || names($0.value)) && !mayAgree($0.label)
      }) {
        return .send(form, submitter: button, .choice)
      }
      if let slot = form.controls.firstIndex(where: {
        $0.kind == .radio && !$0.isDisabled && (names($0.label) || names($0.value))
      }) {
        form.checkRadio(at: slot)
        return .send(form, submitter: mainSubmitter(of: form), .choice)
      }
    }
    let isLogin = page.forms.contains { $0.controls.contains { $0.kind == .password } }
    if isLogin { return nil }
    return page.links.first { names($0.text) && !mayAgree($0.text) }
      .map { .follow($0.address, .choice) }
  }
}

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
        .cannotDeny, on: page, field: button.title, because: "its button sends no refusal"
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
