internal import Encoding
internal import HTTP

/// Decides, page by page, what the person would do next.
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

  enum Purpose: Equatable { case login, username, accept, deny, choice, proceed }

  let answers: SignInAnswers
  /// Origins that have had the password or the user name: asking again means no.
  private var passwordSent: Set<String> = []
  private var usernameSent: Set<String> = []
  /// Origins where a page meant for somebody else was left, which is tried once.
  private var turnedBack: Set<String> = []

  init(answers: SignInAnswers) { self.answers = answers }

  mutating func step(on page: SignInPage, status: Int) throws(FormDriverError) -> Step {
    if let step = try login(on: page) { return step }
    if let step = try username(on: page) { return step }
    if status >= 400 { throw failure(.errorPage, on: page, status: status) }
    if let step = consent(on: page) ?? choice(on: page) { return step }
    if let step = try proceed(on: page) { return step }
    if let refresh = page.refresh { return .follow(refresh, .proceed) }
    let words = "\(page.title) \(page.heading) \(page.message ?? "")"
    // A page that scripts have yet to build says in an alert, without a heading, that it is loading.
    let isLoading = page.needsScript && page.heading.isEmpty
    let isTrouble =
      Vocabulary.mentions(Vocabulary.trouble, in: words) || (page.message != nil && !isLoading)
    throw failure(isTrouble ? .errorPage : .noUsableForm, on: page)
  }

  // MARK: Login

  private mutating func login(on page: SignInPage) throws(FormDriverError) -> Step? {
    let candidates = page.forms.filter { form in
      let passwords = form.controls.filter { Self.isFillable($0) && $0.kind == .password }
      // Two of them are a form for a new account or a new password.
      return passwords.count == 1 && passwords[0].autocomplete != "new-password"
    }
    guard var form = candidates.first,
      let slot = form.controls.firstIndex(where: { Self.isFillable($0) && $0.kind == .password })
    else { return nil }
    let field = form.controls[slot].title
    if let step = otherPerson(in: form, on: page) { return step }
    guard let password = answers.password else {
      throw failure(.missingAnswer, on: page, field: field)
    }
    guard passwordSent.insert(page.url.origin).inserted else {
      throw failure(.passwordRefused, on: page, field: field)
    }
    form.controls[slot].value = password.reveal()
    if let name = Self.usernameSlot(in: form, before: slot) { setUsername(in: &form, at: name) }
    try fillOthers(in: &form, on: page)
    return .send(form, submitter: Self.mainSubmitter(of: form), .login)
  }

  /// The way back from a password page that a login hint opened for somebody else.
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
    // A choice that is already on the page spares the typing.
    if !Self.asksForConsent(page), let step = exactChoice(on: page) { return step }
    for var form in page.forms where !Self.isAside(form) {
      guard let slot = Self.usernameSlot(in: form, before: nil) else { continue }
      guard usernameSent.insert(page.url.origin).inserted else {
        throw failure(.usernameRefused, on: page, field: form.controls[slot].title)
      }
      setUsername(in: &form, at: slot)
      try fillOthers(in: &form, on: page)
      return .send(form, submitter: Self.mainSubmitter(of: form), .username)
    }
    return nil
  }

  private func setUsername(in form: inout PageForm, at slot: Int) {
    if !form.controls[slot].isReadOnly { form.controls[slot].value = answers.username }
  }

  /// Answers by name or label for what is neither user name nor password; boxes that must be ticked.
  private func fillOthers(in form: inout PageForm, on page: SignInPage) throws(FormDriverError) {
    for slot in form.controls.indices {
      let control = form.controls[slot]
      guard !control.isDisabled, !control.isConcealed else { continue }
      if let answer = answers.fields.first(where: { Self.isNamed(control, $0.key) })?.value.reveal()
      {
        switch control.kind {
        case .text, .password, .textarea: form.controls[slot].value = answer
        case .checkbox: form.controls[slot].isChecked = answer != "" && answer != "false"
        case .radio: form.controls[slot].isChecked = control.value == answer
        case .select:
          for option in control.options.indices {
            form.controls[slot].options[option].isSelected =
              control.options[option].value == answer || control.options[option].text == answer
          }
        default: break
        }
        continue
      }
      switch control.kind {
      case .checkbox: if control.isRequired { form.controls[slot].isChecked = true }
      case .radio:
        let group = form.controls.filter { $0.kind == .radio && $0.name == control.name }
        if control.isRequired, !group.contains(where: \.isChecked) {
          form.controls[slot].isChecked = true
        }
      case .text, .password, .textarea:
        if control.isRequired, control.value.isEmpty {
          throw failure(.missingAnswer, on: page, field: control.title)
        }
      default: break
      }
    }
  }

  // MARK: Consent and choices

  private func consent(on page: SignInPage) -> Step? {
    guard Self.asksForConsent(page) else { return nil }
    if answers.consent {
      for form in page.forms where !Self.isAside(form) {
        if let button = form.submitters.first(where: { Self.says(Vocabulary.accept, $0) }) {
          return .send(Self.ticked(form), submitter: button, .accept)
        }
      }
      return nil
    }
    for form in page.forms where !Self.isAside(form) {
      if let button = form.submitters.first(where: { Self.says(Vocabulary.deny, $0) }) {
        return .send(form, submitter: button, .deny)
      }
    }
    let way = page.links.first { Vocabulary.mentions(Vocabulary.denyLink, in: $0.text) }
    return way.map { .follow($0.address, .deny) }
  }

  private static func asksForConsent(_ page: SignInPage) -> Bool {
    let buttons = page.forms.filter { !isAside($0) }.flatMap(\.submitters)
    return buttons.contains { says(Vocabulary.accept, $0) }
      && (buttons.contains { says(Vocabulary.deny, $0) }
        || page.links.contains { Vocabulary.mentions(Vocabulary.denyLink, in: $0.text) })
  }

  private static func ticked(_ form: PageForm) -> PageForm {
    var form = form
    for slot in form.controls.indices
    where form.controls[slot].kind == .checkbox && form.controls[slot].isRequired {
      form.controls[slot].isChecked = true
    }
    return form
  }

  private func choice(on page: SignInPage) -> Step? {
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
  private func exactChoice(on page: SignInPage) -> Step? {
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
        for other in form.controls.indices
        where form.controls[other].kind == .radio
          && form.controls[other].name == form.controls[slot].name
        {
          form.controls[other].isChecked = other == slot
        }
        return .send(form, submitter: Self.mainSubmitter(of: form), .choice)
      }
    }
    let isLogin = page.forms.contains { $0.controls.contains { $0.kind == .password } }
    if isLogin { return nil }
    return page.links.first { names($0.text) }.map { .follow($0.address, .choice) }
  }

  // MARK: Everything else

  /// A page with one thing to press, or a form that a script would send by itself.
  private func proceed(on page: SignInPage) throws(FormDriverError) -> Step? {
    for var form in page.forms where !Self.isAside(form) && !form.controls.isEmpty {
      let wantsWords = form.controls.contains { Self.isFillable($0) && $0.isRequired }
      let isAnswered = form.controls.contains { control in
        answers.fields.keys.contains { Self.isNamed(control, $0) }
      }
      if wantsWords || isAnswered {
        try fillOthers(in: &form, on: page)
        return .send(form, submitter: Self.mainSubmitter(of: form), .proceed)
      }
      guard page.message == nil else { continue }
      if form.isOnlyHidden || !form.submitters.isEmpty {
        let button = Self.mainSubmitter(of: form)
        if let button, Self.says(Vocabulary.deny, button), form.submitters.count == 1 { continue }
        return .send(form, submitter: button, .proceed)
      }
    }
    guard page.forms.isEmpty, page.message == nil else { return nil }
    let link = page.links.first { Vocabulary.mentions(Vocabulary.accept, in: $0.text) }
    return link.map { .follow($0.address, .proceed) }
  }
}
