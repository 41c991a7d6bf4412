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
