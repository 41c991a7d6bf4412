/// Finds the form that a control belongs to, in a time that does not grow with the page.
struct FormOwners {
  private let document: HTMLDocument
  private let forms: [Int]
  /// The numbers of the forms, by their elements and by their identifiers.
  private var byElement: [Int: Int] = [:]
  private var byIdentifier: [String: Int] = [:]
  /// Whether each form holds a control.
  private var holdsControl: [Bool] = []

  /// - Parameters:
  ///   - forms: The elements of the forms, in document order.
  ///   - controls: The elements of all controls, in document order.
  init(of forms: [Int], controls: [Int], in document: HTMLDocument) {
    self.document = document
    self.forms = forms
    for (number, form) in forms.enumerated() {
      byElement[form] = number
      if let identifier = document.attribute("id", of: form), byIdentifier[identifier] == nil {
        byIdentifier[identifier] = number
      }
      let first = Self.count(of: controls, before: form)
      holdsControl.append(first < controls.count && controls[first] < document.elements[form].end)
    }
  }

  /// The number of the form of a control: that of its `form` attribute, else the form around it.
  ///
  /// A form opened inside table markup is closed early by the parser, and its controls stand
  /// outside. Browsers keep them with the form that was open, so the nearest form before them
  /// under a common table has them.
  func owner(of control: Int) -> Int? {
    if let wanted = document.attribute("form", of: control) { return byIdentifier[wanted] }
    if let around = document.closest(.form, to: control) { return byElement[around] }
    let before = Self.count(of: forms, before: control) - 1
    guard before >= 0 else { return nil }
    let table = document.elements[forms[before]].outermostTable
    let isShared = table.map { control < document.elements[$0].end } ?? false
    return isShared || !holdsControl[before] ? before : nil
  }

  /// How many of some elements in document order stand before an element.
  private static func count(of elements: [Int], before element: Int) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
