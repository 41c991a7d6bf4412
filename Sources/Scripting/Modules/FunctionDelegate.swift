import Auth
import Delegates
import Encoding
import HTTP
import IdentityToolkit
import Lua

/// Shows pages by calling a Lua function, which may wait.
struct FunctionDelegate: PageDelegate {
  private let function: LuaReference
  private let interpreter: Interpreter
  /// The job whose call shows the page.
  private let caller: Job?

  init(_ function: LuaReference, _ interpreter: Interpreter) {
    self.function = function
    self.interpreter = interpreter
    caller = interpreter.currentJob
  }

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let answer = try await interpreter.shown(providerID: request.providerID) {
      () async throws(LuaError) in
      try await interpreter.call(function, [Self.argument(request)], for: caller)
    }
    guard let answer else {
      throw AuthError(
        .webContextCancelled, "the delegate function returned no address",
        hint: "return the address the provider came back to, or raise an error to cancel")
    }
    return answer
  }

  /// What a function is told of the page to show.
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
  /// Calls a function that shows a page, and takes what it returns for the page's answer; nil when
  /// that is nothing.
  func shown(
    providerID: String, _ call: () async throws(LuaError) -> [LuaReference]
  ) async throws(AuthError) -> PageAnswer? {
    let results: [LuaReference]
    do throws(LuaError) {
      results = try await call()
    } catch {
      throw failure(of: error, providerID: providerID)
    }
    let address = results.first.flatMap { lua.read($0) { $0.string($1) } }
    if let first = results.first, address == nil {
      let type = lua.read(first) { $0.typeName($1) }
      if type != "nil", type != "boolean" {
        throw AuthError(
          .webPageUnusable, "the delegate function returned a \(type), not an address",
          hint: "return the address the provider came back to, as a string")
      }
    }
    guard let address else { return nil }
    // A page that posts has its answer in the body, which the function gives beside the address.
    let body = results.dropFirst().first.flatMap { lua.read($0) { $0.string($1) } }
    return PageAnswer(finalURL: address, postBody: body.map { Secret($0) })
  }

  /// What the error of such a function means for the sign-in.
  private func failure(of error: LuaError, providerID: String) -> AuthError {
    let failure = describe(error, traceback: "")
    if let kind = failure.code.flatMap({ PageError.Code(rawValue: $0) }), kind != .cancelled {
      let message = failure.words(in: "the delegate function")
      let known = AuthError(
        PageError(kind, message, hint: failure.hint ?? ""), providerID: providerID)
      return AuthError(known.code, message, hint: failure.hint, details: known.details)
    }
    return authError(
      failure, in: "the delegate function", hint: "mend the function that shows the page")
  }

  /// What a function of the script raised, in Auth's terms; an error of Auth keeps its code.
  func authError(_ failure: ScriptFailure, in words: String, hint: String) -> AuthError {
    if let code = failure.code.flatMap({ ErrorCode(rawValue: $0) }) {
      return AuthError(code, failure.message, hint: failure.hint)
    }
    let code: ErrorCode =
      switch failure.code {
      case "cancelled": .webContextCancelled
      case "timeout": .webContextTimedOut
      default: .webSignInUserInteractionFailure
      }
    return AuthError(code, failure.words(in: words), hint: failure.hint ?? hint)
  }
}

extension ScriptFailure {
  /// The message, with who failed and where.
  fileprivate func words(in subject: String) -> String {
    "\(subject) failed: \(place.map { "\($0): " } ?? "")\(message)"
  }
}
