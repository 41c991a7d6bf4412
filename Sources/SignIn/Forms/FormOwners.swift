/// Finds the form of a control, in a time that hardly grows with the page.
struct FormOwners {
  private let document: HTMLDocument
  private let forms: [Int]
  /// The indices of the forms, by element and by id.
  private var byElement: [Int: Int] = [:]
  private var byIdentifier: [String: Int] = [:]
  private var holdsControl: [Bool] = []

  /// - Parameters:
  ///   - forms: The form elements, in document order.
  ///   - controls: All control elements, in document order.
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

  /// Returns the index of a control's form: by its `form` attribute, else the enclosing form.
  ///
  /// The parser closes a form inside table markup early, so that its controls are outside. Browsers keep them
  /// with the open form, so they belong to the nearest form before them in the same table.
  func owner(of control: Int) -> Int? {
    if let wanted = document.attribute("form", of: control) { return byIdentifier[wanted] }
    if let around = document.closest(.form, to: control) { return byElement[around] }
    let before = Self.count(of: forms, before: control) - 1
    guard before >= 0 else { return nil }
    let table = document.elements[forms[before]].outermostTable
    let isShared = table.map { control < document.elements[$0].end } ?? false
    return isShared || !holdsControl[before] ? before : nil
  }

  /// Returns how many elements of a sorted list come before an element.
  private static func count(of elements: [Int], before element: Int) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
