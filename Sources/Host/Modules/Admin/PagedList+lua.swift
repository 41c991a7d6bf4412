import Client
import IdentityToolkit
import Lua

/// A paged list for scripts; converts its items to Lua values one by one.
final class ListBox {
  let next: () async throws(AdminError) -> LuaValue

  init<Item>(_ list: PagedList<Item>, _ value: @escaping (Item) -> LuaValue) {
    next = { () async throws(AdminError) in try await list.next().map(value) ?? .nil }
  }
}

enum AdminListClass {
  static var pageSize: LuaParameter {
    LuaParameter("pageSize", .integer, optional: true, "1 to 1000: items for each request")
  }

  static func pageSize(_ call: LuaCall, _ index: Int) -> Int64? {
    call.isTable(index) ? call.field(index, "pageSize") { $0.integer($1) } : nil
  }

  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.adminList
    var methods = Declarations(interpreter, owner: "list", type: type)
    methods.wait(
      "next", "The next item, or nil after the last; a page is fetched when it is needed.",
      [LuaParameter("previous", .any, optional: true, "what a generic for passes on; not used")],
      returns: "a table or nil"
    ) { [unowned interpreter] call throws(LuaError) in
      let list = call.object(1, as: ListBox.self)
      return { () async throws(LuaError) in
        do throws(AdminError) {
          return [try await list?.next() ?? .nil]
        } catch {
          throw interpreter.luaError(error)
        }
      }
    }
    type.methods = methods.members
    return methods.list
  }
}

extension Interpreter {
  /// Pushes the three values for a generic `for` over a list: like `pairs`, the function, its argument, and the
  /// first control value.
  func push<Item>(
    _ list: PagedList<Item>, on call: LuaCall, _ value: @escaping (Item) -> LuaValue
  ) -> LuaFunction.Answer {
    guard let next = classes.adminList.methods.first?.function else { return .results(0) }
    call.push(.function(next))
    call.push(classes.adminList, ListBox(list, value))
    call.pushNil()
    return .results(3)
  }
}
