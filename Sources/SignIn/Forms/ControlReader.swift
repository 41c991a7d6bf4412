/// Reads the controls of a page.
///
/// A page can use one label for all its controls, or put them all into one fieldset. Shared data is
/// therefore read once, so that the time grows linearly with the size of the page.
struct ControlReader {
  /// The approximate maximum of label text in bytes.
  private static let longestLabel = 200

  private let document: HTMLDocument
  /// Label texts, by the id of their control.
  private var labels: [String: String] = [:]
  /// The first element with each id.
  private var elements: [String: Int] = [:]
  /// The options of each list.
  private var options: [Int: [Int]] = [:]
  /// Cached texts of elements used as labels.
  private var texts: [Int: String] = [:]

  init(_ document: HTMLDocument) {
    self.document = document
    for (index, element) in document.elements.enumerated() {
      if let identifier = element.attributes["id"], elements[identifier] == nil {
        elements[identifier] = index
      }
      if element.name == "label", let target = element.attributes["for"] {
        let label = labels[target, default: ""]
        if label.utf8.count < Self.longestLabel {
          labels[target] = label + document.text(of: index, limit: Self.longestLabel)
        }
      }
      if element.name == "option", let select = element.nearest[.select] {
        options[select, default: []].append(index)
      }
    }
  }

  /// Reads an element as a control; nil when it is none, such as an `<input>` of an unknown kind.
  mutating func control(at index: Int) -> FormControl? {
    let element = document.elements[index]
    let type = PageForm.trimmed(element.attributes["type"] ?? "").lowercased()
    guard let kind = PageForm.kind(of: element.name, type: type) else { return nil }
    var control = FormControl(
      position: index, kind: kind, type: type, name: element.attributes["name"] ?? "",
      identifier: element.attributes["id"] ?? "", value: element.attributes["value"] ?? "",
      autocomplete: (element.attributes["autocomplete"] ?? "").lowercased(), label: "")
    control.isChecked = element.attributes["checked"] != nil
    control.isReadOnly = element.attributes["readonly"] != nil
    control.isRequired =
      element.attributes["required"] != nil || element.attributes["aria-required"] == "true"
    control.isDisabled = element.attributes["disabled"] != nil || element.isDisabledByFieldset
    control.isForScriptless = document.closest(.noscript, to: index) != nil
    control.isConcealed =
      kind == .hidden || element.isHidden
      || Self.isOutOfReach(element.attributes, kind: kind)
    control.inputMode = (element.attributes["inputmode"] ?? "").lowercased()
    control.maximumLength = element.attributes["maxlength"].flatMap { Int($0) }
    control.formAction = element.attributes["formaction"]
    control.formMethod = element.attributes["formmethod"]
    control.formEncoding = element.attributes["formenctype"]
    control.skipsValidation = element.attributes["formnovalidate"] != nil
    if control.isSubmitter || kind == .button {
      let named = element.attributes["aria-labelledby"].flatMap { text(named: $0) } ?? ""
      control.names = (named.isEmpty ? [] : [named]) + document.names(of: index)
    }
    control.label = label(of: index, control)
    switch kind {
    case .checkbox, .radio:
      if element.attributes["value"] == nil { control.value = "on" }
    case .textarea:
      let text = document.rawText(of: index)
      control.value = text.first == "\n" || text.first == "\r\n" ? String(text.dropFirst()) : text
    case .select:
      control.allowsSeveral = element.attributes["multiple"] != nil
      control.options = options(of: index, several: control.allowsSeveral)
    default: break
    }
    return control
  }

  /// Whether a field is a honeypot: no key reaches it and browsers do not fill it.
  private static func isOutOfReach(
    _ attributes: [String: String], kind: FormControl.Kind
  ) -> Bool {
    guard kind == .text || kind == .textarea, attributes["tabindex"] == "-1" else { return false }
    return ["off", "nope", "new-password"].contains(attributes["autocomplete"]?.lowercased())
  }

  // MARK: Labels

  private mutating func label(of index: Int, _ control: FormControl) -> String {
    let attributes = document.elements[index].attributes
    if document.elements[index].name == "button" {
      let text = text(of: index)
      if !text.isEmpty { return text }
    }
    if control.isSubmitter, !control.value.isEmpty { return control.value }
    if let text = labels[control.identifier], !control.identifier.isEmpty { return text }
    if let around = document.closest(.label, to: index) {
      let text = text(of: around)
      if !text.isEmpty { return text }
    }
    if let names = attributes["aria-labelledby"], let text = text(named: names) { return text }
    let names = ["aria-label", "placeholder", "title", "alt"].lazy.compactMap { attributes[$0] }
    return names.first { !$0.isEmpty } ?? control.names.first ?? ""
  }

  /// Returns the texts of the elements with these ids; nil when there are none.
  private mutating func text(named names: String) -> String? {
    var text: String?
    for name in names.split(whereSeparator: \.isWhitespace) {
      guard let element = elements[String(name)] else { continue }
      text = text.map { "\($0) " } ?? ""
      text?.append(self.text(of: element))
      if let text, text.utf8.count > Self.longestLabel { break }
    }
    return text
  }

  /// Returns the beginning of an element's text, cached.
  private mutating func text(of index: Int) -> String {
    if let known = texts[index] { return known }
    let text = document.text(of: index, limit: Self.longestLabel)
    texts[index] = text
    return text
  }

  private func options(of index: Int, several: Bool) -> [FormControl.Option] {
    var options = (options[index] ?? []).map { position in
      let text = document.text(of: position, limit: 400)
      let group = document.closest(.optgroup, to: position)
      return FormControl.Option(
        value: document.attribute("value", of: position) ?? text, text: text,
        isSelected: document.has("selected", position),
        isDisabled: document.has("disabled", position)
          || group.map { document.has("disabled", $0) } ?? false)
    }
    guard !several else { return options }
    // A drop-down shows one option: the last one marked, else the first enabled one.
    let chosen =
      options.lastIndex(where: \.isSelected) ?? options.firstIndex { !$0.isDisabled }
    for position in options.indices { options[position].isSelected = position == chosen }
    return options
  }
}
