public import CLua
import CShims

extension LuaCall {
  static func push(_ text: String, on thread: OpaquePointer) {
    var text = text
    text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        lua_pushlstring(thread, $0.baseAddress, $0.count)
      }
    }
  }

  /// Pushes a boolean.
  @inlinable public func push(_ value: Bool) { lua_pushboolean(thread, value ? 1 : 0) }

  /// Pushes an integer.
  @inlinable public func push(_ value: Int64) { lua_pushinteger(thread, value) }

  /// Pushes a float.
  @inlinable public func push(_ value: Double) { lua_pushnumber(thread, value) }

  /// Pushes a string.
  public func push(_ value: String) { Self.push(value, on: thread) }

  /// Pushes a string of bytes.
  func push(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes {
      _ = lua_pushlstring(thread, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
    }
  }

  /// Pushes nil.
  @inlinable public func pushNil() { lua_pushnil(thread) }

  /// Pushes an object, which Lua keeps alive.
  public func push(_ type: LuaClass, _ object: AnyObject) {
    let compiled = state.open(type)
    if type.keepsIdentity {
      let reference = Unmanaged.passUnretained(object).toOpaque()
      if luath_push_known_object(thread, compiled.record, reference) { return }
    }
    luath_push_object(thread, compiled.record, Unmanaged.passRetained(object).toOpaque())
    if type.keepsIdentity { luath_remember_object(thread) }
  }

  /// Pushes a function with its first argument bound to a value.
  ///
  /// Scripts do not see that argument, so declare the function with `callsTable`.
  public func push(_ function: LuaFunction, bound value: LuaValue) {
    push(value)
    luath_bind_function(thread, state.compiled(function).record)
  }

  /// Pushes the function that wraps a Lua library function as a public entry (see `luath_entries.c`).
  public func pushEntryMaker() { luath_push_entry_maker(thread) }

  /// Pushes a value of any kind.
  public func push(_ value: LuaValue) {
    // A full C stack cannot be reported from here; Lua allows 1,000,000 slots.
    _ = lua_checkstack(thread, 8)
    switch value {
    case .nil: lua_pushnil(thread)
    case .boolean(let value): push(value)
    case .integer(let value): push(value)
    case .number(let value): push(value)
    case .string(let value): push(value)
    case .bytes(let value): push(value)
    case .list(let items):
      lua_createtable(thread, Int32(clamping: items.count), 0)
      for (index, item) in items.enumerated() {
        push(item)
        lua_rawseti(thread, -2, Int64(index + 1))
      }
    case .record(let fields):
      lua_createtable(thread, 0, Int32(clamping: fields.count))
      for (name, value) in fields { setField(name, value) }
    case .object(let type, let object): push(type, object)
    case .reference(let reference): push(reference)
    case .function(let function):
      luath_push_function(thread, state.compiled(function).record)
    case .pushed(let body): body(self)
    }
  }

  /// Pushes the value behind a reference.
  public func push(_ reference: LuaReference) {
    lua_rawgeti(thread, luath_registry_index(), Int64(reference.key))
  }

  /// Pushes the Lua value to raise for an error.
  func push(_ error: LuaError) {
    switch error {
    case .message(let text): push(text)
    case .object(let fields):
      push(.record(fields))
      useMetatable("luath.Error")
    case .value(let reference): push(reference)
    }
  }

  /// Pushes an empty table.
  public func newTable(items: Int = 0, fields: Int = 0) {
    _ = lua_checkstack(thread, 8)
    lua_createtable(thread, Int32(clamping: items), Int32(clamping: fields))
  }

  /// Sets a field of the table on top; a nil value leaves the field as it is.
  public func setField(_ name: String, _ value: LuaValue) {
    if case .nil = value { return }
    push(name)
    push(value)
    lua_rawset(thread, -3)
  }

  /// Pops the value on top into field `name` of the table below it.
  public func popIntoField(_ name: String) {
    push(name)
    lua_rotate(thread, -2, 1)
    lua_rawset(thread, -3)
  }

  /// Pops the value on top into item `position` of the table below it.
  public func popIntoItem(_ position: Int) {
    lua_rawseti(thread, -2, Int64(position))
  }

  /// Sets the metatable of the table on top to the one registered under a name.
  public func useMetatable(_ name: String) {
    push(name)
    lua_rawget(thread, luath_registry_index())
    lua_setmetatable(thread, -2)
  }

  /// Pops the table on top and makes it the metatable of the table below it.
  public func popIntoMetatable() { lua_setmetatable(thread, -2) }

  /// Reads a field of a value's metatable; nil without a metatable.
  public func metafield<R>(_ index: Int, _ name: String, _ body: (LuaCall, Int) -> R) -> R? {
    guard lua_getmetatable(thread, Int32(index)) != 0 else { return nil }
    defer { luath_pop(thread, 1) }
    return field(Int(lua_gettop(thread)), name, body)
  }

  /// Whether the metatable of the value at `index` is the one registered under a name.
  public func hasMetatable(_ index: Int, _ name: String) -> Bool {
    guard lua_getmetatable(thread, Int32(index)) != 0 else { return false }
    push(name)
    lua_rawget(thread, luath_registry_index())
    defer { luath_pop(thread, 2) }
    return lua_rawequal(thread, -1, -2) != 0
  }

  /// Pushes a stored property of the object at `index` and reads it with `body`.
  public func stored<R>(_ index: Int, _ name: String, _ body: (LuaCall, Int) -> R) -> R {
    luath_push_stored_property(thread, Int32(index), name)
    defer { luath_pop(thread, 1) }
    return body(self, Int(lua_gettop(thread)))
  }

  /// Sets a stored property of the object on top of the stack; nil removes it.
  public func setStored(_ name: String, _ value: LuaValue) {
    push(value)
    luath_store_property(thread, -2, name)
  }
}
