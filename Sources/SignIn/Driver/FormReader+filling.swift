internal import System
internal import HTTP

extension FormReader {
  /// Whether a user could type into the control.
  static func isFillable(_ control: FormControl) -> Bool {
    guard !control.isDisabled, !control.isConcealed else { return false }
    return [.text, .password, .textarea].contains(control.kind)
  }

  /// Finds the user name field: by autocomplete, type, name and label, in this order.
  ///
  /// If a password field follows, the only other text field before it is the user name, whatever its name.
  static func usernameSlot(in form: PageForm, before password: Int?) -> Int? {
    let slots = form.controls.indices.filter {
      let control = form.controls[$0]
      return isFillable(control) && control.kind == .text && control.type != "search"
        && !["checkbox", "number", "date", "range", "color", "url"].contains(control.type)
    }
    func first(_ test: (FormControl) -> Bool) -> Int? { slots.first { test(form.controls[$0]) } }
    if let slot = first({ $0.autocomplete.contains("username") }) { return slot }
    if let slot = first({ $0.type == "email" || $0.autocomplete.contains("email") }) { return slot }
    let byName = first {
      let words = "\($0.name) \($0.identifier)"
      return isUsername(words) && !Vocabulary.mentions(Vocabulary.notUsername, in: words)
    }
    if let byName { return byName }
    let byLabel = first {
      Vocabulary.mentions(Vocabulary.username, in: $0.label)
        && !Vocabulary.mentions(Vocabulary.notUsername, in: "\($0.name) \($0.label)")
    }
    if let byLabel { return byLabel }
    guard let password else { return nil }
    let earlier = slots.filter { $0 < password }
    return earlier.count == 1 ? earlier[0] : nil
  }

  /// Whether the control contains the user's e-mail address and cannot be changed.
  static func isFixedUsername(_ control: FormControl) -> Bool {
    guard control.kind == .hidden || control.isReadOnly, control.value.contains("@") else {
      return false
    }
    return control.type == "email" || isUsername("\(control.name) \(control.identifier)")
  }

  private static func isUsername(_ name: String) -> Bool {
    let low = name.lowercased()
    return ["user", "login", "mail", "identifier", "account", "upn"].contains { low.contains($0) }
  }

  /// Whether a form has another purpose than signing in: search, language, registration.
  func isAside(_ form: PageForm) -> Bool {
    let aside = task == .signOut ? Vocabulary.asideOfSignOut : Vocabulary.aside
    if form.role == "search" { return true }
    if form.controls.contains(where: { $0.type == "search" || Self.isSearchBox($0) }) {
      return true
    }
    let path = (form.action ?? "").prefix { $0 != "?" && $0 != "#" }
    if Vocabulary.mentions(aside, in: "\(form.identifier) \(form.name) \(path)") {
      return true
    }
    let visible = form.controls.filter { $0.kind != .hidden }
    if !visible.isEmpty, visible.allSatisfy({ $0.kind == .select || $0.kind == .button }) {
      return true
    }
    return !form.submitters.isEmpty
      && form.submitters.allSatisfy {
        Vocabulary.mentions(aside, in: "\($0.name) \($0.value) \($0.label)")
      }
  }

  private static func isSearchBox(_ control: FormControl) -> Bool {
    isFillable(control) && control.kind == .text
      && ["q", "query", "search", "searchterm", "keyword", "keywords"].contains(
        control.name.lowercased())
  }

  /// The labels of buttons that agree.
  var accepting: WordList {
    task == .signOut ? Vocabulary.acceptSignOut : Vocabulary.accept
  }

  /// The labels of buttons that refuse.
  var denying: WordList { task == .signOut ? Vocabulary.denySignOut : Vocabulary.deny }

  /// Whether a button says yes: by value, label or other names, in this order.
  func accepts(_ button: FormControl) -> Bool {
    // Cookie notices are not part of the sign-in.
    if Vocabulary.mentions(Vocabulary.cookies, in: button.label) { return false }
    for text in Self.texts(of: button) {
      // "Don't allow" and "I do not agree" contain words of both lists.
      if Vocabulary.mentions(denying, in: text) { return false }
      if Vocabulary.mentions(accepting, in: text) { return true }
    }
    return false
  }

  /// Whether a button gives consent, rather than just leading to the next page.
  func agrees(_ button: FormControl?) -> Bool {
    guard let button, accepts(button) else { return false }
    let agreeing = task == .signOut ? Vocabulary.agreeToSignOut : Vocabulary.agree
    return Self.says(agreeing, button)
  }

