import Client
import HTTP
import IdentityToolkit
import Lua
import SignIn
import System

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
    settings.recorder = interpreter.pageRecorder
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
        (traceback: inout String) async throws(LuaError) in
        try await interpreter.call(function, arguments, within: limit, traceback: &traceback)
      }
    }
  }

  static func declareRecorded(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "record", "Keeps the exchange of pages of each sign-in in a file, without secrets.",
      [
        LuaParameter("delegate", .object(interpreter.classes.delegate), "one of ui.form"),
        LuaParameter("file", .string, "the file; it holds the last sign-in"),
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let form = call.object(1, as: DelegateBox.self)?.delegate as? FormDelegate else {
        throw .message("bad argument #1 to 'record' (a delegate of ui.form expected)")
      }
      guard let file = call.string(2), !file.isEmpty else {
        throw .message("bad argument #2 to 'record' (the path of a file expected)")
      }
      call.push(
        interpreter.classes.delegate,
        DelegateBox(form.recording(to: file), words: "ui.record"))
      return .results(1)
    }
    ui.add(
      "recorded", "Goes through the pages of a recorded sign-in, without the network.",
      [
        LuaParameter(
          "answers",
          .options(
            [LuaParameter("file", .string, "what ui.record wrote")] + SignInAnswers.parameters))
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let file = call.field(1, "file", { $0.string($1) }), !file.isEmpty else {
        throw .message("bad argument #1 to 'recorded' (option 'file' is missing)")
      }
      let answers = try SignInAnswers(call, 1, of: "recorded")
      let delegate = RecordedDelegate(answers: answers, file: file) { [weak interpreter] request in
        interpreter?.completion(of: request, as: answers)
      }
      call.push(interpreter.classes.delegate, DelegateBox(delegate, words: "ui.recorded"))
      return .results(1)
    }
  }
}

extension Interpreter {
  /// The end of a replayed sign-in at an emulator; nil otherwise.
  ///
  /// It signs in as the test user of that name at the emulator's provider, as a recorded code cannot be redeemed
  /// again.
  fileprivate func completion(
    of request: SignInPageRequest, as answers: SignInAnswers
  ) -> RecordedDelegate.Finish? {
    let targets = [context.target] + context.targets.values
    let isOurs = targets.contains { target in
      guard case .emulator(let url) = target.backend else { return false }
      return url.origin == request.url.origin
    }
    guard request.isEmulated, isOurs else { return nil }
    var own = answers
    let name = answers.username.lowercased()
    if let person = context.people.first(where: { $0.email.lowercased() == name }) {
      own.password = Secret(person.password)
    }
    let delegate = FormDelegate(
      transport: transport.browser, answers: own, trace: context.pages, observe: pageObserver,
      recorder: pageRecorder)
    return { request throws(AuthError) in try await delegate.present(request) }
  }
}
