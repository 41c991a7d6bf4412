import Client
import SignIn
import System
import HTTP
import IdentityToolkit
import Lua

extension UIModule {
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
      transport: transport.browser, answers: own, trace: context.pages, observe: pageObserver)
    return { request throws(AuthError) in try await delegate.present(request) }
  }
}
