internal import System

extension Page {
  /// The condition that a verb needs of its element.
  enum Need {
    /// It is in the document.
    case there
    /// It is visible.
    case seen
    /// It is visible and enabled.
    case usable
    /// It is visible, enabled and not read-only.
    case writable
  }

  /// Waits for the only element of a path and performs an action on it.
  ///
  /// Tries again when the page is still changing, for example when the element is replaced during the action.
  func act<T>(
    on path: ElementPath, _ need: Need, within limit: Duration? = nil,
    _ body: (FoundElement) async throws(WebDriverError) -> T
  ) async throws(PageError) -> T {
    let deadline = ContinuousClock.now + (limit ?? timeout)
    var round = 0
    while true {
      let attempt = try await turn { () async throws(PageError) in
        try await self.attempt(on: path, need, body)
      }
      switch attempt {
      case .done(let value): return value
      case .obstacle(let obstacle):
        guard ContinuousClock.now < deadline else { throw await placed(obstacle) }
      }
      try await pause(round)
      round += 1
    }
  }

  enum Attempt<T> {
    case done(T)
    case obstacle(PageError)
  }

  private func attempt<T>(
    on path: ElementPath, _ need: Need, _ body: (FoundElement) async throws(WebDriverError) -> T
  ) async throws(PageError) -> Attempt<T> {
    let finding = try await look(path)
    guard let element = finding.found.first else {
      return .obstacle(
        PageError(
          .elementNotFound, "\(path.words) is not on the page",
          hint: "check page:screenshot(), or find it by another text"))
    }
    if finding.total > 1 { throw await placed(Self.ambiguous(path, finding)) }
    if let reason = Self.lack(of: need, element) {
      return .obstacle(
        PageError(
          .notInteractable, "\(path.words) is on the page, but \(reason)",
          hint: "wait until it is usable, or check page:screenshot()"))
    }
    do throws(WebDriverError) {
      return .done(try await body(element))
    } catch {
      let failure = PageError(error, to: "use \(path.words)")
      // It was replaced or covered between the search and the action.
      if [.elementNotFound, .notInteractable].contains(failure.code) { return .obstacle(failure) }
      throw failure
    }
  }

  private static func lack(of need: Need, _ element: FoundElement) -> String? {
    switch need {
    case .there: return nil
    case .seen: return element.isVisible ? nil : "cannot be seen"
    case .usable, .writable:
      if !element.isVisible { return "cannot be seen" }
      if !element.isEnabled { return "is disabled" }
      return need == .writable && element.isReadOnly ? "can only be read" : nil
    }
  }

  static func ambiguous(_ path: ElementPath, _ finding: LocatorResult) -> PageError {
    let words = finding.found.prefix(3).map { "<\($0.tag)> \"\($0.words)\"" }
    return PageError(
      .ambiguousLocator,
      "\(finding.total) elements fit \(path.words): \(words.joined(separator: ", "))"
        + (finding.total > 3 ? ", …" : ""),
      hint:
        "describe it more exactly, such as with its name and exact = true, or choose one with nth")
  }

  /// Searches the page once; the caller must hold the turn.
  func look(_ path: ElementPath) async throws(PageError) -> LocatorResult {
    try await wired("find \(path.words)") { () async throws(WebDriverError) in
      try await leaveFrames()
    }
    for (depth, frame) in path.frames.enumerated() {
      let outer = ElementPath([frame], frames: Array(path.frames[..<depth]))
      let finding = try await find([frame], outer)
      guard let element = finding.found.first else { return finding }
      if finding.total > 1 { throw Self.ambiguous(outer, finding) }
      try await wired("enter \(frame.words)") { () async throws(WebDriverError) in
        try await enter(element.element)
      }
    }
    return try await find(path.steps, path)
  }

  private func find(_ steps: [Locator], _ path: ElementPath) async throws(PageError)
    -> LocatorResult
  {
    let finding = try await wired("find \(path.words)") { () async throws(WebDriverError) in
      LocatorResult(try await session.execute(PageScript.find, [.array(steps.map(\.json))]))
    }
    if let problem = finding.problem {
      throw PageError(
        .invalidLocator, "\(path.words) cannot be looked for: \(SignInPage.words(problem))",
        hint: "correct the selector")
    }
    return finding
  }

  private func wired<T>(
    _ words: String, _ body: () async throws(WebDriverError) -> T
  ) async throws(PageError) -> T {
    do throws(WebDriverError) { return try await body() } catch {
      throw PageError(error, to: words)
    }
  }

  /// Adds the URL and title of the page, if the browser still returns them.
  func placed(_ failure: PageError) async -> PageError {
    var failure = failure
    guard failure.page == nil, !isClosed else { return failure }
    failure.page = (try? await session.url()).map(Self.place)
    failure.title = (try? await session.title()).map { SignInPage.words($0) }
    return failure
  }
}

/// An element that a locator found, with its state.
struct FoundElement {
  let element: ElementID
  let isVisible: Bool
  let isEnabled: Bool
  let isReadOnly: Bool
  let isEditable: Bool
  let isChecked: Bool
  let tag: String
  let type: String
  let words: String

  init?(_ json: JSON) {
    guard let element = json["element"].flatMap({ ElementID($0) }) else { return nil }
    self.element = element
    isVisible = json["visible"]?.bool ?? false
    isEnabled = json["enabled"]?.bool ?? false
    isReadOnly = json["readOnly"]?.bool ?? false
    isEditable = json["editable"]?.bool ?? false
    isChecked = json["checked"]?.bool ?? false
    tag = json["tag"]?.string ?? ""
    type = json["type"]?.string ?? ""
    words = SignInPage.words(json["words"]?.string ?? "")
  }
}

/// The result of searching for one locator.
struct LocatorResult {
  let found: [FoundElement]
  /// The number of visible matches.
  let total: Int
  /// What is wrong with the locator.
  let problem: String?

  init(_ json: JSON) {
    found = (json["found"]?.array ?? []).compactMap { FoundElement($0) }
    total = Int(json["total"]?.integer ?? 0)
    problem = json["problem"]?.string
  }
}
