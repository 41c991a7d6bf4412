import Delegates

/// A page as scripts hold it: ended when it is closed, when nobody holds it, or with the script.
///
/// Lua's collector may drop it while the state is half closed, so that only asks for the end.
final class PageBox {
  let page: Page
  private weak var interpreter: Interpreter?
  /// The number of its end; nil when somebody else ends the page.
  private let number: Int?

  /// - Parameter isOwned: Whether the script ends the page.
  init(_ page: Page, _ interpreter: Interpreter, isOwned: Bool) {
    self.page = page
    self.interpreter = interpreter
    number = isOwned ? interpreter.resources.add { await page.close() } : nil
  }

  deinit { beginClose() }

  /// Tells who keeps a record what the script does with the page.
  func tell(_ verb: PageAction.Verb, _ detail: String) {
    interpreter?.pageObserver?(PageAction(from: .script, to: .browser, verb, detail))
  }

  /// Keeps out of the record what is typed into a field that asks for a secret by its name.
  func hide(_ text: String, typedInto field: String) {
    let field = field.lowercased()
    let asks = ["passw", "code", "otp", "pin", "secret", "token"].contains { field.contains($0) }
    if asks { interpreter?.hide([text]) }
  }

  /// Begins to end the page, without waiting.
  func beginClose() {
    guard let number, let interpreter else { return }
    interpreter.resources.beginEnd(number, interpreter)
  }

  /// Ends the page.
  func close() async {
    if let number, let interpreter {
      await interpreter.resources.end(number, interpreter)
    } else {
      await page.close()
    }
  }
}

/// An element of a page as scripts hold it: the way to it, taken anew by each verb.
final class PageElementBox {
  let page: PageBox
  let path: ElementPath

  init(_ page: PageBox, _ path: ElementPath) {
    self.page = page
    self.path = path
  }
}
