import Client
import SignIn
import HTTP
import Lua

extension UIModule {
  static func declareBrowser(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "browser", "Shows the page in the person's own browser, and waits on this machine for it.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter(
              "redirectURI", .string, optional: true,
              "where the browser comes back to: http://localhost, 127.0.0.1 or [::1], with a port "
                + "or a free one; http://localhost/callback"),
            LuaParameter(
              "open", .function, optional: true,
              "opens the address it is given; false asks the person to paste"),
            LuaParameter("timeout", .number, optional: true, "seconds for the person; 300"),
          ]), optional: true)
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      let address = try address(call)
      let opener: any PageOpener =
        call.option(1, "open") { $0.reference($1) }
        .map { FunctionOpener($0, interpreter) } ?? interpreter.systemOpener
      call.push(
        interpreter.classes.delegate,
        DelegateBox(
          BrowserDelegate(
            address: address, opener: opener, terminal: interpreter.context.terminal,
            loop: interpreter.actor.loop, limit: try limit(call, of: "browser", usual: 300)),
          words: "ui.browser"))
      return .results(1)
    }
  }

  private static func address(_ call: LuaCall) throws(LuaError) -> LoopbackAddress {
    let text = call.option(1, "redirectURI") { $0.string($1) }
    let url = text.flatMap { WebURL($0) }
    if text != nil, url == nil {
      throw .message(
        "bad argument #1 to 'browser' (option 'redirectURI': an http URL of this machine expected)")
    }
    do throws(LoopbackAddress.Problem) {
      return try LoopbackAddress(url)
    } catch {
      throw .message("bad argument #1 to 'browser' (option 'redirectURI' \(error.words))")
    }
  }

  static func limit(
    _ call: LuaCall, of name: String, usual seconds: Double
  ) throws(LuaError) -> Duration {
    let seconds = call.option(1, "timeout") { $0.number($1) } ?? seconds
    guard seconds > 0, seconds <= 86_400 else {
      throw .message(
        "bad argument #1 to '\(name)' (option 'timeout': more than 0 and at most 86400 seconds)")
    }
    return .microseconds(Int64(seconds * 1e6))
  }
}

extension Interpreter {
  var systemOpener: SystemOpener { SystemOpener(environment: context.environment) }
}
