import CLua
import CShims
public import System
import Glibc
import Synchronization

/// A Lua state with the standard libraries, owned and used by one thread.
public final class LuaState {
  let host: UnsafeMutablePointer<luath_host>
  let main: OpaquePointer
  let registry: Registry
  private let door: StateDoor
  private var isClosing = false
  /// Whether the state's memory is freed, so that its values must not be used any more.
  private(set) var isClosed = false
  private(set) lazy var arena = Arena(for: self)
  private var functions: [ObjectIdentifier: CompiledFunction] = [:]
  private var classes: [ObjectIdentifier: CompiledClass] = [:]
  private var opened: Set<ObjectIdentifier> = []
  /// Returns advice about an argument that a function refuses, by its position.
  public var explain: ((LuaFunction, LuaCall, Int) -> String?)?

  /// Creates a state with the standard libraries open.
  ///
  /// - Parameter memoryLimit: Bytes the script may use; 0 = no limit.
  public init(memoryLimit: Int = 0) {
    host = .allocate(capacity: 1)
    memset(host, 0, MemoryLayout<luath_host>.size)
    guard let main = luath_open(host) else { fatalError("the machine has no memory left") }
    self.main = main
    registry = Registry(main)
    door = StateDoor(host)
    host.pointee.limit = memoryLimit
    host.pointee.explain = explainArgument
    registerMetatable("luath.Error", [("__name", .string("luath.Error"))])
  }

  deinit {
    close()
    host.deallocate()
  }

  /// Closes the state: frees all values, which runs the script's finalizers.
  public func close() {
    if isClosing { return }
    isClosing = true
    registry.close()
    luath_close(host)
    isClosed = true
    door.close()
  }

  /// Traps if the state is closed, instead of touching freed memory.
  func requireOpen() { precondition(!isClosed, "this Lua state is closed") }

  /// Access to the main thread's stack outside any script, for setup.
  public var call: LuaCall { LuaCall(thread: main, state: self) }

  /// Bytes in use.
  var memoryInUse: Int { host.pointee.used }

  // MARK: Declarations

  func compiled(_ function: LuaFunction) -> CompiledFunction {
    if let known = functions[ObjectIdentifier(function)] { return known }
    let made = CompiledFunction(function, in: self)
    functions[ObjectIdentifier(function)] = made
    return made
  }

  func compiled(_ type: LuaClass) -> CompiledClass {
    if let known = classes[ObjectIdentifier(type)] { return known }
    let made = CompiledClass(type, in: self)
    classes[ObjectIdentifier(type)] = made
    return made
  }

  /// Returns the compiled class, and creates its metatable on first use.
  func open(_ type: LuaClass) -> CompiledClass {
    let compiled = compiled(type)
    guard opened.insert(ObjectIdentifier(type)).inserted else { return compiled }
    if let describe = type.describe {
      let function = LuaFunction(usage: "tostring(\(type.name))", parameters: [], variadic: true) {
        call in
        if let object = call.object(1, as: AnyObject.self) { call.push(describe(object)) }
        return .results(1)
      }
      compiled.record.pointee.describe = self.compiled(function).record
    }
    if let close = type.close {
      // Lua also passes the error that ended the scope (manual 3.3.8), so `variadic`.
      let function = LuaFunction(usage: "close(\(type.name))", parameters: [], variadic: true) {
        call in
        if let object = call.object(1, as: AnyObject.self) { close(object, !call.isNil(2)) }
        return .results(0)
      }
      compiled.record.pointee.close = self.compiled(function).record
    }
    let properties = arena.allocate(luath_property.self, count: type.properties.count)
    for (index, property) in type.properties.enumerated() {
      properties[index] = record(property, of: type)
    }
    let methods = type.methods.map { ($0.name, LuaValue.function($0.function)) }
    let call = call
    call.push(.record(methods))
    luath_register_class(main, compiled.record, properties, Int32(type.properties.count))
    return compiled
  }

  private func record(_ property: LuaClass.Property, of type: LuaClass) -> luath_property {
    let usage = "\(type.name).\(property.name)"
    let own = LuaParameter("self", .object(type))
    func compile(_ body: LuaFunction.Body?, _ parameters: [LuaParameter])
      -> UnsafeMutablePointer<luath_function>?
    {
      body.map { compiled(LuaFunction(usage: usage, parameters: parameters, body: $0)).record }
    }
    let value = LuaParameter(property.name, property.kind, optional: property.optional)
    return luath_property(
      name: arena.text(property.name), get: compile(property.get, [own]),
      set: compile(property.set, [own, value]), stored: property.stored)
  }

  /// Registers a metatable for plain tables under a name.
  public func registerMetatable(_ name: String, _ fields: [(String, LuaValue)]) {
    call.push(name)
    call.push(.record(fields))
    lua_rawset(main, luath_registry_index())
  }

  /// Sets a global.
  public func setGlobal(_ name: String, _ value: LuaValue) {
    lua_rawgeti(main, luath_registry_index(), Int64(LUA_RIDX_GLOBALS))
    call.setField(name, value)
    luath_pop(main, 1)
  }

  /// Reads a field of a global table, such as `package.path`.
  public func withGlobal<R>(_ name: String, _ body: (LuaCall, Int) -> R) -> R {
    lua_rawgeti(main, luath_registry_index(), Int64(LUA_RIDX_GLOBALS))
    defer { luath_pop(main, 1) }
    return call.field(Int(lua_gettop(main)), name, body)
  }

  // MARK: Running

