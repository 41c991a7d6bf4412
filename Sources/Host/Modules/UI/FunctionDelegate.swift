import Client
import Emulator
import HTTP
import IdentityToolkit
import Lua
import SignIn
import System

/// Shows sign-in pages by calling a Lua function, which may wait.
struct FunctionDelegate: PageDelegate {
  private let function: LuaReference
  private let interpreter: Interpreter
  private let caller: Job?

  init(_ function: LuaReference, _ interpreter: Interpreter) {
    self.function = function
    self.interpreter = interpreter
    caller = interpreter.currentJob
  }

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let answer = try await interpreter.shown(providerID: request.providerID) {
      (traceback: inout String) async throws(LuaError) in
      try await interpreter.call(
        function, [Self.argument(request)], for: caller, traceback: &traceback)
    }
    guard let answer else {
      throw AuthError(
        .webContextCancelled, "the delegate function returned no address",
        hint: "return the address that the provider redirected to, or raise an error to cancel")
    }
    return answer
  }

  static func argument(_ request: SignInPageRequest) -> LuaValue {
    .record([
      ("url", .string(request.url.description)), ("providerID", .string(request.providerID)),
      ("redirectURI", .string(request.redirectURI.description)),
      ("loginHint", .string(ifAny: request.loginHint)),
      ("language", .string(ifAny: request.language)),
    ])
  }
}

extension Interpreter {
  /// Calls a function that shows a page and converts its results to the page's answer; nil when it returns no
  /// address.
  ///
  /// - Parameter call: Calls the function; sets the traceback if it fails.
  func shown(
    providerID: String, _ call: (_ traceback: inout String) async throws(LuaError) -> [LuaReference]
  ) async throws(AuthError) -> PageAnswer? {
    let results: [LuaReference]
    var traceback = ""
    do throws(LuaError) {
      results = try await call(&traceback)
    } catch {
      throw failure(of: error, traceback, providerID: providerID)
    }
    let address = results.first.flatMap { lua.read($0) { $0.string($1) } }
    if let first = results.first, address == nil {
      let type = lua.read(first) { $0.typeName($1) }
      if type != "nil", type != "boolean" {
        throw AuthError(
          .webPageUnusable, "the delegate function returned a \(type), not an address",
          hint: "return the address that the provider redirected to, as a string")
      }
    }
    guard let address else { return nil }
    // If the page posts its answer, the function returns the body as a second result.
    let body = results.dropFirst().first.flatMap { lua.read($0) { $0.string($1) } }
    return PageAnswer(finalURL: address, postBody: body.map { Secret($0) })
  }

  /// Converts an error of such a function to an `AuthError`.
  private func failure(
    of error: LuaError, _ traceback: String, providerID: String
  ) -> AuthError {
    let failure = describe(error, traceback: traceback)
    let subject = "the delegate function"
    if let kind = failure.code.flatMap({ PageError.Code(rawValue: $0) }), kind != .cancelled {
      let message = failure.words(in: subject)
      let known = AuthError(
        PageError(kind, message, hint: failure.hint ?? ""), providerID: providerID)
      return AuthError(known.code, message, hint: failure.hint, details: known.details)
        .failing(at: failure.innermostLine)
    }
    return authError(failure, in: subject, hint: "mend the function that shows the page")
  }

  /// Converts an error of a script's function to an `AuthError` at its line; an error code of Auth is kept.
  func authError(_ failure: ScriptFailure, in words: String, hint: String) -> AuthError {
    if let code = failure.code.flatMap({ ErrorCode(rawValue: $0) }) {
      return AuthError(code, failure.message, hint: failure.hint).failing(at: failure.innermostLine)
    }
    let code: ErrorCode =
      switch failure.code {
      case "cancelled": .webContextCancelled
      case "timeout": .webContextTimedOut
      default: .webSignInUserInteractionFailure
      }
    return AuthError(code, failure.words(in: words), hint: failure.hint ?? hint)
      .failing(at: failure.innermostLine)
  }
}

extension ScriptFailure {
  /// The message, with the function's description.
  fileprivate func words(in subject: String) -> String { "\(subject) failed: \(message)" }

  /// The innermost line of the script, as `file:line`.
  fileprivate var innermostLine: String? { place ?? Traceback(traceback).place }
}

/// The default delegate: with an emulator, fills the forms as one of its test users; with a real project, opens
/// the page in the browser of the user at the terminal.
struct DefaultDelegate: AuthUIDelegate {
  private let interpreter: Interpreter
  private let isEmulated: Bool

  init(_ interpreter: Interpreter, isEmulated: Bool) {
    self.interpreter = interpreter
    self.isEmulated = isEmulated
  }

  func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    guard isEmulated else { return try await browser(providerID).begin(providerID) }
    return .page(EmulatedPage(interpreter: interpreter))
  }

  private func browser(_ providerID: String) throws(AuthError) -> BrowserDelegate {
    guard let terminal = interpreter.context.terminal, terminal.isInteractive,
      let address = try? LoopbackAddress(nil)
    else { throw Self.nobody(providerID) }
    return BrowserDelegate(
      address: address, opener: interpreter.systemOpener, terminal: terminal,
      loop: interpreter.actor.loop)
  }

  static func nobody(_ providerID: String) -> AuthError {
    AuthError(
      .webPageUnusable, "no delegate shows the sign-in page of \(providerID)",
      hint: "pass a delegate: provider:getCredential(ui.form{ username = …, password = … }); "
        + "others are ui.webdriver, ui.browser and ui.paste")
  }
}

/// Opens pages by calling a Lua function, which may wait.
final class FunctionOpener: PageOpener {
  private let function: LuaReference
  private unowned let interpreter: Interpreter

  init(_ function: LuaReference, _ interpreter: Interpreter) {
    self.function = function
    self.interpreter = interpreter
  }

  func open(_ page: WebURL) async throws(PageOpeningFailure) {
    let results: [LuaReference]
    var traceback = ""
    do throws(LuaError) {
      results = try await interpreter.call(
        function, [.string(page.description)], for: nil, traceback: &traceback)
    } catch {
      throw .failed(
        interpreter.authError(
          interpreter.describe(error, traceback: traceback), in: "the function that opens the page",
          hint: "mend the function given to ui.browser as open"))
    }
    let isRefused = results.first.map { result in
      interpreter.lua.read(result) { $0.typeName($1) == "boolean" && !$0.boolean($1) }
    }
    if isRefused == true { throw .unavailable("the script opens none") }
  }
}
