internal import HTTP

/// A form of a page with its controls in document order.
struct PageForm: Sendable {
  enum Method: Sendable, Equatable { case get, post, dialog }

  enum Encoding: Sendable, Equatable { case urlEncoded, multipart, plainText }

  var name: String
  var identifier: String
  var role: String
  var action: String?
  var method: Method
  var encoding: Encoding
  /// From `accept-charset`; nil for the page's charset.
  var charset: SubmissionCharset?
  var controls: [FormControl] = []

  var submitters: [FormControl] { controls.filter { $0.isSubmitter && !$0.isDisabled } }

  /// Whether the form sends a request; a dialog form only closes its dialog.
  var isSent: Bool {
    method != .dialog
      || submitters.contains { $0.formMethod.map(Self.method) ?? .dialog != .dialog }
  }

  /// Whether there is nothing to enter, at most a button to press.
  var isOnlyHidden: Bool {
    controls.allSatisfy { $0.kind == .hidden || $0.isSubmitter || $0.kind == .button }
  }

  /// Checks one radio button and unchecks the others of its group.
  mutating func checkRadio(at slot: Int) {
    for other in controls.indices
    where controls[other].kind == .radio && controls[other].name == controls[slot].name {
      controls[other].isChecked = other == slot
    }
  }

  /// Returns where the form is sent by `submitter`.
  ///
  /// A missing or empty action means the page itself, even with a `<base>` (HTML, form submission
  /// algorithm, steps 12 to 14).
  func destination(submitter: FormControl?, page: WebURL, base: WebURL) -> WebURL? {
    let reference = Self.trimmed(submitter?.formAction ?? action ?? "")
    return reference.isEmpty ? page.with(fragment: nil) : base.resolving(reference)
  }

  func method(submitter: FormControl?) -> Method {
    submitter?.formMethod.map { Self.method($0) } ?? method
  }

  func encoding(submitter: FormControl?) -> Encoding {
    submitter?.formEncoding.map { Self.encoding($0) } ?? encoding
  }

  static func method(_ attribute: String?) -> Method {
    switch attribute.map({ trimmed($0).lowercased() }) {
    case "post": .post
    case "dialog": .dialog
    default: .get
    }
  }

  static func encoding(_ attribute: String?) -> Encoding {
    switch attribute.map({ trimmed($0).lowercased() }) {
    case "multipart/form-data": .multipart
    case "text/plain": .plainText
    default: .urlEncoded
    }
  }

  static func trimmed(_ text: String) -> String {
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    var part = text[...]
    while let first = part.first, isSpace(first) { part.removeFirst() }
    while let last = part.last, isSpace(last) { part.removeLast() }
    return String(part)
  }
}

/// Reads the forms of a document and assigns controls to them as browsers do.
extension PageForm {
  private static let controlNames: Set<String> = ["input", "button", "select", "textarea"]

  static func all(in document: HTMLDocument) -> [PageForm] {
    // A template is not part of the page until a script inserts it.
    let positions = document.all(["form"]).filter { document.closest(.template, to: $0) == nil }
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
    let controls = document.all(controlNames)
    let owners = FormOwners(of: positions, controls: controls, in: document)
    var reader = ControlReader(document)
    for index in controls where document.closest(.template, to: index) == nil {
      guard let owner = owners.owner(of: index), let control = reader.control(at: index) else {
        continue
      }
      forms[owner].controls.append(control)
    }
    return forms
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
}

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

/// A control of a form, with its labels.
struct FormControl: Sendable {
  enum Kind: Sendable, Equatable {
    case text, password, hidden, checkbox, radio, select, textarea, submit, image, button, file
  }

  struct Option: Sendable, Equatable {
    var value: String
    var text: String
    var isSelected: Bool
    var isDisabled: Bool
  }

  /// The element's index in its document, because several controls may share a name.
  var position: Int
  var kind: Kind
  /// The `type` attribute in lower case; distinguishes `email`, `tel` and `search`, which `kind` does not.
  var type: String
  var name: String
  var identifier: String
  var value: String
  var isChecked = false
  var isDisabled = false
  var isReadOnly = false
  var isRequired = false
  /// Invisible to users: never filled, but submitted unchanged.
  var isConcealed = false
  /// Shown only when scripts are off.
  var isForScriptless = false
  var autocomplete: String
  var inputMode = ""
  /// The maximum length in UTF-16 units.
  var maximumLength: Int?
  /// The label's text, or a substitute: aria-label, placeholder, title.
  var label: String
  /// Other names of a button, from its attributes and images.
  var names: [String] = []
  var options: [Option] = []
  var allowsSeveral = false
  var formAction: String?
  var formMethod: String?
  var formEncoding: String?
  var skipsValidation = false

  var isSubmitter: Bool { kind == .submit || kind == .image }

  /// The name of the control in messages: its `name`, else its label.
  var title: String {
    if !name.isEmpty { return name }
    if !label.isEmpty { return label }
    return identifier.isEmpty ? type : identifier
  }
}