  /// Whether a button says no and not yes.
  func refuses(_ button: FormControl) -> Bool { denies(button) && !accepts(button) }

  /// Whether a button says no, even if it also says yes.
  func denies(_ button: FormControl) -> Bool { Self.says(denying, button) }

  /// Whether a button means no, in any task.
  static func denies(_ button: FormControl) -> Bool { says(Vocabulary.deny, button) }

  static func says(_ words: WordList, _ button: FormControl) -> Bool {
    if Vocabulary.mentions(Vocabulary.cookies, in: button.label) { return false }
    return texts(of: button).contains { Vocabulary.mentions(words, in: $0) }
  }

  static func texts(of button: FormControl) -> [String] {
    // The name comes last, because yes and no buttons often share it.
    [button.value, button.label] + button.names + ["\(button.name) \(button.identifier)"]
  }

  /// Finds the button that continues: the first that does not go back or elsewhere.
  func mainSubmitter(of form: PageForm) -> FormControl? {
    let onward = form.submitters.filter { !denies($0) }
    let direct = onward.first { button in
      !Vocabulary.mentions(
        Vocabulary.sideways,
        in: "\(button.name) \(button.value) \(button.label)")
    }
    return direct ?? onward.first ?? form.submitters.first
  }

  /// Whether an answer's `key` matches the control: by name, id, label or autocomplete.
  static func isNamed(_ control: FormControl, _ key: String) -> Bool {
    let wanted = key.lowercased()
    return [control.name, control.identifier].contains { $0.lowercased() == wanted }
      || isSameLabel(control.label, key)
      || control.autocomplete.split(whereSeparator: \.isWhitespace).contains { $0 == wanted }
  }

  /// Compares labels without the colon or star that they often end in.
  static func isSameLabel(_ one: String, _ other: String) -> Bool {
    func plain(_ text: String) -> Substring {
      var text = PageForm.trimmed(text).lowercased()[...]
      while let last = text.last, last == ":" || last == "*" || last.isWhitespace {
        text.removeLast()
      }
      return text
    }
    return !plain(one).isEmpty && plain(one) == plain(other)
  }

  /// Whether the control asks for a one-time code.
  static func isCode(_ control: FormControl) -> Bool {
    guard isFillable(control), [.text, .password].contains(control.kind) else { return false }
    if control.autocomplete.contains("one-time-code") { return true }
    let named = "\(control.name) \(control.identifier)"
    return Vocabulary.mentions(Vocabulary.code, in: named)
      || Vocabulary.mentions(Vocabulary.codeLabel, in: "\(control.identifier) \(control.label)")
  }

  func setUsername(
    in form: inout PageForm, at slot: Int, on page: SignInPage
  ) throws(FormDriverError) {
    if form.controls[slot].isReadOnly { return }
    try fill(&form.controls[slot], with: answers.username, on: page)
  }

  /// Enters a text, within the limits of the control.
  func fill(
    _ control: inout FormControl, with text: String, on page: SignInPage
  ) throws(FormDriverError) {
    // Only a textarea accepts line breaks (HTML, "value sanitization algorithm").
    let text = control.kind == .textarea ? text : text.filter { !$0.isNewline }
    if let limit = control.maximumLength, limit >= 0, text.utf16.count > limit {
      throw failure(
        .missingAnswer, on: page, field: control.title,
        because: "the answer for it is longer than the \(limit) characters it takes")
    }
    control.value = text
  }

  /// Fills the remaining fields by name or label, and ticks required boxes.
  ///
  /// - Parameter isLogin: whether a code field may stay empty, because login forms may have an
  ///   optional one.
  mutating func fillOthers(
    in form: inout PageForm, on page: SignInPage, isLogin: Bool = false
  ) throws(FormDriverError) {
    // Each group of radio buttons is processed once, however many buttons it has.
    var groups = RadioGroups(form)
    for slot in form.controls.indices {
      let control = form.controls[slot]
      guard !control.isDisabled, !control.isConcealed else { continue }
      let answer = answers.fields.first { Self.isNamed(control, $0.key) }?.value.reveal()
      if control.kind == .radio {
        guard let group = groups.next(control.name, answeredBy: answer) else { continue }
        if let answer {
          try choose(answer, among: group, of: &form, on: page)
        } else {
          try checkUnanswered(group, in: &form, on: page)
        }
      } else if let answer {
        try answerField(slot, in: &form, with: answer, on: page)
      } else {
        try checkUnanswered(slot, in: &form, on: page, isLogin: isLogin)
      }
    }
  }

