internal import System
internal import HTTP

/// The report of the script in a page: the page's content, and the WebDriver ids of its elements.
struct PageReport {
  /// The document's URL; not a web address while the browser shows an error page.
  let address: String
  /// The document's root; every document has a different one.
  let root: ElementID?
  /// Whether the document has finished loading.
  let isComplete: Bool
  /// The HTTP status of the document; 200 when the browser does not report it.
  let status: Int
  /// The page; nil when the browser shows no web page.
  let page: SignInPage?
  /// The elements of the controls, by position.
  let controls: [ElementID?]
  /// The index of each control's form; nil outside of forms.
  let owners: [Int?]
  let forms: [ElementID?]
  let links: [ElementID]
  /// Why our form watch stopped a submission; nil if it did not.
  let stopped: String?

  init(_ json: JSON) {
    address = json["url"]?.string ?? ""
    root = json["root"].flatMap { ElementID($0) }
    isComplete = json["state"]?.string == "complete"
    let status = json["status"]?.integer ?? 0
    self.status = status == 0 ? 200 : Int(status)
    stopped = json["stopped"]?.string
    let list = json["controls"]?.array ?? []
    controls = list.map { $0["element"].flatMap { ElementID($0) } }
    owners = list.map { control in
      control["form"]?.integer.flatMap { $0 < 0 ? nil : Int($0) }
    }
    forms = (json["forms"]?.array ?? []).map { $0["element"].flatMap { ElementID($0) } }
    guard root != nil, let url = WebURL(address) else {
      page = nil
      links = []
      return
    }
    let known = (json["links"]?.array ?? []).compactMap { Self.link($0) }
    links = known.map(\.element)
    var page = SignInPage(emptyAt: url)
    page.base = json["base"]?.string.flatMap { WebURL($0) } ?? url
    page.title = SignInPage.words(json["title"]?.string ?? "")
    page.heading = SignInPage.words(json["heading"]?.string ?? "")
    page.message = json["message"]?.string.map { SignInPage.words($0) }
    page.readRemark(
      paragraphs: json["remark"]?.string ?? "", other: json["loose"]?.string ?? "")
    page.links = known.map(\.link)
    page.forms = Self.forms(json, list, owners)
    page.sendsItself = Self.sendsItself(page)
    self.page = page
  }

  /// A text to compare whether the page has changed, without entered values.
  var look: String {
    guard let page else { return address }
    var words = "\(address)\n\(page.title)\n\(page.heading)\n\(page.message ?? "")"
    for form in page.forms {
      words += "\n\(form.identifier) \(form.action ?? "")"
      for control in form.controls where !control.isConcealed {
        words += "\n\(control.type) \(control.name) \(control.label) \(control.isDisabled)"
      }
    }
    return words + page.links.map { "\n\($0.text)" }.joined()
  }

  private static func link(_ json: JSON) -> (element: ElementID, link: SignInPage.Link)? {
    guard let element = json["element"].flatMap({ ElementID($0) }),
      let address = json["address"]?.string.flatMap({ WebURL($0) })
    else { return nil }
    return (element, SignInPage.Link(address: address, text: json["text"]?.string ?? ""))
  }

  /// Whether the page has no buttons and no links that accept or deny; its script must continue then.
  private static func sendsItself(_ page: SignInPage) -> Bool {
    !page.forms.contains { form in
      form.controls.contains { $0.kind == .button && !$0.isConcealed } || !form.submitters.isEmpty
    }
      && !page.links.contains {
        Vocabulary.mentions(Vocabulary.accept, in: $0.text)
          || Vocabulary.mentions(Vocabulary.denyLink, in: $0.text)
      }
  }

  private static func forms(_ json: JSON, _ controls: [JSON], _ owners: [Int?]) -> [PageForm] {
    var forms = (json["forms"]?.array ?? []).map { form in
      PageForm(
        name: form["name"]?.string ?? "", identifier: form["id"]?.string ?? "",
        role: form["role"]?.string ?? "", action: form["action"]?.string,
        method: PageForm.method(form["method"]?.string),
        encoding: PageForm.encoding(form["encoding"]?.string))
    }
    // Controls outside of forms become an additional form, which a script submits.
    var loose = PageForm(
      name: "", identifier: "", role: "", action: nil, method: .post, encoding: .urlEncoded)
    for (position, json) in controls.enumerated() {
      guard let control = control(json, at: position) else { continue }
      if let owner = owners[position], forms.indices.contains(owner) {
        forms[owner].controls.append(control)
      } else if control.kind != .hidden {
        loose.controls.append(control)
      }
    }
    forms = forms.map { pressable($0, isLoose: false) }
    if !loose.controls.isEmpty { forms.append(pressable(loose, isLoose: true)) }
    return forms
  }

