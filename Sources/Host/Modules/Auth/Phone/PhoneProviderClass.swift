import Client
import System
import Lua

/// Holds a phone provider, as Lua objects must be class instances.
final class PhoneProviderBox {
  let provider: PhoneAuthProvider

  init(_ provider: PhoneAuthProvider) { self.provider = provider }
}

enum PhoneProviderClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.phoneProvider
    type.properties = [
      .computed("providerID", .string, "The constant phone.") { call in
        call.push(PhoneAuthProvider.id)
        return .results(1)
      }
    ]
    type.describe = { _ in "PhoneAuthProvider" }
    var methods = Declarations(interpreter, owner: "provider", type: type)
    methods.wait(
      "verifyPhoneNumber", "Has a code sent: to a number, or to a telephone of a second factor.",
      [
        LuaParameter(
          "number", .either([.string, .table]), optional: true,
          "with its country code, or a factor of err.resolver.hints"),
        LuaParameter(
          "options",
          .options(
            [
              LuaParameter(
                "session", .object(interpreter.classes.multiFactorSession), optional: true,
                "for a second factor"),
              MultiFactorBridge.factor("hint", optional: true), PhoneSignIn.captcha,
            ]), optional: true),
      ], returns: "the verification's id, for PhoneAuthProvider.credential"
    ) { [unowned interpreter] call throws(LuaError) in
      let send = try request(call)
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          [.string(try await send().reveal())]
        }
      }
    }
    type.methods = methods.members
    return methods.list
  }

  private static func request(
    _ call: LuaCall
  ) throws(LuaError) -> () async throws(AuthError) -> Secret {
    guard let provider = call.object(1, as: PhoneProviderBox.self)?.provider else {
      throw .message("the provider is gone")
    }
    let answer = PhoneSignIn.captchaAnswer(call, 3)
    let session =
      call.isTable(3)
      ? call.field(3, "session") { $0.object($1, as: MultiFactorSession.self) } : nil
    let hint = try hint(call)
    guard let hint else {
      guard let number = call.string(2) else {
        throw .message("bad argument #1 to 'verifyPhoneNumber' (a number, or a hint, is needed)")
      }
      return { () async throws(AuthError) in
        try await provider.verifyPhoneNumber(number, session: session, recaptchaToken: answer)
      }
    }
    guard !call.isString(2) else {
      throw .message(
        "bad argument #1 to 'verifyPhoneNumber' (give a number or a hint, but not both)")
    }
    guard let session else {
      throw .message(
        "bad argument #2 to 'verifyPhoneNumber' (a hint needs the session, err.resolver.session)")
    }
    return { () async throws(AuthError) in
      try await provider.verifyPhoneNumber(ofFactor: hint, session: session, recaptchaToken: answer)
    }
  }

  /// The UID of the factor given in place of a number or in the options.
  private static func hint(_ call: LuaCall) throws(LuaError) -> String? {
    if call.isTable(2) { return try MultiFactorBridge.factorUID(call, 2, of: "verifyPhoneNumber") }
    guard call.isTable(3) else { return nil }
    var result: Result<String?, LuaError> = .success(nil)
    call.field(3, "hint") { call, at in
      guard !call.isNil(at) else { return }
      do throws(LuaError) {
        result = .success(try MultiFactorBridge.factorUID(call, at, of: "verifyPhoneNumber"))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// `Auth.PhoneAuthProvider`: creates providers when called, and has the function `credential`.
  static func constructor(_ interpreter: Interpreter) -> LuaValue {
    let make = LuaFunction(
      usage: "Auth.PhoneAuthProvider([auth])",
      parameters: [
        LuaParameter("self", .table),
        LuaParameter("auth", .object(interpreter.classes.auth), optional: true),
      ], callsTable: true
    ) { [unowned interpreter] call in
      let auth = call.object(2, as: Auth.self) ?? interpreter.defaultAuth
      call.push(
        interpreter.classes.phoneProvider, PhoneProviderBox(PhoneAuthProvider(auth: auth)))
      return .results(1)
    }
    let credential = interpreter.declared(
      LuaFunction(
        usage: "PhoneAuthProvider.credential(verificationID, code)",
        parameters: [LuaParameter("verificationID", .secret), LuaParameter("code", .secret)]
      ) { [unowned interpreter] call in
        call.push(
          interpreter.classes.credential,
          PhoneAuthProvider.credential(
            verificationID: Secret(call.string(1) ?? ""),
            verificationCode: Secret(call.string(2) ?? "")))
        return .results(1)
      })
    interpreter.lua.registerMetatable("luath.PhoneAuthProvider", [("__call", .function(make))])
    return .pushed { call in
      call.push(
        .record([
          ("id", .string(PhoneAuthProvider.id)), ("credential", .function(credential)),
        ]))
      call.useMetatable("luath.PhoneAuthProvider")
    }
  }
}