  private mutating func answerField(
    _ slot: Int, in form: inout PageForm, with answer: String, on page: SignInPage
  ) throws(FormDriverError) {
    let control = form.controls[slot]
    switch control.kind {
    case .text, .password, .textarea:
      if control.isReadOnly { return }
      if control.kind == .password || Self.isCode(control) {
        let place = "\(page.url.origin)\(page.url.path) \(control.title)"
        guard answersSent.insert(place).inserted else {
          throw failure(.answerRefused, on: page, field: control.title)
        }
      }
      // Treat every answer as secret, whatever its field is called.
      isSecretFilled = true
      try fill(&form.controls[slot], with: answer, on: page)
    case .checkbox: form.controls[slot].isChecked = !["", "false", "no", "0"].contains(answer)
    case .select: try select(answer, at: slot, of: &form, on: page)
    default: break
    }
  }

  private func checkUnanswered(
    _ slot: Int, in form: inout PageForm, on page: SignInPage, isLogin: Bool
  ) throws(FormDriverError) {
    let control = form.controls[slot]
    func missing() -> FormDriverError {
      failure(.missingAnswer, on: page, field: control.title)
    }
    switch control.kind {
    case .checkbox: if control.isRequired { form.controls[slot].isChecked = true }
    case .text, .password, .textarea:
      let isNeeded = control.isRequired || !isLogin && Self.isCode(control)
      if isNeeded, !control.isReadOnly, control.value.isEmpty { throw missing() }
    case .select:
      let chosen = control.options.first { $0.isSelected && !$0.isDisabled }
      if control.isRequired, chosen?.value ?? "" == "" { throw missing() }
    case .file: if control.isRequired { throw missing() }
    default: break
    }
  }

  private func checkUnanswered(
    _ group: [Int], in form: inout PageForm, on page: SignInPage
  ) throws(FormDriverError) {
    guard group.contains(where: { form.controls[$0].isRequired }),
      !group.contains(where: { form.controls[$0].isChecked })
    else { return }
    guard group.count == 1 else {
      throw failure(.missingAnswer, on: page, field: form.controls[group[0]].title)
    }
    form.controls[group[0]].isChecked = true
  }

  private func choose(
    _ answer: String, among group: [Int], of form: inout PageForm, on page: SignInPage
  ) throws(FormDriverError) {
    let name = form.controls[group[0]].name
    let chosen =
      group.first { form.controls[$0].value == answer }
      ?? group.first { Self.isSameLabel(form.controls[$0].label, answer) }
    guard let chosen, !form.controls[chosen].isDisabled else {
      throw noChoice(name, of: group.map { form.controls[$0].value }, on: page)
    }
    for other in group { form.controls[other].isChecked = other == chosen }
  }

  private func select(
    _ answer: String, at slot: Int, of form: inout PageForm, on page: SignInPage
  ) throws(FormDriverError) {
    let options = form.controls[slot].options
    let chosen =
      options.firstIndex { $0.value == answer } ?? options.firstIndex { $0.text == answer }
    guard let chosen, !options[chosen].isDisabled else {
      throw noChoice(form.controls[slot].title, of: options.map(\.value), on: page)
    }
    for index in options.indices {
      form.controls[slot].options[index].isSelected = index == chosen
    }
  }

  private func noChoice(
    _ field: String, of values: [String], on page: SignInPage
  ) -> FormDriverError {
    let words = SignInPage.shortened(values.prefix(12).joined(separator: ", "))
    return failure(
      .missingAnswer, on: page, field: field,
      because: "the answer for it is none of its choices: \(words)")
  }
}

/// The radio groups of a form, each to be processed once.
struct RadioGroups {
  private let slots: [String: [Int]]
  private var seen: Set<[String]> = []

  init(_ form: PageForm) {
    let radios = form.controls.indices.filter { form.controls[$0].kind == .radio }
    slots = Dictionary(grouping: radios) { form.controls[$0].name }
  }

  /// Returns a group on the first call with this name and answer.
  mutating func next(_ name: String, answeredBy answer: String?) -> [Int]? {
    guard seen.insert([name] + (answer.map { [$0] } ?? [])).inserted else { return nil }
    return slots[name]
  }
}
