import Client
import IdentityToolkit
import Lua
import SignIn
import System

/// Holds the state of browsers, as Lua objects must be class instances.
final class BrowserStateBox {
  let state: BrowserState

  init(_ state: BrowserState) { self.state = state }
}

/// What web apps of signed-in users keep in a browser.
enum BrowserStateClass {
  /// The options that describe the app.
  static var app: [LuaParameter] {
    [
      LuaParameter("origin", .string, "of the app's pages: http://localhost:3000"),
      LuaParameter(
        "apiKey", .secret, optional: true,
        "of the app's firebaseConfig; the target's, if it has one"),
      LuaParameter("appName", .string, optional: true, "the name in the SDK; [DEFAULT]"),
      LuaParameter(
        "persistence", .string, optional: true, "indexedDB, local or session; indexedDB"),
    ]
  }

  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.browserState
    var methods = Declarations(interpreter, owner: "state", type: type)
    methods.add(
      "add", "A state with the users of another one too.", [LuaParameter("other", .object(type))],
      returns: "BrowserState"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let state = held(call, 1), let other = held(call, 2) else { return .results(0) }
      let sum = try checked(.invalidArgument, interpreter) { () throws(Problem) in
        try state.adding(other)
      }
      call.push(interpreter.classes.browserState, BrowserStateBox(sum))
      return .results(1)
    }
    methods.add(
      "save", "Writes Playwright's storageState to a file that only you can read.",
      [LuaParameter("path", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let path = try interpreter.path(call, 2, of: "save", argument: 1)
      guard let state = held(call, 1) else { return .results(0) }
      let text = try checked(.invalidArgument, interpreter) { () throws(Problem) in
        try state.text(as: .playwright)
      }
      try checked(.keychainError, interpreter) { () throws(Problem) in
        try BrowserState.write(text, to: path)
      }
      return .results(0)
    }
    methods.add(
      "json", "Playwright's storageState, as JSON text with the users' tokens.", returns: "string"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let state = held(call, 1) else { return .results(0) }
      call.push(
        try checked(.invalidArgument, interpreter) { () throws(Problem) in
          try state.text(as: .playwright)
        })
      return .results(1)
    }
    methods.add(
      "script", "A JavaScript expression that stores the users in a page, with their tokens.",
      returns: "string"
    ) { call in
      call.push(.string(ifAny: held(call, 1)?.script))
      return .results(1)
    }
    type.methods = methods.members
    type.properties = [
      .computed("origins", .list(.string), "The origins of the apps.") {
        [unowned interpreter] call in
        call.push(interpreter.list(held(call, 1)?.origins ?? []))
        return .results(1)
      }
    ]
    type.describe = { "BrowserState(\(($0 as? BrowserStateBox)?.state.summary ?? ""))" }
    return methods.list
  }

  static func declare(in auth: inout Declarations, _ interpreter: Interpreter) {
    auth.wait(
      "browserState", "What a web app of the signed-in user keeps in a browser, to sign it in.",
      [LuaParameter("app", .options(app))], returns: "BrowserState"
    ) { [unowned interpreter] call throws(LuaError) in
      let make = try reader(call, 1, app: 2, interpreter)
      return { () async throws(LuaError) in
        [.object(interpreter.classes.browserState, BrowserStateBox(try await make()))]
      }
    }
  }

  /// Reads an Auth and the table of its app; returns how to make the state.
  static func reader(
    _ call: LuaCall, _ index: Int, app: Int, _ interpreter: Interpreter
  ) throws(LuaError) -> () async throws(LuaError) -> BrowserState {
    guard let auth = call.object(index, as: Auth.self) else { throw .message("this is no Auth") }
    if auth.target.backend == interpreter.context.target.backend,
      let refusal = interpreter.savingRefusal
    {
      throw refusal
    }
    func text(_ name: String) -> String? { call.option(app, name) { $0.string($1) } }
    let name = text("persistence") ?? BrowserState.Persistence.indexedDB.rawValue
    guard let persistence = BrowserState.Persistence(rawValue: name) else {
      let names = BrowserState.Persistence.allCases.map(\.rawValue)
      throw .message("option 'persistence': one of \(names.joined(separator: ", "))")
    }
    let app = try checked(.invalidArgument, interpreter) { () throws(Problem) in
      try BrowserState.App(
        origin: text("origin") ?? "", apiKey: text("apiKey").map { Secret($0) },
        name: text("appName"), persistence: persistence, of: auth.target)
    }
    return { () async throws(LuaError) in
      do throws(AuthError) {
        guard let user = auth.currentUser else {
          throw AuthError(.nullUser, "no user is signed in, so the browser has nothing to keep")
        }
        // The browser must not get a session that has ended, nor a token that expires in a moment.
        try await user.reload()
        return BrowserState(of: user, in: app)
      } catch {
        throw interpreter.luaError(error)
      }
    }
  }

  private static func held(_ call: LuaCall, _ index: Int) -> BrowserState? {
    call.object(index, as: BrowserStateBox.self)?.state
  }

  /// Runs work on a state and converts its problems to errors with a code.
  private static func checked<Value>(
    _ code: ErrorCode, _ interpreter: Interpreter, _ work: () throws(Problem) -> Value
  ) throws(LuaError) -> Value {
    do throws(Problem) { return try work() } catch {
      throw interpreter.luaError(AuthError(code, error.message, hint: error.hint))
    }
  }
}

extension PageClass {
  static func declareSignIn(_ page: inout Declarations, _ interpreter: Interpreter) {
    let path = LuaParameter("path", .string, optional: true, "of the app's page; /")
    let app = BrowserStateClass.app.map { field in
      LuaParameter(field.name, field.kind, optional: true, field.summary)
    }
    page.wait(
      "signInAs", "Stores a user in the browser, and opens the app, which is signed in.",
      [
        LuaParameter(
          "auth",
          .either([
            .object(interpreter.classes.auth), .object(interpreter.classes.browserState),
          ]), "an Auth with a user, or the result of auth:browserState"),
        LuaParameter("app", .options(app + [path]), optional: true, "needed for an Auth"),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let box = try PageArguments(call).page
      let path = call.option(3, "path") { $0.string($1) } ?? "/"
      guard path.hasPrefix("/") else {
        throw .message("option 'path': a path of the origin, such as /login")
      }
      let made = call.object(2, as: BrowserStateBox.self)?.state
      if made != nil,
        let field = app.first(where: { call.option(3, $0.name) { _, _ in true } == true })
      {
        throw .message("option '\(field.name)' is for an Auth; the state has its own")
      }
      let make =
        made == nil ? try BrowserStateClass.reader(call, 2, app: 3, interpreter) : nil
      return { () async throws(LuaError) in
        guard let state = try await make?() ?? made else { return [] }
        box.tell(.open, state.origins[0] + path)
        try await paged { () async throws(PageError) in
          try await box.page.signIn(state, path: path)
        }
        return []
      }
    }
  }
}
