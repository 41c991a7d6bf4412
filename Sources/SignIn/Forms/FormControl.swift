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
