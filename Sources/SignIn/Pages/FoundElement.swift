internal import System

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
