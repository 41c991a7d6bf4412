import CLua
import CShims

/// A host function for Lua: its signature, checked before the body runs, and the body.
public final class LuaFunction {
  /// The result of the body: the number of pushed results, or that the call waits.
  public enum Answer {
    case results(Int)
    case waits
  }

  /// The body; runs after the arguments have been checked.
  public typealias Body = (LuaCall) throws(LuaError) -> Answer

  /// How to call it, for error messages: `auth:signIn(credential)`.
  public let usage: String
  /// The parameters in order; the first of a method is the object itself.
  public let parameters: [LuaParameter]
  let variadic: Bool
  /// Whether it is a `__call`, whose first argument (the table) scripts do not see.
  let callsTable: Bool
  /// Whether a call waits, so that other tasks run meanwhile.
  public let waits: Bool
  /// The names that arguments may have in a call with one table: `signIn{ with = credential }`.
  ///
  /// The first one names the first argument. Set them before the function is pushed.
  public var labels: [LuaLabel] = []
  let body: Body
  let finish: Body?

  /// Creates a host function.
  ///
  /// - Parameters:
  ///   - usage: How to call it, for error messages: `auth:signIn(credential)`.
  ///   - parameters: The parameters in order; the first of a method is the object itself.
  ///   - callsTable: Whether it is a `__call`, whose first argument (the table) scripts do not see.
  ///   - variadic: Whether extra arguments are accepted.
  ///   - finish: For a function that waits: pushes the results after the wait.
  ///   - body: The implementation.
  public init(
    usage: String, parameters: [LuaParameter], variadic: Bool = false, callsTable: Bool = false,
    finish: Body? = nil, body: @escaping Body
  ) {
    self.callsTable = callsTable
    self.usage = usage
    self.parameters = parameters
    self.variadic = variadic
    self.waits = finish != nil
    self.finish = finish
    self.body = body
  }
}

/// A name for an argument in a call with one table.
public struct LuaLabel: Sendable {
  /// The key in the table: `with`.
  public let name: String
  /// The position of the argument, from 1; the object of a method is the first.
  public let argument: Int
  /// The option of that argument that the value becomes; nil if the value is the argument itself.
  public let option: String?

  /// Creates a label.
  public init(_ name: String, argument: Int, option: String? = nil) {
    self.name = name
    self.argument = argument
    self.option = option
  }
}

/// A function compiled for one state: the C record that the trampoline reads, and its owner.
final class CompiledFunction {
  let record: UnsafeMutablePointer<luath_function>
  let function: LuaFunction
  let body: LuaFunction.Body
  // The state owns this object.
  unowned(unsafe) let state: LuaState

  init(_ function: LuaFunction, in state: LuaState) {
    self.function = function
    body = function.body
    self.state = state
    record = state.arena.allocate(luath_function.self)
    let parameters = state.arena.parameters(function.parameters)
    let labels = state.arena.allocate(luath_label.self, count: function.labels.count)
    for (index, label) in function.labels.enumerated() {
      labels[index] = luath_label(
        name: state.arena.text(label.name), argument: Int32(label.argument),
        field: label.option.map(state.arena.text))
    }
    record.initialize(
      to: luath_function(
        usage: state.arena.text(function.usage), parameters: parameters,
        parameter_count: Int32(function.parameters.count), variadic: function.variadic,
        called_table: function.callsTable, waits: function.waits, invoke: invokeFunction,
        finish: finishFunction, binding: nil,
        labels: labels, label_count: Int32(function.labels.count), slot: 0))
    record.pointee.binding = Unmanaged.passUnretained(self).toOpaque()
  }

  @inline(__always)
  func run(_ body: LuaFunction.Body, _ thread: OpaquePointer) -> Int32 {
    let call = LuaCall(thread: thread, state: state)
    do throws(LuaError) {
      switch try body(call) {
      case .results(let count): return Int32(truncatingIfNeeded: count)
      case .waits: return Int32(LUATH_WAIT.rawValue)
      }
    } catch {
      return Self.raise(error, call)
    }
  }

  // Not inlined: otherwise the call that does not raise would save registers for it.
  @inline(never)
  private static func raise(_ error: LuaError, _ call: LuaCall) -> Int32 {
    call.push(error)
    if case .value = error { return Int32(LUATH_RAISE_AGAIN.rawValue) }
    return Int32(LUATH_RAISE.rawValue)
  }
}

