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
}
