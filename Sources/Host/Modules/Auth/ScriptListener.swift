import Client
import Lua

/// A Lua function that is called with each change of an Auth's signed-in user, in order, one call at a time.
///
/// Each call is a separate task, so the function may wait; an error of it fails the script like that of any
/// task that is not awaited. The function is stored with the Auth's Lua value, so that a function that refers
/// to its Auth does not keep it alive.
final class ScriptListener {
  private unowned let interpreter: Interpreter
  private weak var auth: Auth?
  private weak var listener: AuthListener?
  private let place: String
  private let passesAuth: Bool
  /// `file:line` of the call that added the listener.
  private var origin: String?
  private var changes: [User?] = []
  /// The function, while changes are pending.
  private var function: LuaReference?
  private weak var call: Job?

  private init(_ auth: Auth, at place: String, passesAuth: Bool, _ interpreter: Interpreter) {
    self.auth = auth
    self.place = place
    self.passesAuth = passesAuth
    self.interpreter = interpreter
  }

  /// Adds the function at index 2 as a listener of the Auth at index 1.
  static func add(
    _ call: LuaCall, hearsTokens: Bool, passesAuth: Bool, _ interpreter: Interpreter
  ) -> ScriptListener? {
    guard let auth = call.object(1, as: Auth.self) else { return nil }
    interpreter.listenerCount += 1
    let origin = call.place
    let made = ScriptListener(
      auth, at: "listener \(interpreter.listenerCount)", passesAuth: passesAuth, interpreter)
    made.origin = origin
    call.push(interpreter.classes.auth, auth)
    call.setStored(made.place, .reference(call.reference(2)))
    made.listener =
      hearsTokens
      ? auth.addIDTokenDidChangeListener { made.hear($0) }
      : auth.addStateDidChangeListener { made.hear($0) }
    return made
  }

  /// Removes the listener; pending changes are dropped.
  func stop(_ call: LuaCall) {
    changes = []
    if let job = self.call { interpreter.withdraw(job) }
    guard let auth, let listener else { return }
    auth.remove(listener)
    call.push(interpreter.classes.auth, auth)
    call.setStored(place, .nil)
  }

  private func hear(_ user: User?) {
    // A closed state cannot run listeners, but a finalizer may have signed the user out.
    guard !interpreter.isClosed else { return }
    changes.append(user)
    guard function == nil, let auth else { return }
    let value = interpreter.lua.makeReference(.object(interpreter.classes.auth, auth))
    function = interpreter.lua.read(value) { call, at in
      call.stored(at, place) { $0.isFunction($1) ? $0.reference($1) : nil }
    }
    tellNext()
  }

  private func tellNext() {
    guard let function, !changes.isEmpty else {
      self.function = nil
      call = nil
      return
    }
    var arguments = [
      changes.removeFirst().map { LuaValue.object(interpreter.classes.user, $0) } ?? .nil
    ]
    if passesAuth {
      arguments.insert(auth.map { .object(interpreter.classes.auth, $0) } ?? .nil, at: 0)
    }
    guard let job = try? interpreter.spawn(function, arguments) else {
      changes = []
      self.function = nil
      return call = nil
    }
    job.origin = origin
    call = job
    job.whenEnded { self.tellNext() }
  }
}

extension AuthClass {
  /// Declares the methods that add listeners, with the names of the Web SDK and the Apple SDK.
  static func listen(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let function = LuaParameter(
      "f", .function, "called with the user, or nil when no user is signed in")
    let stop = LuaFunction(
      usage: "stop()", parameters: [LuaParameter("self", .object(interpreter.classes.listener))],
      callsTable: true
    ) { call in
      call.object(1, as: ScriptListener.self)?.stop(call)
      return .results(0)
    }
    for (name, summary, hearsTokens) in [
      (
        "onAuthStateChanged",
        "Calls a function with the signed-in user: now, and after each change.",
        false
      ),
      (
        "onIDTokenChanged",
        "Calls a function with the signed-in user: now, at each sign-in and sign-out, at each new token.",
        true
      ),
    ] {
      methods.add(name, summary, [function], returns: "a function that ends it") {
        [unowned interpreter] call in
        let made = ScriptListener.add(
          call, hearsTokens: hearsTokens, passesAuth: false, interpreter)
        if let made { call.push(stop, bound: .object(interpreter.classes.listener, made)) }
        return .results(1)
      }
    }
    methods.alias([(old: "onIdTokenChanged", current: "onIDTokenChanged")])
    appleNames(&methods, interpreter)
  }

  /// Declares the Apple SDK's methods, which pass the Auth before the user and remove listeners by handle.
  private static func appleNames(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let function = LuaParameter("f", .function, "called with the Auth, and the user or nil")
    let handle = LuaParameter(
      "listener", .object(interpreter.classes.listener), "what add gave")
    for (kind, current, hearsTokens) in [
      ("StateDidChangeListener", "onAuthStateChanged", false),
      ("IDTokenDidChangeListener", "onIDTokenChanged", true),
    ] {
      methods.add(
        "add\(kind)", "\(current) as the Apple SDK has it.", [function], returns: "AuthListener"
      ) { [unowned interpreter] call in
        let made = ScriptListener.add(call, hearsTokens: hearsTokens, passesAuth: true, interpreter)
        if let made { call.push(interpreter.classes.listener, made) }
        return .results(1)
      }
      methods.add("remove\(kind)", "Ends what add\(kind) began.", [handle]) { call in
        call.object(2, as: ScriptListener.self)?.stop(call)
        return .results(0)
      }
    }
  }
}
