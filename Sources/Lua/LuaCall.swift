public import CLua
public import CShims

/// One call from Lua into the host: reads arguments and pushes results.
///
/// Only functions that cannot raise are called here (manual: `-`, or `m`, as the allocator lets the
/// host exceed the memory limit), so no longjmp crosses Swift frames.
public struct LuaCall {
  @usableFromInline let thread: OpaquePointer
  /// The state the call runs in.
  ///
  /// Unowned, because the state outlives every call and a retain costs as much as the call.
  public unowned(unsafe) let state: LuaState

  init(thread: OpaquePointer, state: LuaState) {
    self.thread = thread
    self.state = state
  }

  /// The number of arguments.
  public var count: Int { Int(lua_gettop(thread)) }

  /// `file:line` of the innermost script line on the call stack, if there is one.
  public var place: String? {
    guard luath_push_script_line(thread) else { return nil }
    defer { luath_pop(thread, 1) }
    return string(-1)
  }

  /// Whether luath's own library made the call, directly.
  public var isFromLibrary: Bool { luath_is_called_by_library(thread) }

  // MARK: Reading

  /// Whether the argument is absent or nil.
  @inlinable public func isNil(_ index: Int) -> Bool { luath_is_none_or_nil(thread, Int32(index)) }

  /// Whether the argument is a function.
  public func isFunction(_ index: Int) -> Bool { lua_type(thread, Int32(index)) == LUA_TFUNCTION }

  /// Whether the argument is a function written in Lua.
  public func isScriptFunction(_ index: Int) -> Bool {
    isFunction(index) && lua_iscfunction(thread, Int32(index)) == 0
  }

  /// The names of the parameters of a Lua function; empty for one in C.
  public func parameterNames(_ index: Int) -> [String] {
    var names: [String] = []
    while luath_push_parameter_name(thread, Int32(index), Int32(names.count + 1)) {
      names.append(string(-1) ?? "")
      luath_pop(thread, 1)
    }
    return names
  }

  /// Whether the argument is a string.
  public func isString(_ index: Int) -> Bool { lua_type(thread, Int32(index)) == LUA_TSTRING }

  /// Whether the argument is a table.
  public func isTable(_ index: Int) -> Bool { lua_type(thread, Int32(index)) == LUA_TTABLE }

  /// Whether the argument is a number of the integer subtype.
  public func isInteger(_ index: Int) -> Bool { lua_isinteger(thread, Int32(index)) != 0 }

  /// The boolean; nil counts as false.
  @inlinable public func boolean(_ index: Int) -> Bool { lua_toboolean(thread, Int32(index)) != 0 }

  /// The integer; a float with an integral value is converted.
  public func integer(_ index: Int) -> Int64? {
    var good: Int32 = 0
    let value = lua_tointegerx(thread, Int32(index), &good)
    return good != 0 && lua_type(thread, Int32(index)) == LUA_TNUMBER ? value : nil
  }

  /// The number.
  public func number(_ index: Int) -> Double? {
    lua_type(thread, Int32(index)) == LUA_TNUMBER ? luath_to_number(thread, Int32(index)) : nil
  }

  /// The bytes of a string.
  public func bytes(_ index: Int) -> [UInt8]? {
    guard isString(index) else { return nil }
    return view(index).map { Array($0) }
  }