  /// Compiles a chunk of source text into a function.
  ///
  /// - Parameter name: `@file` for a file, `=name` for another source (manual 4.4, lua_load).
  /// - Throws: The compiler's message with file and line.
  public func load(_ text: [UInt8], name: String) throws(LuaError) -> LuaReference {
    requireOpen()
    let status = text.withUnsafeBytes {
      luath_load(main, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, name)
    }
    if status != LUA_OK {
      let message = call.string(-1) ?? "the chunk does not load"
      luath_pop(main, 1)
      throw .message(message)
    }
    return LuaReference(takingTopOf: main, in: self)
  }

  /// Calls a function that does not wait, outside any coroutine, and returns its first result.
  public func run(_ function: LuaReference, _ arguments: [LuaValue] = []) throws(LuaError)
    -> LuaReference
  {
    requireOpen()
    call.push(function)
    for argument in arguments { call.push(argument) }
    let status = luath_pcall(main, Int32(arguments.count), 1, false)
    let value = LuaReference(takingTopOf: main, in: self)
    if status != LUA_OK { throw .value(value) }
    return value
  }

  /// Reads the value behind a reference with `body`, at the given position.
  public func read<R, E: Error>(
    _ reference: LuaReference, _ body: (LuaCall, Int) throws(E) -> R
  ) throws(E) -> R {
    requireOpen()
    _ = lua_checkstack(main, 8)
    call.push(reference)
    let position = Int(lua_gettop(main))
    defer { lua_settop(main, Int32(position) - 1) }
    return try body(call, position)
  }

  /// Limits the memory to what is in use now plus `bytes`; 0 = no limit.
  public func setMemoryLimit(_ bytes: Int) {
    host.pointee.limit = bytes == 0 ? 0 : host.pointee.used + bytes
  }

  /// Converts a value to Lua and returns a reference to it.
  public func makeReference(_ value: LuaValue) -> LuaReference {
    requireOpen()
    call.push(value)
    return call.takeTop()
  }

  /// The result of `tostring` for a value; nil when `tostring` itself fails.
  public func text(of value: LuaReference) -> String? {
    guard
      let tostring = withGlobal("tostring", { call, at in call.reference(at) }) as LuaReference?,
      let text = try? run(tostring, [.reference(value)])
    else { return nil }
    return read(text) { $0.string($1) }
  }

  // MARK: Stopping

  /// Lets a stop handle reach the calling thread, which is about to run scripts.
  public static func adoptCurrentThread() {
    luath_watch_signal(LuaStopHandle.signal)
    luath_unblock_watch_signal()
  }

  /// The requested stop, if any.
  public var stopReason: LuaStop? { LuaStop(rawValue: luath_stop_of(host)) }

  /// Stops the running script from its own thread.
  public func stop(_ reason: LuaStop) { luath_stop(host, reason.rawValue) }

  /// Clears the stop, so that the state can run other code.
  ///
  /// The stopped code never continues: its coroutines stay suspended, and their `__close` is not run.
  public func forgetStop() { luath_forget_stop(host) }

  /// Clears an interruption that no running code has received.
  public func forgetInterruption() { luath_forget_interrupt(host) }

  /// A handle with which another thread may stop the script.
  public var stopHandle: LuaStopHandle { LuaStopHandle(door: door) }
}

/// Stops a script from another thread; safe even while the state is being closed.
///
/// A handle may outlive the state; its functions then do nothing.
public struct LuaStopHandle: Sendable {
  let door: StateDoor

  /// The signal sent to the script's thread.
  static let signal = SIGURG

  /// Records the reason and interrupts the thread that runs the script; false when the state is closed.
  @discardableResult
  public func request(_ reason: LuaStop, thread: UInt) -> Bool {
    door.enter { host in
      luath_request_stop(host, reason.rawValue)
      pthread_kill(thread, Self.signal)
    }
  }

  /// Raises the error "interrupted" at the next instruction of the running code; false when the state is closed.
  ///
  /// The script may catch the error.
  @discardableResult
  public func interrupt(thread: UInt) -> Bool {
    door.enter { host in
      luath_request_interrupt(host)
      pthread_kill(thread, Self.signal)
    }
  }
}

/// Access of other threads to a state's stop flags, which ends when the state is closed.
///
/// The flags are atomic. The state's thread takes the lock (`close`) before it frees them.
final class StateDoor: Sendable {
  /// The host's address; 0 once the state is closed.
  private let address: Mutex<UInt>

  init(_ host: UnsafeMutablePointer<luath_host>) { address = Mutex(UInt(bitPattern: host)) }

  /// Runs a closure while the state cannot be closed; false when it is closed already.
  func enter(_ body: (UnsafeMutablePointer<luath_host>) -> Void) -> Bool {
    address.withLock { address in
      guard let host = UnsafeMutablePointer<luath_host>(bitPattern: address) else { return false }
      body(host)
      return true
    }
  }

  func close() { address.withLock { $0 = 0 } }
}

extension SystemLibrary {
  /// The Lua library that runs the scripts.
  public static var lua: SystemLibrary {
    // The only place with the loaded library's release number: `$LuaVersion: Lua 5.4.4  Copyright (C) …`.
    let words = String(cString: luath_lua_identity()).split(separator: " ")
    return SystemLibrary(
      "Lua", words.count > 2 ? String(words[2]) : nil,
      headers: "\(LUA_VERSION_MAJOR).\(LUA_VERSION_MINOR).\(LUA_VERSION_RELEASE)")
  }
}
