import SignIn
import Lua

extension UIModule {
  static func declareForm(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "form", "Fills the page's forms over HTTP, as one person without a browser.",
      [
        LuaParameter(
          "answers",
          .options(
            SignInAnswers.parameters + [
              FormLimits.timeoutParameter,
              LuaParameter(
                "keepsSession", .boolean, optional: true,
                "true keeps the cookies for later sign-ins"),
            ]))
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      let answers = try SignInAnswers(call, 1, of: "form")
      interpreter.hide(answers)
      let delegate = FormDelegate(
        transport: interpreter.transport.browser, answers: answers,
        limits: try FormLimits(call, 1, of: "form"),
        keepsSession: call.field(1, "keepsSession") { $0.boolean($1) },
        trace: interpreter.context.pages, observe: interpreter.pageObserver)
      call.push(interpreter.classes.delegate, DelegateBox(delegate, words: "ui.form"))
      return .results(1)
    }
  }
}
