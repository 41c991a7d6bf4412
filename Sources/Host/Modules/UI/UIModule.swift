import Client
import HTTP
import IdentityToolkit
import Lua
import SignIn
import System

enum UIModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var ui = Declarations(interpreter, owner: "ui")
    declareForm(&ui, interpreter)
    declareRecorded(&ui, interpreter)
    declareDevice(&ui, interpreter)
    declareBrowser(&ui, interpreter)
    declarePaste(&ui, interpreter)
    declareShow(&ui, interpreter)
    declareWebDriver(&ui, interpreter)
    return Module(
      "luath.ui", "How sign-in pages are shown.", ui.list,
      classes: [(interpreter.classes.delegate, [])])
  }

  static func declareForm(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "form", "Fills the page's forms over HTTP, as one user without a browser.",
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
        trace: interpreter.context.pages, observe: interpreter.pageObserver,
        recorder: interpreter.pageRecorder)
      call.push(interpreter.classes.delegate, DelegateBox(delegate, words: "ui.form"))
      return .results(1)
    }
  }

  static func declarePaste(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "paste", "Prints the page's address, and reads the one it ends at from standard input.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("timeout", .number, optional: true, "seconds for the user; 300"),
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

  static func declareShow(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.wait(
      "show", "Shows a page of a custom flow until it redirects to an address.",
      [
        LuaParameter("delegate", .either([.object(interpreter.classes.delegate), .function])),
        LuaParameter("url", .string, "the page"),
        LuaParameter("redirectURI", .string, "the address that ends the flow"),
      ], returns: "the final address, with query and fragment"
    ) { [unowned interpreter] call throws(LuaError) in
      let delegate = try interpreter.delegate(call, 1)
      guard let url = WebURL(call.string(2) ?? "") else {
        throw .message("bad argument #2 to 'show' (an http or https URL expected)")
      }
      guard let redirect = WebURL(call.string(3) ?? "") else {
        throw .message("bad argument #3 to 'show' (an http or https URL expected)")
      }
      // An emulated host is replaced by the emulator first, as the page's links and forms are relative to its address.
      let request = SignInPageRequest(
        url: interpreter.transport.answering(url), providerID: url.host, redirectURI: redirect,
        loginHint: url.fields["login_hint"],
        isEmulated: interpreter.context.target.isEmulated)
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          guard case .page(let presentation) = try await delegate.begin(request.providerID) else {
            throw AuthError(
              .webPageUnusable, "this delegate gets tokens by itself and shows no page",
              hint: "pass it to provider:getCredential, or show the page with another one")
          }
          let answer: Result<PageAnswer, AuthError>
          do throws(AuthError) {
            answer = .success(try await presentation.present(request))
          } catch {
            answer = .failure(error)
          }
          await presentation.end()
          let ending = try answer.get()
          guard let final = WebURL(ending.finalURL), final.origin == redirect.origin,
            final.path == redirect.path
          else {
            throw AuthError(
              .webStateMismatch,
              "the page did not end at \(redirect.origin)\(redirect.path)",
              hint: "return the complete address at which the page ended")
          }
          return [.string(ending.address)]
        }
      }
    }
  }

  static func declareBrowser(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "browser", "Shows the page in the user's browser, and waits on this machine for it.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter(
              "redirectURI", .string, optional: true,
              "the redirect address: http://localhost, 127.0.0.1 or [::1], with a port "
                + "or a free one; http://localhost/callback"),
            LuaParameter(
              "open", .function, optional: true,
              "opens the address it is given; false asks the user to paste"),
            LuaParameter("timeout", .number, optional: true, "seconds for the user; 300"),
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

/// Holds a delegate, as Lua objects must be class instances.
final class DelegateBox {
  let delegate: any AuthUIDelegate
  let words: String

  init(_ delegate: any AuthUIDelegate, words: String) {
    self.delegate = delegate
    self.words = words
  }
}

extension LuaCall {
  /// Reads a field of an options table; nil when the table or the field is missing.
  func option<R>(_ index: Int, _ name: String, _ body: (LuaCall, Int) -> R?) -> R? {
    guard isTable(index) else { return nil }
    return field(index, name) { $0.isNil($1) ? nil : body($0, $1) }
  }
}
