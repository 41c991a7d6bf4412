public import Encoding

extension BrowserSession {
  /// All elements that match, in the order of the page; none is no error.
  public func find(
    using strategy: LocatorStrategy = .css, value: String, in parent: ElementID? = nil
  ) async throws(WebDriverError) -> [ElementID] {
    try await find(strategy, value, under: parent?.path ?? "")
  }

  /// All elements of a shadow tree that match.
  public func find(
    using strategy: LocatorStrategy = .css, value: String, in root: ShadowRootID
  ) async throws(WebDriverError) -> [ElementID] {
    try await find(strategy, value, under: root.path)
  }

  private func find(
    _ strategy: LocatorStrategy, _ value: String, under path: String
  ) async throws(WebDriverError) -> [ElementID] {
    let answer = try await post(
      "\(path)/elements", ["using": .string(strategy.rawValue), "value": .string(value)])
    guard let list = answer.array else { throw Self.unexpected("a list of elements") }
    let elements = list.compactMap { ElementID($0) }
    guard elements.count == list.count else { throw Self.unexpected("a list of elements") }
    return elements
  }

  /// The element that has the focus.
  public func activeElement() async throws(WebDriverError) -> ElementID {
    guard let element = ElementID(try await get("/element/active")) else {
      throw Self.unexpected("an element")
    }
    return element
  }

  /// The root of the shadow tree that belongs to an element.
  public func shadowRoot(of element: ElementID) async throws(WebDriverError) -> ShadowRootID {
    guard let root = ShadowRootID(try await get("\(element.path)/shadow")) else {
      throw Self.unexpected("a shadow root")
    }
    return root
  }

  /// Scrolls to an element and clicks in its middle.
  public func click(_ element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/click")
  }

  /// Empties a field.
  public func clear(_ element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/clear")
  }

  /// Types a text into a field after what is there; to a file field it is a path.
  ///
  /// Characters from U+E000 are keys such as Enter (WebDriver Level 2 section 15.4.2).
  public func type(_ text: Secret, into element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/value", ["text": .string(text.reveal())])
  }

  /// The text of an element as it is shown.
  public func text(of element: ElementID) async throws(WebDriverError) -> String {
    try await text("\(element.path)/text")
  }

  /// The name of an element, such as `input`.
  public func tagName(of element: ElementID) async throws(WebDriverError) -> String {
    try await text("\(element.path)/name")
  }

  /// An attribute as HTML has it; nil when it is not there, `true` for one without a value.
  public func attribute(
    _ name: String, of element: ElementID
  ) async throws(WebDriverError) -> String? {
    try await get("\(element.path)/attribute/\(PercentEncoding.encode(name))").string
  }

  /// A property as scripts see it, such as `value`; null when it is not there.
  public func property(
    _ name: String, of element: ElementID
  ) async throws(WebDriverError) -> JSON {
    try await get("\(element.path)/property/\(PercentEncoding.encode(name))")
  }

  /// The computed value of a style property.
  public func style(
    _ name: String, of element: ElementID
  ) async throws(WebDriverError) -> String {
    try await text("\(element.path)/css/\(PercentEncoding.encode(name))")
  }

  /// The role an element has for assistive technology, such as `button`.
  public func role(of element: ElementID) async throws(WebDriverError) -> String {
    try await text("\(element.path)/computedrole")
  }

  /// The name an element has for assistive technology.
  public func label(of element: ElementID) async throws(WebDriverError) -> String {
    try await text("\(element.path)/computedlabel")
  }

  /// Whether a person could see the element.
  public func isDisplayed(_ element: ElementID) async throws(WebDriverError) -> Bool {
    try await isTrue("\(element.path)/displayed")
  }

  /// Whether the element is not disabled.
  public func isEnabled(_ element: ElementID) async throws(WebDriverError) -> Bool {
    try await isTrue("\(element.path)/enabled")
  }

  /// Whether the box is ticked or the option chosen.
  public func isSelected(_ element: ElementID) async throws(WebDriverError) -> Bool {
    try await isTrue("\(element.path)/selected")
  }

  private func isTrue(_ name: String) async throws(WebDriverError) -> Bool {
    guard let answer = try await get(name).bool else { throw Self.unexpected("true or false") }
    return answer
  }
}
