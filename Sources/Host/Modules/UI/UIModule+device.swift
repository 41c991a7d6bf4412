import Client
import HTTP
import IdentityToolkit
import Lua
import OIDC
import SignIn
import System

extension UIModule {
  static func declareDevice(_ ui: inout Declarations, _ interpreter: Interpreter) {
    ui.add(
      "device", "Lets the user sign in on another device, by a code they type there.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("issuer", .string, "the provider's, as it writes it"),
            LuaParameter("clientID", .string, "the project's at the provider"),
            LuaParameter("clientSecret", .secret, optional: true),
            LuaParameter(
              "scopes", .list(.string), optional: true, "openid, profile and email when not given"),
            LuaParameter(
              "prompt", .function, optional: true,
              "shows address and code; the terminal does when not given"),
            LuaParameter(
              "timeout", .number, optional: true, "seconds for the user; until the code expires"),
          ]))
      ], returns: "a delegate"
    ) { [unowned interpreter] call throws(LuaError) in
      let settings = try settings(call, interpreter)
      var limit: Duration?
      if let seconds = call.field(1, "timeout", { $0.number($1) }) {
        guard seconds > 0, seconds <= 86_400 else {
          throw .message(
            "bad argument #1 to 'device' (option 'timeout': more than 0 and at most 86400 seconds)"
          )
        }
        limit = .microseconds(Int64(seconds * 1e6))
      }
      let function = call.field(1, "prompt") { $0.isFunction($1) ? $0.reference($1) : nil }
      call.push(
        interpreter.classes.delegate,
        DelegateBox(
          EmulatedDevice(
            issuer: settings.issuer, interpreter: interpreter,
            base: DeviceDelegate(
              settings: settings, transport: interpreter.transport, limit: limit,
              now: { [unowned interpreter] in interpreter.clock.now },
              prompt: prompt(function, interpreter))), words: "ui.device"))
      return .results(1)
    }
  }

  private static func settings(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> OIDCClientSettings {
    func text(_ name: String) throws(LuaError) -> String {
      guard let text = call.field(1, name, { $0.string($1) }), !text.isEmpty else {
        throw .message("bad argument #1 to 'device' (option '\(name)' is missing)")
      }
      return text
    }
    var settings = OIDCClientSettings(
      issuer: interpreter.transport.answeringIssuer(try text("issuer")),
      clientID: try text("clientID"),
      clientSecret: call.field(1, "clientSecret") { $0.string($1) }.map { Secret($0) })
    settings.place = interpreter.transport.place(ofIssuer: settings.issuer)
    let scopes = call.field(1, "scopes") { $0.strings($1) }
    if !scopes.isEmpty { settings.scopes = scopes }
    return settings
  }

  private static func prompt(
    _ function: LuaReference?, _ interpreter: Interpreter
  ) -> DeviceDelegate.Prompt {
    guard let function else {
      if let terminal = interpreter.context.terminal {
        return DeviceDelegate.prompt(at: terminal)
      }
      return { (_) throws(AuthError) in
        throw AuthError(
          .webPageUnusable, "there is no terminal to show the address and the code of the device",
          hint: "give ui.device a function prompt(info) that shows info.verificationURI and "
            + "info.userCode")
      }
    }
    return { [unowned interpreter] (flow) async throws(AuthError) in
      let info = LuaValue.record([
        ("userCode", .string(flow.userCode)),
        ("verificationURI", .string(flow.verificationURI.description)),
        ("verificationURIComplete", .string(ifAny: flow.verificationURIComplete?.description)),
        ("expiresIn", .integer(flow.expiresIn)), ("interval", .number(flow.interval)),
      ])
      var traceback = ""
      do throws(LuaError) {
        _ = try await interpreter.call(function, [info], for: nil, traceback: &traceback)
      } catch {
        throw interpreter.authError(
          interpreter.describe(error, traceback: traceback), in: "the prompt function",
          hint: "mend the function given to ui.device as prompt")
      }
    }
  }
}

/// A device delegate that reports if the emulator lacks the provider.
private struct EmulatedDevice: AuthUIDelegate {
  let issuer: String
  unowned let interpreter: Interpreter
  let base: DeviceDelegate

  func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    guard case .credential(let get) = try await base.begin(providerID) else {
      preconditionFailure("a device shows no page")
    }
    return .credential { () async throws(AuthError) in
      do throws(AuthError) {
        return try await get()
      } catch {
        guard error.code == .webInternalError, await interpreter.lacksProvider(issuer) else {
          throw error
        }
        throw AuthError(
          .notImplemented, EmulatorFeature.identityProviders.absence, hint: EmulatorFeature.hint)
      }
    }
  }
}

extension SignInAnswers {
  static var parameters: [LuaParameter] {
    [
      LuaParameter("username", .string, "what the login form is given"),
      LuaParameter("password", .secret, optional: true),
      LuaParameter("consent", .boolean, optional: true, "false denies; true when not given"),
      LuaParameter("fields", .map(.secret), optional: true, "other fields, by name or label"),
      LuaParameter(
        "trustedOrigins", .list(.string), optional: true, "other sites that may have the password"),
      LuaParameter(
        "language", .string, optional: true,
        "as in Accept-Language; otherwise the languageCode of the Auth"),
    ]
  }

  init(_ call: LuaCall, _ index: Int, of function: String) throws(LuaError) {
    func wrong(_ words: String) -> LuaError {
      .message("bad argument #\(index) to '\(function)' (option \(words))")
    }
    guard let username = call.field(index, "username", { $0.string($1) }), !username.isEmpty else {
      throw wrong("'username' is missing")
    }
    self.init(
      username: username,
      password: call.field(index, "password") { $0.string($1) }.map { Secret($0) })
    consent = call.field(index, "consent") { $0.isNil($1) || $0.boolean($1) }
    fields = call.field(index, "fields") {
      Dictionary($0.stringPairs($1).map { ($0.0, Secret($0.1)) }) { $1 }
    }
    for text in call.field(index, "trustedOrigins", { $0.strings($1) }) {
      guard let url = WebURL(text), url.path == "/", url.query == nil, url.fragment == nil else {
        throw wrong("'trustedOrigins': an origin such as https://login.example.com expected")
      }
      trustedOrigins.append(url.origin)
    }
    languages = call.field(index, "language") { $0.string($1) }
    if let languages, !languages.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      throw wrong("'language': tags of languages expected, such as fr or de-AT,de")
    }
  }
}

extension FormLimits {
  static var timeoutParameter: LuaParameter {
    LuaParameter("timeout", .number, optional: true, "seconds for the whole sign-in; 60")
  }

  init(_ call: LuaCall, _ index: Int, of function: String) throws(LuaError) {
    self.init()
    guard let seconds = call.field(index, "timeout", { $0.number($1) }) else { return }
    guard seconds > 0, seconds <= 86_400 else {
      throw .message(
        "bad argument #\(index) to '\(function)' (option 'timeout': more than 0 and at most 86400 "
          + "seconds)")
    }
    duration = .microseconds(Int64(seconds * 1e6))
  }
}
