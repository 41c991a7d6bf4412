/// One control of a form: what it is called, what it holds, and the words around it.
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

  /// The element's number in its document: several controls may share a name.
  var position: Int
  var kind: Kind
  /// The `type` attribute in lower case, for what `kind` folds together (`email`, `tel`, `search`).
  var type: String
  var name: String
  var identifier: String
  var value: String
  var isChecked = false
  var isDisabled = false
  var isReadOnly = false
  var isRequired = false
  /// Not to be seen by a person: never filled, yet submitted as it stands.
  var isConcealed = false
  /// Shown only where scripts are off.
  var isForScriptless = false
  var autocomplete: String
  var inputMode = ""
  /// How much a person could type, in UTF-16 units.
  var maximumLength: Int?
  /// The text of its label, or what stands in for one: aria-label, placeholder, title.
  var label: String
  /// What else a button is called: by its attributes, and by the pictures on it.
  var names: [String] = []
  var options: [Option] = []
  var allowsSeveral = false
  var formAction: String?
  var formMethod: String?
  var formEncoding: String?
  var skipsValidation = false

  var isSubmitter: Bool { kind == .submit || kind == .image }

  /// What to call the control in a message: its name as the page spells it, else its label.
  var title: String {
    if !name.isEmpty { return name }
    if !label.isEmpty { return label }
    return identifier.isEmpty ? type : identifier
  }
}
