import Client
import SignIn
import System
import HTTP
import Lua

extension UIModule {
  static func declareWebDriver(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "webdriver", "Shows the page in a browser, and fills it or lets a function do that.",
      [LuaParameter("options", .options(answers + BrowserReader.fields + flow))],
      returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      let settings = try settings(call, interpreter)
      let script = script(call, interpreter, limit: settings.limits.duration)
      if script == nil, settings.answers.username.isEmpty {
        throw .message("bad argument #1 to 'webdriver' (give a 'username' or a 'script')")
      }
      let delegate = WebDriverDelegate(settings, script: script, loop: interpreter.actor.loop)
      if settings.keepsSession { _ = interpreter.resources.add { await delegate.end() } }
      call.push(interpreter.classes.delegate, DelegateBox(delegate, words: "ui.webdriver"))
      return .results(1)
    }
  }

  private static var answers: [LuaParameter] {
    [LuaParameter("username", .string, optional: true, "what the login form is given")]
      + SignInAnswers.parameters.filter { !["username", "language"].contains($0.name) }
  }

  private static var flow: [LuaParameter] {
    [
      LuaParameter(
        "script", .function, optional: true,
        "script(page, request) drives the page; it may return the final address"),
      LuaParameter(
        "redirectURI", .string, optional: true, "an address of this machine to wait at"),
      LuaParameter("timeout", .number, optional: true, "seconds for the whole sign-in; 120"),
      LuaParameter(
        "keepsSession", .boolean, optional: true, "later sign-ins find this one's cookies"),
    ]
  }

  private static func settings(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> WebDriverDelegate.Settings {
    let isNamed = call.field(1, "username") { !$0.isNil($1) }
    let answers =
      isNamed ? try SignInAnswers(call, 1, of: "webdriver") : SignInAnswers(username: "")
    interpreter.hide(answers)
    var browser = interpreter.context.browser
    try BrowserReader.read(call, 1, into: &browser)
    var settings = WebDriverDelegate.Settings(browser: browser, answers: answers)
    if let limit = try PageArguments.duration(call, 1, "timeout") {
      settings.limits.duration = limit
    }
    if let address = call.field(1, "redirectURI", { $0.string($1) }) {
      guard let url = WebURL(address), url.isLoopback else {
        throw .message("option 'redirectURI': an http address of this machine")
      }
      settings.redirectURI = url
    }
    settings.keepsSession = call.field(1, "keepsSession") { $0.boolean($1) }
    settings.trace = interpreter.context.pages
    settings.observe = interpreter.pageObserver
    return settings
  }

  private static func script(
    _ call: LuaCall, _ interpreter: Interpreter, limit: Duration
  ) -> WebDriverDelegate.Script? {
    let given = call.field(1, "script") { $0.isNil($1) ? nil : $0.reference($1) }
    guard let function = given else { return nil }
    // The function receives a page, whose methods are declared by that module.
    _ = interpreter.surface.module("luath.webdriver")
    return { [unowned interpreter] (page, request) async throws(AuthError) in
      let box = PageBox(page, interpreter, isOwned: false)
      let arguments = [
        LuaValue.object(interpreter.classes.page, box), FunctionDelegate.argument(request),
      ]
      return try await interpreter.shown(providerID: request.providerID) {
        () async throws(LuaError) in
        try await interpreter.call(function, arguments, within: limit)
      }
    }
  }
}
