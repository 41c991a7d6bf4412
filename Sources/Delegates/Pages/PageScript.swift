/// What runs inside pages: it reads, finds and waits for nothing.
///
/// Each script is a function's body, as WebDriver's "Execute Script" takes it; `arguments` are JSON.
enum PageScript {
  /// What a person sees, and the names and roles that assistive technology gives it
  /// (WAI-ARIA 1.2 and "Accessible Name and Description Computation", without their rarer steps).
  static let library = EmbeddedAssets.text("page/library.js")

  /// Elements for a chain of locators: `[{ by, value, name, exact, nth }]`, each within the one
  /// before, beginning at the element in the second argument or at the document.
  ///
  /// Gives what is visible first; `total` counts that, `hidden` what no person can see.
  static let find = library + EmbeddedAssets.text("page/find.js")

  /// Sets a field as typing would, past a framework's own setters, and tells the page.
  static let setValue = EmbeddedAssets.text("page/set-value.js")

  /// Chooses options of a drop-down by value or words; gives what could be chosen, or nothing.
  static let select = EmbeddedAssets.text("page/select.js")

  static let text = library + "return norm(textOf(arguments[0] || document.body));"
  static let click = "arguments[0].click();"
  /// Makes what stands in fields unreadable in pictures.
  static let veil = EmbeddedAssets.text("page/veil.js")
  static let isDisabled = library + "return disabled(arguments[0]);"
  static let submit =
    "const f = arguments[0]; f.requestSubmit ? f.requestSubmit() : f.submit();"

  /// What a person could read and do on the page, as `PageReport` reads it.
  ///
  /// `root` differs from document to document, also when two look alike.
  static let report = library + EmbeddedAssets.text("page/report.js")

  /// Stops a form that would put a password into an address, or send it to somebody else.
  ///
  /// Listens behind the page's own listeners: what a script takes over is not sent by the form. The
  /// argument is the list of origins that may have the password.
  static let watchForms = EmbeddedAssets.text("page/watch-forms.js")
}
