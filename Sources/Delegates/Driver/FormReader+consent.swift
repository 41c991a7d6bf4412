internal import HTTP

/// Consents, choices of accounts, and what looks like either.
extension FormReader {
  /// A page that offers to remember the person, which is no consent although it says yes and no.
  func staying(on page: SignInPage) -> Step? {
    guard Vocabulary.mentions(Vocabulary.staySignedIn, in: "\(page.title) \(page.heading)") else {
      return nil
    }
    for form in page.forms where !isAside(form) {
      if let button = form.submitters.first(where: { accepts($0) }) {
        return .send(form, submitter: button, .proceed)
      }
    }
    return nil
  }

  mutating func consent(on page: SignInPage) throws(FormDriverError) -> Step? {
    if let step = try decision(on: page) { return step }
    guard asksForConsent(page) else { return nil }
    for var form in page.forms where !isAside(form) {
      let wanted = form.submitters.first { answers.consent ? accepts($0) : denies($0) }
      guard let button = wanted else { continue }
      if answers.consent {
        Self.tick(&form)
        try fillOthers(in: &form, on: page)
      } else {
        try checkDenial(form, button, on: page)
      }
      return .send(form, submitter: button, answers.consent ? .accept : .deny)
    }
    if answers.consent { return nil }
    guard
      let link = page.links.first(where: { Vocabulary.mentions(Vocabulary.denyLink, in: $0.text) })
    else { return nil }
    try checkDenial(link, on: page)
    return .follow(link.address, .deny)
  }

  /// A consent that is chosen by radio buttons or from a list, and sent by a button that says
  /// neither.
  private mutating func decision(on page: SignInPage) throws(FormDriverError) -> Step? {
    for var form in page.forms where !isAside(form) {
      guard let place = Self.decisionPlace(in: form, accepting: answers.consent) else { continue }
      let submitter = mainSubmitter(of: form)
      if let submitter, denies(submitter) { continue }
      Self.choose(place, in: &form)
      if answers.consent {
        Self.tick(&form)
      } else if let opposite = Self.decisionPlace(in: form, accepting: true) {
        try checkDecision(form, against: opposite, submitter, on: page)
      }
      try fillOthers(in: &form, on: page)
      return .send(form, submitter: submitter, answers.consent ? .accept : .deny)
    }
    return nil
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

  /// Refuses a denial whose form would be the same if it accepted.
  private func checkDecision(
    _ denial: PageForm, against opposite: DecisionPlace, _ submitter: FormControl?,
    on page: SignInPage
  ) throws(FormDriverError) {
    var acceptance = denial
    Self.choose(opposite, in: &acceptance)
    try checkDenial(denial, submitter, against: acceptance, submitter, on: page)
  }

  private enum DecisionPlace {
    case radio(Int)
    case option(Int, of: Int)
  }

  private static func decisionPlace(in form: PageForm, accepting: Bool) -> DecisionPlace? {
    func means(_ yes: Bool, _ texts: [String]) -> Bool {
      let isDenied = texts.contains { Vocabulary.mentions(Vocabulary.deny, in: $0) }
      if !yes { return isDenied }
      return !isDenied && texts.contains { Vocabulary.mentions(Vocabulary.accept, in: $0) }
    }
    let radios = form.controls.indices.filter {
      form.controls[$0].kind == .radio && !form.controls[$0].isDisabled
    }
    func texts(_ index: Int) -> [String] {
      [form.controls[index].value, form.controls[index].label]
    }
    if let slot = radios.first(where: { means(accepting, texts($0)) }),
      radios.contains(where: {
        form.controls[$0].name == form.controls[slot].name && means(!accepting, texts($0))
      })
    {
      return .radio(slot)
    }
    for slot in form.controls.indices where form.controls[slot].kind == .select {
      let options = form.controls[slot].options
      guard options.count <= 4,
        options.contains(where: { means(!accepting, [$0.value, $0.text]) }),
        let chosen = options.firstIndex(where: {
          !$0.isDisabled && means(accepting, [$0.value, $0.text])
        })
      else { continue }
      return .option(slot, of: chosen)
    }
    return nil
  }

  func asksForConsent(_ page: SignInPage) -> Bool {
    let buttons = page.forms.filter { !isAside($0) }.flatMap(\.submitters)
    return buttons.contains { accepts($0) }
      && (buttons.contains { denies($0) }
        || page.links.contains { Vocabulary.mentions(Vocabulary.denyLink, in: $0.text) })
  }

  /// Ticks what must be ticked, and the scopes that are asked for when none of them is.
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

  /// The account of our person among those the page offers, as button, radio button or link.
  func exactChoice(on page: SignInPage) -> Step? {
    let wanted = answers.username.lowercased()
    guard wanted.utf8.count > 2 else { return nil }
    func names(_ text: String) -> Bool {
      text.lowercased().split { $0.isWhitespace || "<>(),;".contains($0) }.contains { $0 == wanted }
    }
    for var form in page.forms {
      if form.controls.contains(where: { Self.isFillable($0) && $0.kind == .password }) { continue }
      if let button = form.submitters.first(where: { names($0.label) || names($0.value) }) {
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
    return page.links.first { names($0.text) }.map { .follow($0.address, .choice) }
  }
}
