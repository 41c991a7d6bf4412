import Lua
import SignIn
import System

/// Reads the arguments of methods of pages and elements.
struct PageArguments {
  let call: LuaCall
  let page: PageBox
  /// The element, for a method of an element.
  let element: PageElementBox?

  init(_ call: LuaCall) throws(LuaError) {
    self.call = call
    element = call.object(1, as: PageElementBox.self)
    guard let page = element?.page ?? call.object(1, as: PageBox.self) else {
      throw .message("this is no page")
    }
    self.page = page
  }

  /// The path to the method's element, and the index of the next argument.
  func target() throws(LuaError) -> (path: ElementPath, next: Int) {
    if let element { return (element.path, 2) }
    return (try LocatorReader.read(call, 2), 3)
  }

  func timeout(_ index: Int) throws(LuaError) -> Duration? {
    guard call.isTable(index) else { return nil }
    return try Self.duration(call, index, "timeout")
  }

  static func duration(
    _ call: LuaCall, _ index: Int, _ name: String
  ) throws(LuaError) -> Duration? {
    guard let seconds = call.field(index, name, { $0.number($1) }) else { return nil }
    guard seconds > 0, seconds <= 86_400 else {
      throw .message("option '\(name)': more than 0 and at most 86400 seconds")
    }
    return .microseconds(Int64(seconds * 1e6))
  }

  func scriptArguments(from first: Int) throws(LuaError) -> [Page.Argument] {
    guard call.count >= first else { return [] }
    var arguments: [Page.Argument] = []
    for index in first...call.count {
      if let element = call.object(index, as: PageElementBox.self) {
        arguments.append(.element(element.path))
      } else {
        arguments.append(.json(try JSONBridge.read(call, index)))
      }
    }
    return arguments
  }
}

enum LocatorReader {
  static var fields: [LuaParameter] {
    [
      LuaParameter("css", .string, optional: true, "a CSS selector; also as a plain string"),
      LuaParameter("role", .string, optional: true, "the accessible role: button, textbox, link"),
      LuaParameter("name", .string, optional: true, "with role: the accessible name"),
      LuaParameter("label", .string, optional: true, "the text of a field's label"),
      LuaParameter("text", .string, optional: true, "the text of the element"),
      LuaParameter("placeholder", .string, optional: true, "the words in an empty field"),
      LuaParameter("testId", .string, optional: true, "the attribute data-testid"),
      LuaParameter("exact", .boolean, optional: true, "words from first to last, case included"),
      LuaParameter("nth", .integer, optional: true, "which of several, from 1"),
      LuaParameter(
        "frame", .either([.string, .list(.string)]), optional: true,
        "the frame it is in, by CSS; a list when frames are in frames"),
    ]
  }

  static var kind: LuaParameter.Kind { .either([.string, .options(fields)]) }

  static var parameter: LuaParameter {
    LuaParameter("locator", kind, "how the element is named")
  }

  /// Reads a locator whose argument was checked against `kind`.
  static func read(_ call: LuaCall, _ index: Int) throws(LuaError) -> ElementPath {
    if let selector = call.string(index) { return ElementPath([.css(selector)]) }
    guard let path = try find(call, index) else {
      throw .message(
        "a locator has one of "
          + Locator.By.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))
    }
    return path
  }

  /// Reads a locator table; nil when it has no locator field.
  static func find(_ call: LuaCall, _ index: Int) throws(LuaError) -> ElementPath? {
    let given = Locator.By.allCases.compactMap { by -> Locator? in
      call.field(index, by.rawValue) { $0.string($1) }.map { Locator(by: by, value: $0) }
    }
    guard var locator = given.first else { return nil }
    guard given.count == 1 else {
      throw .message(
        "a locator has either '\(given[0].by.rawValue)' or '\(given[1].by.rawValue)', not both")
    }
    locator.name = call.field(index, "name") { $0.string($1) }
    if locator.name != nil, locator.by != .role {
      throw .message("'name' goes with 'role'; leave one of them out")
    }
    locator.exact = call.field(index, "exact") { $0.boolean($1) }
    if let nth = call.field(index, "nth", { $0.integer($1) }) {
      guard (1...1_000_000).contains(nth) else { throw .message("'nth' counts from 1") }
      locator.nth = Int(nth)
    }
    let frames = call.field(index, "frame") { call, at in
      call.string(at).map { [$0] } ?? call.strings(at)
    }
    return ElementPath([locator], frames: frames.map { .css($0) })
  }
}

/// Holds a page; the page is closed explicitly, when Lua collects the object, or when the script ends.
///
/// Lua may collect the object while the state is half closed, so `deinit` only starts the end without waiting. A page
/// that is recorded at failures stays open until its journey ends.
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
    interpreter.resources.note(page)
  }

  deinit {
    // A page that the failed journey no longer refers to is still to be recorded.
    if !page.isRecorded { beginClose() }
  }

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
  ///
  /// - Parameter hasFailed: Whether an error ended the page's scope; the page is recorded first then.
  func beginClose(afterError hasFailed: Bool = false) {
    guard let number, let interpreter else { return }
    if hasFailed { page.hasFailed = true }
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

extension LuaError {
  init(_ error: PageError) {
    self = .object([
      ("code", .string(error.code.rawValue)), ("message", .string(error.message.printable)),
      ("hint", .string(error.hint.printable)), ("page", .string(ifAny: error.page)),
      ("title", .string(ifAny: error.title)),
    ])
  }
}

/// Runs work of a page and converts its errors.
func paged<Value>(
  _ work: () async throws(PageError) -> Value
) async throws(LuaError) -> Value {
  do throws(PageError) { return try await work() } catch { throw LuaError(error) }
}
