import Auth
import Delegates
import Encoding
import Lua

extension UIModule {
  /// `ui.form`: fills the page's forms over HTTP.
  static func declareForm(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "form", "Fills the page's forms over HTTP, as one person without a browser.",
      [
        LuaParameter(
          "answers",
          .options([
            LuaParameter("username", .string, "what the login form is given"),
            LuaParameter("password", .string, optional: true),
            LuaParameter("consent", .boolean, optional: true, "false denies; true when not given"),
            LuaParameter("fields", .map(.string), optional: true, "other fields, by name or label"),
            LuaParameter(
              "trustedOrigins", .list(.string), optional: true,
              "other sites that may have the password"),
            LuaParameter("language", .string, optional: true, "as in Accept-Language"),
          ]))
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let username = call.field(1, "username", { $0.string($1) }) else {
        throw .message("bad argument #1 to 'form' (option 'username' is missing)")
      }
      var answers = SignInAnswers(
        username: username,
        password: call.field(1, "password") { $0.string($1) }.map { Secret($0) })
      answers.consent = call.field(1, "consent") { $0.isNil($1) || $0.boolean($1) }
      answers.fields = call.field(1, "fields") {
        Dictionary($0.stringPairs($1).map { ($0.0, Secret($0.1)) }) { $1 }
      }
      answers.trustedOrigins = call.field(1, "trustedOrigins") { $0.strings($1) }
      answers.languages = call.field(1, "language") { $0.string($1) }
      call.push(
        interpreter.classes.delegate,
        DelegateBox(
          FormDelegate(transport: interpreter.transport, answers: answers), words: "ui.form"))
      return .results(1)
    }
  }
}
