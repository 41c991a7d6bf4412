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
  /// Hides the contents of fields, for screenshots.
  static let veil = EmbeddedAssets.text("page/veil.js")
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
