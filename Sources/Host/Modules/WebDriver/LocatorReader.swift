import SignIn
import Lua

enum LocatorReader {
  static var fields: [LuaParameter] {
    [
      LuaParameter("css", .string, optional: true, "a CSS selector; also as a plain string"),
      LuaParameter("role", .string, optional: true, "the accessible role: button, textbox, link"),
      LuaParameter("name", .string, optional: true, "with role: the accessible name"),
      LuaParameter("label", .string, optional: true, "the words of a field's label"),
      LuaParameter("text", .string, optional: true, "the words of the element"),
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
