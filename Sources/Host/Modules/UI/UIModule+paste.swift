import SignIn
import HTTP
import Lua

extension UIModule {
  static func declarePaste(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "paste", "Prints the page's address, and reads the one it ends at from standard input.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("timeout", .number, optional: true, "seconds for the person; 300"),
            LuaParameter(
              "qr", .boolean, optional: true,
              "whether a terminal that is wide enough shows a QR code; true"),
          ]), optional: true)
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let terminal = interpreter.context.terminal else {
        throw .message("this run has no terminal to paste at")
      }
      call.push(
        interpreter.classes.delegate,
        DelegateBox(
          PasteDelegate(
            terminal: terminal, loop: interpreter.actor.loop,
            limit: try limit(call, of: "paste", usual: 300),
            showsPicture: call.option(1, "qr") { $0.boolean($1) } ?? true),
          words: "ui.paste"))
      return .results(1)
    }
  }
}
