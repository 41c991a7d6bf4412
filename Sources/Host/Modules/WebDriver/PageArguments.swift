import SignIn
import System
import Lua

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
