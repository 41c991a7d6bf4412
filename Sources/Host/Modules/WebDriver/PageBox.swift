import SignIn

/// Holds a page; the page is closed explicitly, when Lua collects the object, or when the script ends.
///
/// Lua may collect the object while the state is half closed, so `deinit` only starts the end without waiting.
final class PageBox {
  let page: Page
  private weak var interpreter: Interpreter?
  /// The page's number among the open resources; nil when the script does not own the page.
  private let number: Int?

  /// - Parameter isOwned: Whether the script must close the page.
  init(_ page: Page, _ interpreter: Interpreter, isOwned: Bool) {
    self.page = page
    self.interpreter = interpreter
    number = isOwned ? interpreter.resources.add { await page.close() } : nil
  }

  deinit { beginClose() }

  /// Reports an action of the script on the page to the observer.
  func tell(_ verb: PageAction.Verb, _ detail: String) {
    interpreter?.pageObserver?(PageAction(from: .script, to: .browser, verb, detail))
  }

  /// Masks text typed into a field whose name suggests a secret.
  func hide(_ text: String, typedInto field: String) {
    let field = field.lowercased()
    let asks = ["passw", "code", "otp", "pin", "secret", "token"].contains { field.contains($0) }
    if asks { interpreter?.hide([text]) }
  }

  /// Starts to close the page, without waiting.
  func beginClose() {
    guard let number, let interpreter else { return }
    interpreter.resources.beginEnd(number, interpreter)
  }

  func close() async {
    if let number, let interpreter {
      await interpreter.resources.end(number, interpreter)
    } else {
      await page.close()
    }
  }
}

/// Holds the path to an element of a page, which each method looks up again.
final class PageElementBox {
  let page: PageBox
  let path: ElementPath

  init(_ page: PageBox, _ path: ElementPath) {
    self.page = page
    self.path = path
  }
}