// The state keeps every compiled function alive until it is closed, so the pointers are valid.
@c private func invokeFunction(
  _ thread: OpaquePointer?, _ binding: UnsafeMutableRawPointer?
) -> Int32 {
  guard let thread, let binding else { return 0 }
  return Unmanaged<CompiledFunction>.fromOpaque(binding)._withUnsafeGuaranteedRef {
    $0.run($0.body, thread)
  }
}

@c private func finishFunction(
  _ thread: OpaquePointer?, _ binding: UnsafeMutableRawPointer?
) -> Int32 {
  guard let thread, let binding else { return 0 }
  return Unmanaged<CompiledFunction>.fromOpaque(binding)._withUnsafeGuaranteedRef {
    $0.run($0.function.finish ?? { _ in .results(0) }, thread)
  }
}

@c func explainArgument(
  _ thread: OpaquePointer?, _ binding: UnsafeMutableRawPointer?, _ index: Int32
) -> Bool {
  guard let thread, let binding else { return false }
  return Unmanaged<CompiledFunction>.fromOpaque(binding)._withUnsafeGuaranteedRef { compiled in
    let call = LuaCall(thread: thread, state: compiled.state)
    guard let text = compiled.state.explain?(compiled.function, call, Int(index)) else {
      return false
    }
    call.push(text)
    return true
  }
}

/// Keeps a Lua value alive for Swift; used and released on the state's own thread.
public final class LuaReference {
  let key: Int32
  private let registry: Registry

  /// Pops the value on top of the stack. [-1, +0, m]
  init(takingTopOf thread: OpaquePointer, in state: LuaState) {
    registry = state.registry
    key = luaL_ref(thread, luath_registry_index())
  }

  deinit { registry.release(key) }
}

/// Access to the Lua registry, which holds the referenced values; disabled once the state is closed.
///
/// A separate object, because a weak reference to the state would slow down every retain of it.
final class Registry {
  private var main: OpaquePointer?

  init(_ main: OpaquePointer) { self.main = main }

  func release(_ key: Int32) {
    if let main { luaL_unref(main, luath_registry_index(), key) }
  }

  func close() { main = nil }
}

/// A scheduled coroutine: runs a Lua function until it ends, fails or waits for an effect of the host.
public final class LuaCoroutine {
  /// How a run ended.
  public enum Outcome {
    case finished([LuaReference])
    case failed(LuaReference, traceback: String)
    case waiting
  }

  let state: LuaState
  let thread: OpaquePointer
  private let anchor: LuaReference
  private var pendingArguments: Int32

  /// Creates a coroutine that calls `function` when it is first resumed.
  public init(_ function: LuaReference, _ arguments: [LuaValue], in state: LuaState) {
    state.requireOpen()
    self.state = state
    guard let thread = lua_newthread(state.main) else {
      fatalError("the machine has no memory left")
    }
    self.thread = thread
    anchor = LuaReference(takingTopOf: state.main, in: state)
    let call = LuaCall(thread: thread, state: state)
    call.push(function)
    for argument in arguments { call.push(argument) }
    pendingArguments = Int32(arguments.count)
  }

  /// The traceback, innermost call first; also available after a stop.
  public var traceback: String {
    guard !state.isClosed else { return "" }
    luath_push_traceback(state.main, thread, nil, 0)
    defer { luath_pop(state.main, 1) }
    return state.call.string(-1) ?? ""
  }

  /// Starts the coroutine, or continues it after a wait.
  public func resume() -> Outcome {
    state.requireOpen()
    var results: Int32 = 0
    let arguments = pendingArguments
    pendingArguments = 0
    let status = luath_resume(state.host, thread, arguments, &results)
    switch status {
    case LUA_YIELD where state.stopReason != nil:
      // Keep the thread's stack: emptying it would run the script's `__close` handlers.
      LuaCall.push("the script was stopped", on: state.main)
      return .failed(LuaReference(takingTopOf: state.main, in: state), traceback: "")
    case LUA_YIELD:
      if luath_waits(thread, results) {
        luath_pop(thread, 1)
        return .waiting
      }
      // Our coroutine.yield refuses such a yield; only a foreign C module gets here.
      lua_settop(thread, 0)
      LuaCall.push("a C module yielded to the host, which luath does not support", on: thread)
      return .failed(LuaReference(takingTopOf: thread, in: state), traceback: "")
    case LUA_OK:
      var values: [LuaReference] = []
      for _ in 0..<results { values.append(LuaReference(takingTopOf: thread, in: state)) }
      return .finished(values.reversed())
    default:
      let traceback = traceback
      return .failed(LuaReference(takingTopOf: thread, in: state), traceback: traceback)
    }
  }
}
