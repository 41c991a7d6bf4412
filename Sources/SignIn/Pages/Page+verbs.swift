public import System

extension Page {
  /// Waits for an element; fails when there is none or more than one.
  public func wait(for path: ElementPath, within limit: Duration? = nil) async throws(PageError) {
    try await act(on: path, .there, within: limit) { (_) throws(WebDriverError) in }
  }

  /// Returns the number of visible matches, without waiting.
  public func count(_ path: ElementPath) async throws(PageError) -> Int {
    try await turn { () async throws(PageError) in try await look(path).total }
  }

  /// Clicks an element.
  public func click(_ path: ElementPath, within limit: Duration? = nil) async throws(PageError) {
    try await act(on: path, .usable, within: limit) { element throws(WebDriverError) in
      try await session.click(element.element)
    }
  }

  /// Replaces the text of a field.
  public func fill(
    _ path: ElementPath, _ text: Secret, within limit: Duration? = nil
  ) async throws(PageError) {
    let isFilled = try await act(on: path, .writable, within: limit) {
      element throws(WebDriverError) in
      guard Self.isWritable(element) else { return false }
      try await write(text, into: element.element, tag: element.tag, type: element.type)
      return true
    }
    if !isFilled {
      throw await placed(
        PageError(
          .notInteractable, "\(path.words) is not a field that can be written into",
          hint: "use check for boxes, select for drop-downs, upload for files"))
    }
  }

  private static func isWritable(_ element: FoundElement) -> Bool {
    if element.isEditable || element.tag == "textarea" { return true }
    return element.tag == "input"
      && !["checkbox", "radio", "file", "submit", "button", "reset", "image", "hidden"].contains(
        element.type)
  }

  /// Types a text if that produces exactly this text; otherwise sets the value.
  ///
  /// Typing fails for private use characters, which are keys (WebDriver section 17.4.2), for line breaks in
  /// one-line fields, which submit the form, and in chromedriver for characters beyond the first plane.
  func write(
    _ text: Secret, into element: ElementID, tag: String, type: String
  ) async throws(WebDriverError) {
    let isTypeable =
      tag == "textarea" || ["", "text", "password", "email", "search", "tel", "url"].contains(type)
    let isPlain = text.reveal().unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0.value < 0x1_0000 && !(0xE000...0xF8FF).contains($0.value)
    }
    guard tag != "", isTypeable, isPlain, tag == "input" || tag == "textarea" else {
      _ = try await session.execute(
        PageScript.setValue, [element.json, .string(text.reveal())])
      return
    }
    try await session.clear(element)
    if !text.reveal().isEmpty { try await session.type(text, into: element) }
  }

  /// Presses a key, in an element or in the focused one.
  public func press(
    _ key: Keystroke, in path: ElementPath?, within limit: Duration? = nil
  ) async throws(PageError) {
    guard let path else {
      return try await command("press \(key.name)") { session throws(WebDriverError) in
        try await session.perform(actions: key.actions)
      }
    }
    try await act(on: path, .usable, within: limit) { element throws(WebDriverError) in
      _ = try await session.execute("arguments[0].focus();", [element.element.json])
      try await session.perform(actions: key.actions)
    }
  }

  /// Returns the visible text of an element, with white space collapsed.
  public func text(
    of path: ElementPath, within limit: Duration? = nil
  ) async throws(PageError) -> String {
    try await act(on: path, .seen, within: limit) { element throws(WebDriverError) in
      try await session.execute(PageScript.text, [element.element.json]).string ?? ""
    }
  }

  /// Returns the current value of an attribute; nil when it is missing.
  public func attribute(
    _ name: String, of path: ElementPath, within limit: Duration? = nil
  ) async throws(PageError) -> String? {
    try await act(on: path, .there, within: limit) { element throws(WebDriverError) in
      try await session.execute(
        "return arguments[0].getAttribute(arguments[1]);", [element.element.json, .string(name)]
      ).string
    }
  }

  /// Returns the text of a field.
  public func value(
    of path: ElementPath, within limit: Duration? = nil
  ) async throws(PageError) -> String {
    try await act(on: path, .there, within: limit) { element throws(WebDriverError) in
      try await session.execute("return String(arguments[0].value ?? '');", [element.element.json])
        .string ?? ""
    }
  }

  /// Ticks or unticks a checkbox, or selects a radio button.
  public func setChecked(
    _ isChecked: Bool, _ path: ElementPath, within limit: Duration? = nil
  ) async throws(PageError) {
    let done = try await act(on: path, .there, within: limit) {
      element throws(WebDriverError) in
      if element.isChecked == isChecked { return true }
      try await toggle(element.element)
      let now = try await session.execute(
        "const e = arguments[0]; return e.checked === true"
          + " || e.getAttribute('aria-checked') === 'true';", [element.element.json])
      return now.bool == isChecked
    }
    if !done {
      throw await placed(
        PageError(
          .notInteractable,
          "\(path.words) was clicked and is still \(isChecked ? "not ticked" : "ticked")",
          hint: "check that it is a box; another radio button unticks a radio button"))
    }
  }

  /// Clicks a checkbox, also when a styled label covers it.
  func toggle(_ element: ElementID) async throws(WebDriverError) {
    do throws(WebDriverError) {
      try await session.click(element)
    } catch {
      guard PageError(error, to: "").code == .notInteractable else { throw error }
      _ = try await session.execute(PageScript.click, [element.json])
    }
  }

  /// Selects options of a drop-down by value or text.
  public func select(
    _ wanted: [String], in path: ElementPath, within limit: Duration? = nil
  ) async throws(PageError) {
    let answer = try await act(on: path, .usable, within: limit) {
      element throws(WebDriverError) -> JSON in
      guard element.tag == "select" else { return ["other": .bool(true)] }
      return try await session.execute(
        PageScript.select, [element.element.json, .array(wanted.map { .string($0) })])
    }
    if answer["other"] != nil {
      throw await placed(
        PageError(
          .notInteractable, "\(path.words) is not a drop-down",
          hint: "click it, and then the option by its text"))
    }
    if answer["single"] != nil {
      throw await placed(
        PageError(
          .notInteractable, "\(path.words) takes one option only", hint: "choose one of them"))
    }
    if let options = answer["options"]?.array {
      throw await placed(
        PageError(
          .elementNotFound,
          "\(path.words) has no option \(wanted.map { "\"\($0)\"" }.joined(separator: ", "))",
          hint: "it has "
            + options.compactMap(\.string).map { "\"\($0)\"" }
            .joined(separator: ", ")))
    }
  }

  /// Chooses a file for a file field; the path is on the browser's machine.
  public func upload(
    _ file: String, to path: ElementPath, within limit: Duration? = nil
  ) async throws(PageError) {
    let isField = try await act(on: path, .there, within: limit) {
      element throws(WebDriverError) in
      guard element.tag == "input", element.type == "file" else { return false }
      try await session.type(Secret(file), into: element.element)
      return true
    }
    if !isField {
      throw await placed(
        PageError(
          .notInteractable, "\(path.words) is not a field for files",
          hint: "name the input of type file itself"))
    }
  }
}
