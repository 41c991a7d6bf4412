/// Reads the forms out of a document as a browser would own their controls.
extension PageForm {
  private static let controlNames: Set<String> = ["input", "button", "select", "textarea"]

  static func all(in document: HTMLDocument) -> [PageForm] {
    // What is in a template is no part of the page before a script puts it there.
    let positions = document.all(["form"]).filter { document.closest("template", to: $0) == nil }
    var forms = positions.map { position in
      PageForm(
        name: document.attribute("name", of: position) ?? "",
        identifier: document.attribute("id", of: position) ?? "",
        role: document.attribute("role", of: position) ?? "",
        action: document.attribute("action", of: position),
        method: method(document.attribute("method", of: position)),
        encoding: encoding(document.attribute("enctype", of: position)),
        charset: document.attribute("accept-charset", of: position).flatMap { names in
          names.split { $0.isWhitespace || $0 == "," }.first
        }.map { SubmissionCharset(String($0)) })
    }
    guard !forms.isEmpty else { return [] }
    let labels = labels(in: document)
    for index in document.all(controlNames) where document.closest("template", to: index) == nil {
      guard let owner = owner(of: index, forms: positions, in: document),
        let control = control(at: index, labels: labels, in: document)
      else { continue }
      forms[owner].controls.append(control)
    }
    return forms
  }

  /// Which form a control belongs to: its `form` attribute, else the form around it.
  ///
  /// A form opened inside table markup is closed early by the parser, and its controls stand
  /// outside. Browsers keep them with the form that was open, so the nearest form before them
  /// under a common table has them.
  private static func owner(of index: Int, forms: [Int], in document: HTMLDocument) -> Int? {
    if let wanted = document.attribute("form", of: index) {
      return forms.firstIndex { document.attribute("id", of: $0) == wanted }
    }
    if let around = document.closest("form", to: index) { return forms.firstIndex(of: around) }
    guard let before = forms.lastIndex(where: { $0 < index }) else { return nil }
    let form = forms[before]
    let tables = document.line(from: form).filter { document.elements[$0].name == "table" }
    let shared = tables.contains { index < document.elements[$0].end }
    let isEmpty = document.all(controlNames, inside: form).isEmpty
    return shared || isEmpty ? before : nil
  }

  private static func labels(in document: HTMLDocument) -> [String: String] {
    var labels: [String: String] = [:]
    for index in document.all(["label"]) {
      guard let target = document.attribute("for", of: index) else { continue }
      labels[target, default: ""] += document.text(of: index, limit: 200)
    }
    return labels
  }

  private static func control(
    at index: Int, labels: [String: String], in document: HTMLDocument
  ) -> FormControl? {
    let element = document.elements[index]
    let type = trimmed(element.attributes["type"] ?? "").lowercased()
    guard let kind = kind(of: element.name, type: type) else { return nil }
    var control = FormControl(
      position: index, kind: kind, type: type, name: element.attributes["name"] ?? "",
      identifier: element.attributes["id"] ?? "", value: element.attributes["value"] ?? "",
      autocomplete: (element.attributes["autocomplete"] ?? "").lowercased(), label: "")
    control.isChecked = element.attributes["checked"] != nil
    control.isReadOnly = element.attributes["readonly"] != nil
    control.isRequired =
      element.attributes["required"] != nil || element.attributes["aria-required"] == "true"
    control.isDisabled = isDisabled(index, in: document)
    control.isConcealed =
      kind == .hidden || document.isHidden(index)
      || isOutOfReach(element.attributes, kind: kind)
    control.inputMode = (element.attributes["inputmode"] ?? "").lowercased()
    control.maximumLength = element.attributes["maxlength"].flatMap { Int($0) }
    control.formAction = element.attributes["formaction"]
    control.formMethod = element.attributes["formmethod"]
    control.formEncoding = element.attributes["formenctype"]
    control.skipsValidation = element.attributes["formnovalidate"] != nil
    control.label = label(of: index, control: control, labels: labels, in: document)
    switch kind {
    case .checkbox, .radio:
      if element.attributes["value"] == nil { control.value = "on" }
    case .textarea:
      let text = document.rawText(of: index)
      control.value = text.first == "\n" || text.first == "\r\n" ? String(text.dropFirst()) : text
    case .select:
      control.allowsSeveral = element.attributes["multiple"] != nil
      control.options = options(of: index, several: control.allowsSeveral, in: document)
    default: break
    }
    return control
  }

