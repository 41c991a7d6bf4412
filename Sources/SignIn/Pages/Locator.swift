internal import System

/// Describes an element of a page by visible properties or by CSS.
public struct Locator: Sendable, Equatable {
  /// The property that identifies an element.
  public enum By: String, Sendable, CaseIterable {
    case css
    /// The accessible role (WAI-ARIA), best with a name.
    case role
    /// The text of a field's label.
    case label
    /// The text of the element.
    case text
    /// The placeholder of a field.
    case placeholder
    /// The attribute `data-testid`.
    case testID = "testId"
  }

  /// The property that identifies the element.
  public var by: By
  /// The selector, role or text.
  var value: String
  /// The accessible name, for roles.
  public var name: String?
  /// Whether text must match completely, including case.
  public var exact: Bool
  /// Which of several matches, from 1.
  public var nth: Int?

  /// Creates a locator.
  public init(
    by: By, value: String, name: String? = nil, exact: Bool = false, nth: Int? = nil
  ) {
    self.by = by
    self.value = value
    self.name = name
    self.exact = exact
    self.nth = nth
  }

  /// Creates a locator from a CSS selector.
  public static func css(_ selector: String) -> Locator { Locator(by: .css, value: selector) }

  /// The description in error messages: `the button "Sign in"`.
  var words: String {
    let text =
      switch by {
      case .css: "the element \"\(value)\""
      case .role: name.map { "the \(value) \"\($0)\"" } ?? "the \(value)"
      case .label: "the field labelled \"\(value)\""
      case .text: "the text \"\(value)\""
      case .placeholder: "the field with the placeholder \"\(value)\""
      case .testID: "the element with the test id \"\(value)\""
      }
    return nth.map { "\(text), number \($0)" } ?? text
  }

  /// The argument of the search script in the page.
  var json: JSON {
    [
      "by": .string(by.rawValue), "value": .string(value),
      "name": name.map { .string($0) } ?? .null, "exact": .bool(exact),
      "nth": nth.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}

/// A path to an element: through frames, then by locators, each inside the one before.
public struct ElementPath: Sendable, Equatable {
  /// The frames to enter, outermost first.
  var frames: [Locator]
  /// The locators, at least one.
  var steps: [Locator]

  /// Creates a path.
  public init(_ steps: [Locator], frames: [Locator] = []) {
    self.steps = steps
    self.frames = frames
  }

  /// Returns a path to an element inside this one.
  public func inside(_ path: ElementPath) -> ElementPath {
    ElementPath(steps + path.steps, frames: frames + path.frames)
  }

  /// Returns the path to the match with a number, from 1.
  public func at(_ place: Int) -> ElementPath {
    var path = self
    path.steps[path.steps.count - 1].nth = place
    return path
  }

  /// The description in error messages, innermost first.
  public var words: String {
    (steps.reversed().map(\.words) + frames.reversed().map { "the frame of \($0.words)" })
      .joined(separator: " in ")
  }
}

/// A pattern for URLs: with `*` (any text) it must match the whole URL, otherwise a part.
public struct AddressPattern: Sendable, Equatable {
  /// The pattern's source text.
  let text: String

  /// Creates a pattern.
  public init(_ text: String) { self.text = text }

  /// Whether the URL matches.
  func matches(_ address: String) -> Bool {
    let parts = text.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else {
      return text.isEmpty || address.contains(text)
    }
    guard address.hasPrefix(first) else { return false }
    var rest = address.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
