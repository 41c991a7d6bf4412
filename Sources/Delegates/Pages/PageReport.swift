internal import Encoding
internal import HTTP

/// What the script in a page reported: the page as the form reader knows pages, and the browser's
/// names of its elements.
struct PageReport {
  /// The address the document has, which is not one of the web while an error page shows.
  let address: String
  /// The document's root: another document has another one.
  let root: ElementID?
  /// Whether everything the document names has come.
  let isComplete: Bool
  /// The status of the answer the document came with, where the browser tells.
  let status: Int
  /// The page; nil when the browser shows none of the web.
  let page: SignInPage?
  /// The controls' elements, by their positions.
  let controls: [ElementID?]
  /// Which form each control is of; nil outside of all.
  let owners: [Int?]
  /// The elements of the forms.
  let forms: [ElementID?]
  /// The elements of the page's links.
  let links: [ElementID]
  /// Why our watch stopped a form, if it did.
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
    if page.message == nil, let remark = json["remark"]?.string {
      page.remark =
        page.heading.isEmpty
        ? SignInPage.words(remark) : SignInPage.remark(remark, below: page.heading)
    }
    page.links = known.map(\.link)
    page.forms = Self.forms(json, list, owners)
    page.sendsItself = Self.sendsItself(page)
    self.page = page
  }

  /// What is compared to see that a page has changed, without what was typed into it.
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

  /// Whether the page has nothing to press but links that do not decide: its own script acts, then.
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
    // What stands outside of all forms is one more, which a script sends.
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

  /// In a page with scripts a plain button may be the one that sends.
  ///
  /// It is where there is no other, where it says no, and outside of forms unless it stands above the
  /// fields; one that waits for input counts as well.
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
