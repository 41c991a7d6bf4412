import Client
import IdentityToolkit
import Lua

extension AuthClass {
  /// Declares the methods that set the current user, save sessions and set the language.
  static func sessions(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "updateCurrentUser", "Makes a user the current one without a sign-in.",
      [LuaParameter("user", .object(interpreter.classes.user), optional: true)]
    ) { [unowned interpreter] call throws(LuaError) in
      let (auth, user) = (call.object(1, as: Auth.self), call.object(2, as: User.self))
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          try await auth?.updateCurrentUser(user)
          return []
        }
      }
    }
    methods.wait(
      "save", "Keeps the session in a file that only you can read, and the file up to date.",
      [LuaParameter("path", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let auth = call.object(1, as: Auth.self)
      if auth?.target.backend == interpreter.context.target.backend,
        let refusal = interpreter.savingRefusal
      {
        throw refusal
      }
      let path = try interpreter.path(call, 2, of: "save", argument: 1)
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          guard let auth, let user = auth.currentUser else {
            throw AuthError(.nullUser, "nobody is signed in, so there is no session to save")
          }
          try await interpreter.sessionFile(path, of: auth.target).save(user)
          return []
        }
      }
    }
    methods.add(
      "useAppLanguage", "Asks for mails in the language of LC_ALL, LC_MESSAGES or LANG."
    ) { [unowned interpreter] call in
      call.object(1, as: Auth.self)?.useAppLanguage(of: interpreter.context.environment)
      return .results(0)
    }
  }
}