  /// Marks plain buttons that may submit as submit buttons.
  ///
  /// These are the buttons of a form without a submit button, buttons that refuse or choose another
  /// account, and buttons outside of forms unless they are above the fields. Buttons that are
  /// disabled until fields are filled count, too.
  private static func pressable(_ form: PageForm, isLoose: Bool) -> PageForm {
    var form = form
    let hasOwn = form.controls.contains { $0.isSubmitter && !$0.isConcealed }
    let field = form.controls.firstIndex { FormReader.isFillable($0) }
    let isFilled = field != nil || form.controls.contains { $0.kind == .checkbox }
    for slot in form.controls.indices {
      let control = form.controls[slot]
      if control.kind == .button || control.kind == .submit && isLoose,
        control.type != "reset", !control.isConcealed
      {
        let mayPress = isLoose ? field.map { slot > $0 } ?? true : !hasOwn
        let turnsBack =
          FormReader.denies(control) || FormReader.says(Vocabulary.otherAccount, control)
        form.controls[slot].kind = mayPress || turnsBack ? .submit : .button
      }
      guard form.controls[slot].isSubmitter else { continue }
      if control.isConcealed {
        form.controls[slot].isDisabled = true
      } else if isFilled {
        form.controls[slot].isDisabled = false
      }
    }
    return form
  }

  private static func control(_ json: JSON, at position: Int) -> FormControl? {
    func text(_ name: String) -> String { json[name]?.string ?? "" }
    func flag(_ name: String) -> Bool { json[name]?.bool ?? false }
    let type = text("type")
    guard let kind = PageForm.kind(of: text("tag"), type: type) else { return nil }
    var control = FormControl(
      position: position, kind: kind, type: type, name: text("name"), identifier: text("id"),
      value: text("value"), autocomplete: text("autocomplete"), label: text("label"))
    control.names = (json["names"]?.array ?? []).compactMap { $0.string }.filter { !$0.isEmpty }
    control.isChecked = flag("checked")
    control.isDisabled = flag("disabled")
    control.isReadOnly = flag("readOnly")
    control.isRequired = flag("required")
    control.isConcealed = flag("concealed")
    control.allowsSeveral = flag("several")
    control.inputMode = text("inputMode")
    control.maximumLength = json["maximum"]?.integer.map { Int($0) }
    control.formAction = json["formAction"]?.string
    control.formMethod = json["formMethod"]?.string
    control.options = (json["options"]?.array ?? []).map { option in
      FormControl.Option(
        value: option["value"]?.string ?? "", text: option["text"]?.string ?? "",
        isSelected: option["selected"]?.bool ?? false,
        isDisabled: option["disabled"]?.bool ?? false)
    }
    return control
  }
}

/// The scripts that run inside pages; none of them waits.
///
/// Each script is a function body for WebDriver's "Execute Script"; `arguments` are JSON.
enum PageScript {
  /// Functions for visible text and accessible names and roles.
  ///
  /// They follow WAI-ARIA 1.2 and "Accessible Name and Description Computation", without rare steps.
  static let library = EmbeddedAssets.text("page/library.js")

  /// Finds elements by a chain of locators: `[{ by, value, name, exact, nth }]`.
  ///
  /// Each locator is searched within the match of the one before, starting at the element in the
  /// second argument or at the document. Visible elements come first in the result; `total` is
  /// their number, `hidden` that of the invisible ones.
  static let find = library + EmbeddedAssets.text("page/find.js")

  /// Sets the value of a field like typing, bypassing a framework's setters, and fires events.
  static let setValue = EmbeddedAssets.text("page/set-value.js")

  /// Selects options of a drop-down by value or text; returns the available options on failure.
  static let select = EmbeddedAssets.text("page/select.js")

  static let text = library + "return norm(textOf(arguments[0] || document.body));"
  static let click = "arguments[0].click();"
  private static let roots = EmbeddedAssets.text("page/roots.js")

  /// Returns the texts that a picture of the page would show, each once.
  static let texts = roots + EmbeddedAssets.text("page/texts.js")

  /// Covers what a picture must not show.
  ///
  /// The argument is a list of pairs: a text of the page, and what is shown in its place. Fields are
  /// concealed, except those for a name or e-mail address that are in no pair; so are frames of
  /// other sites.
  static let cover = roots + EmbeddedAssets.text("page/cover.js")

  /// Undoes `cover`.
  static let uncover = EmbeddedAssets.text("page/uncover.js")
  static let isDisabled = library + "return disabled(arguments[0]);"
  static let submit =
    "const f = arguments[0]; f.requestSubmit ? f.requestSubmit() : f.submit();"

  /// Collects the data for `PageReport`.
  ///
  /// `root` differs between documents, even if they look the same.
  static let report = library + EmbeddedAssets.text("page/report.js")

  /// Stops a form that would put a password into a URL or send it to another origin.
  ///
  /// Listens after the page's own listeners, because a script may replace the submission. The
  /// argument is the list of allowed origins.
  static let watchForms = EmbeddedAssets.text("page/watch-forms.js")
}