  /// The string as text; bytes that are not UTF-8 become replacement characters.
  public func string(_ index: Int) -> String? {
    guard isString(index) else { return nil }
    return view(index).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of an argument declared as a string, in Lua's own memory; valid during the call.
  @inlinable public func view(_ index: Int) -> UnsafeRawBufferPointer? {
    let text = luath_to_text(thread, Int32(truncatingIfNeeded: index))
    guard let start = text.start else { return nil }
    return UnsafeRawBufferPointer(start: start, count: text.length)
  }

  /// The Swift object behind a userdata of a checked parameter.
  public func object<T: AnyObject>(_ index: Int, as type: T.Type = T.self) -> T? {
    guard let object = luath_to_object(thread, Int32(index)),
      let reference = object.pointee.reference
    else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue() as? T
  }

  /// A reference to the argument, which keeps it alive.
  public func reference(_ index: Int) -> LuaReference {
    lua_pushvalue(thread, Int32(index))
    return LuaReference(takingTopOf: thread, in: state)
  }

  /// Pops the value on top and returns a reference to it.
  public func takeTop() -> LuaReference { LuaReference(takingTopOf: thread, in: state) }

  /// Pushes a field of a table by raw access and reads it with `body` at the new top.
  public func field<R>(_ index: Int, _ name: String, _ body: (LuaCall, Int) -> R) -> R {
    let table = lua_absindex(thread, Int32(index))
    _ = lua_checkstack(thread, 4)
    Self.push(name, on: thread)
    lua_rawget(thread, table)
    defer { luath_pop(thread, 1) }
    return body(self, Int(lua_gettop(thread)))
  }

  /// Pushes item `position` of a table by raw access and reads it with `body`.
  public func item<R>(_ index: Int, _ position: Int, _ body: (LuaCall, Int) -> R) -> R {
    _ = lua_checkstack(thread, 4)
    lua_rawgeti(thread, Int32(index), Int64(position))
    defer { luath_pop(thread, 1) }
    return body(self, Int(lua_gettop(thread)))
  }

  /// The raw length of a table or string, without metamethods.
  public func length(_ index: Int) -> Int { Int(lua_rawlen(thread, Int32(index))) }

  /// The name of the argument's type; for objects the name of their class.
  public func typeName(_ index: Int) -> String {
    if let object = luath_to_object(thread, Int32(index)),
      let name = object.pointee.type.pointee.name
    {
      return String(cString: name)
    }
    return String(cString: lua_typename(thread, lua_type(thread, Int32(index))))
  }

  // MARK: Walking tables

  /// Calls `body` with the stack positions of each key and value of a table, without metamethods.
  public func forEach<E: Error>(
    _ index: Int, _ body: (_ key: Int, _ value: Int) throws(E) -> Void
  ) throws(E) {
    let table = lua_absindex(thread, Int32(index))
    _ = lua_checkstack(thread, 6)
    let top = lua_gettop(thread)
    // lua_next cannot raise for nil or for a key that it returned itself.
    lua_pushnil(thread)
    while lua_next(thread, table) != 0 {
      do throws(E) {
        try body(Int(top) + 1, Int(top) + 2)
      } catch {
        lua_settop(thread, top)
        throw error
      }
      lua_settop(thread, top + 1)
    }
  }

  /// Copies all fields of a table to another, which has `known` of them already; returns their number.
  public func rememberFields(of table: Int, in fields: Int, known: Int64) -> Int64 {
    _ = lua_checkstack(thread, 8)
    return luath_remember_fields(thread, Int32(table), Int32(fields), known)
  }

  /// Sets the fields of a table to those that `rememberFields` copied; `count` is what that returned, or -1.
  public func restoreFields(of table: Int, from fields: Int, count: Int64) {
    _ = lua_checkstack(thread, 8)
    luath_restore_fields(thread, Int32(table), Int32(fields), count)
  }

  /// The strings of a list; other items are left out.
  public func strings(_ index: Int) -> [String] {
    guard isTable(index) else { return [] }
    let table = Int(lua_absindex(thread, Int32(index)))
    return (0..<length(table)).compactMap { position in
      item(table, position + 1) { $0.string($1) }
    }
  }

  /// The pairs of a table from strings to strings, ordered by name.
  public func stringPairs(_ index: Int) -> [(String, String)] {
    guard isTable(index) else { return [] }
    var pairs: [(String, String)] = []
    forEach(index) { key, value in
      if let name = string(key), let text = string(value) { pairs.append((name, text)) }
    }
    return pairs.sorted { $0.0 < $1.0 }
  }

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