  static func kind(of name: String, type: String) -> FormControl.Kind? {
    switch (name, type) {
    case ("select", _): .select
    case ("textarea", _): .textarea
    case ("button", "reset"), ("button", "button"), ("input", "reset"), ("input", "button"): .button
    case ("button", _), ("input", "submit"): .submit
    case ("input", "image"): .image
    case ("input", "hidden"): .hidden
    case ("input", "password"): .password
    case ("input", "checkbox"): .checkbox
    case ("input", "radio"): .radio
    case ("input", "file"): .file
    case ("input", _): .text
    default: nil
    }
  }

  /// A field that no key leads to and no browser fills is there for machines to fall into.
  private static func isOutOfReach(
    _ attributes: [String: String], kind: FormControl.Kind
  ) -> Bool {
    guard kind == .text || kind == .textarea, attributes["tabindex"] == "-1" else { return false }
    return ["off", "nope", "new-password"].contains(attributes["autocomplete"]?.lowercased())
  }

  /// Disabled itself or by a fieldset, whose first legend is the exception
  /// (HTML, "concept-fe-disabled").
  private static func isDisabled(_ index: Int, in document: HTMLDocument) -> Bool {
    if document.has("disabled", index) { return true }
    var below = index
    for position in document.line(from: index).dropFirst() {
      defer { below = position }
      guard document.elements[position].name == "fieldset", document.has("disabled", position)
      else {
        continue
      }
      let firstLegend = document.elements[position].children.lazy.compactMap { node -> Int? in
        guard case .element(let child) = node, document.elements[child].name == "legend" else {
          return nil
        }
        return child
      }.first
      if firstLegend != below { return true }
    }
    return false
  }

  private static func label(
    of index: Int, control: FormControl, labels: [String: String], in document: HTMLDocument
  ) -> String {
    let attributes = document.elements[index].attributes
    if document.elements[index].name == "button" {
      let text = document.text(of: index, limit: 200)
      if !text.isEmpty { return text }
    }
    if control.isSubmitter, !control.value.isEmpty { return control.value }
    if let text = labels[control.identifier], !control.identifier.isEmpty { return text }
    if let around = document.closest("label", to: index) {
      let text = document.text(of: around, limit: 200)
      if !text.isEmpty { return text }
    }
    if let described = attributes["aria-labelledby"] {
      let words = described.split(whereSeparator: \.isWhitespace).compactMap { name in
        document.elements.firstIndex { $0.attributes["id"] == String(name) }
      }
      if !words.isEmpty {
        return words.map { document.text(of: $0, limit: 200) }.joined(separator: " ")
      }
    }
    return attributes["aria-label"] ?? attributes["placeholder"] ?? attributes["title"]
      ?? attributes["alt"] ?? ""
  }

  private static func options(
    of index: Int, several: Bool, in document: HTMLDocument
  ) -> [FormControl.Option] {
    var options = document.all(["option"], inside: index).map { position in
      let text = document.text(of: position, limit: 400)
      let group = document.closest("optgroup", to: position)
      return FormControl.Option(
        value: document.attribute("value", of: position) ?? text, text: text,
        isSelected: document.has("selected", position),
        isDisabled: document.has("disabled", position)
          || group.map { document.has("disabled", $0) } ?? false)
    }
    guard !several else { return options }
    // A drop-down shows one option: the last one marked, else the first that may be chosen.
    let chosen =
      options.lastIndex(where: \.isSelected) ?? options.firstIndex { !$0.isDisabled }
    for position in options.indices { options[position].isSelected = position == chosen }
    return options
  }
}
