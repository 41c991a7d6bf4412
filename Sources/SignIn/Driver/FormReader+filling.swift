internal import System
internal import HTTP

extension FormReader {
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
