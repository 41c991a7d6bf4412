internal import Encoding

/// How a script names an element of a page: as a person would, or by CSS.
public struct Locator: Sendable, Equatable {
  /// What an element is found by.
  public enum By: String, Sendable, CaseIterable {
    /// A CSS selector.
    case css
    /// The role that assistive technology sees (WAI-ARIA), best with a name.
    case role
    /// The words of a field's label.
    case label
    /// The words of the element.
    case text
    /// The words in an empty field.
    case placeholder
    /// The attribute `data-testid`.
    case testID = "testId"
  }

  /// What the element is found by.
  public var by: By
  /// The selector, the role or the words.
  public var value: String
  /// The accessible name, for roles.
  public var name: String?
  /// Whether words must be the same from first to last, in upper and lower case too.
  public var exact: Bool
  /// Which of several, counted from 1.
  public var nth: Int?

  /// Describes an element.
  public init(
    by: By, value: String, name: String? = nil, exact: Bool = false, nth: Int? = nil
  ) {
    self.by = by
    self.value = value
    self.name = name
    self.exact = exact
    self.nth = nth
  }

  /// An element by a CSS selector.
  public static func css(_ selector: String) -> Locator { Locator(by: .css, value: selector) }

  /// The element in words, for errors: `the button "Sign in"`.
  public var words: String {
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

  /// What the script in the page takes.
  var json: JSON {
    [
      "by": .string(by.rawValue), "value": .string(value),
      "name": name.map { .string($0) } ?? .null, "exact": .bool(exact),
      "nth": nth.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}

/// The way to an element: through frames, then by locators of which each is inside the one before.
public struct ElementPath: Sendable, Equatable {
  /// The frames to enter, from the outermost.
  public var frames: [Locator]
  /// The locators, at least one.
  public var steps: [Locator]

  /// A way to an element.
  public init(_ steps: [Locator], frames: [Locator] = []) {
    self.steps = steps
    self.frames = frames
  }

  /// The way to what is inside of the element.
  public func inside(_ path: ElementPath) -> ElementPath {
    ElementPath(steps + path.steps, frames: frames + path.frames)
  }

  /// The same, for the one at a place of several.
  public func at(_ place: Int) -> ElementPath {
    var path = self
    path.steps[path.steps.count - 1].nth = place
    return path
  }

  /// The element in words, the innermost first.
  public var words: String {
    (steps.reversed().map(\.words) + frames.reversed().map { "the frame of \($0.words)" })
      .joined(separator: " in ")
  }
}
