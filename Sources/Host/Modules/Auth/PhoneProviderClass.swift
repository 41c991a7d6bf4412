import Client
import IdentityToolkit
import Lua
import System

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
      "verifyPhoneNumber", "Sends an SMS code: to a number, or to the phone of a second factor.",
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
    let auth = LuaParameter("auth", .object(interpreter.classes.auth), optional: true)
    func maker(_ usage: String, _ own: [LuaParameter]) -> LuaFunction {
      LuaFunction(usage: usage, parameters: own + [auth], callsTable: !own.isEmpty) {
        [unowned interpreter] call in
        let auth = call.object(own.count + 1, as: Auth.self) ?? interpreter.defaultAuth
        call.push(
          interpreter.classes.phoneProvider, PhoneProviderBox(PhoneAuthProvider(auth: auth)))
        return .results(1)
      }
    }
    let make = maker("Auth.PhoneAuthProvider([auth])", [LuaParameter("self", .table)])
    let named = interpreter.declared(maker("PhoneAuthProvider.provider([auth])", []))
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
    return ProviderConstructors.table(
      interpreter, "PhoneAuthProvider", id: PhoneAuthProvider.id,
      [("credential", credential), ("", named)], call: make, "write Auth.PhoneAuthProvider()")
  }
}

/// Gets a credential for a phone number: requests an SMS code and reads it with a Lua function, which may wait.
struct PhoneSignIn {
  /// The option for the reCAPTCHA token that a real project requires before it sends SMS.
  static var captcha: LuaParameter {
    LuaParameter("recaptchaToken", .secret, optional: true, "a response of reCAPTCHA")
  }

  static var parameters: [LuaParameter] {
    [
      LuaParameter("number", .string, "with its country code, such as +15555550100"),
      LuaParameter("delegate", .function, "gets { phoneNumber, verificationID }, returns the code"),
      LuaParameter("options", .options([captcha]), optional: true),
    ]
  }

  private let number: String
  private let delegate: LuaReference
  private let recaptchaToken: Secret?
  private let interpreter: Interpreter
  private let caller: Job?

  init(_ call: LuaCall, _ interpreter: Interpreter) {
    number = call.string(2) ?? ""
    delegate = call.reference(3)
    recaptchaToken = Self.captchaAnswer(call, 4)
    self.interpreter = interpreter
    caller = interpreter.currentJob
  }

  static func captchaAnswer(_ call: LuaCall, _ index: Int) -> Secret? {
    guard call.isTable(index) else { return nil }
    return call.field(index, "recaptchaToken") { $0.string($1) }.map { Secret($0) }
  }

  /// Requests the code and calls the delegate for it; an error of the delegate is passed on unchanged.
  func credential(for auth: Auth) async throws(LuaError) -> Credential {
    let verificationID = try await secret { () async throws(AuthError) in
      try await PhoneAuthProvider(auth: auth).verifyPhoneNumber(
        number, recaptchaToken: recaptchaToken)
    }
    let request = LuaValue.record([
      ("phoneNumber", .string(number)), ("verificationID", .string(verificationID.reveal())),
    ])
    // The error keeps its own place.
    var traceback = ""
    let results = try await interpreter.call(
      delegate, [request], for: caller, traceback: &traceback)
    let answer = results.first.map { interpreter.lua.read($0) { ($0.string($1), $0.typeName($1)) } }
    guard let code = answer?.0 else {
      throw interpreter.luaError(
        AuthError(
          .missingVerificationCode, "the delegate function gave \(answer?.1 ?? "nothing"), no code",
          hint: "return the code as a string, since a number loses the zeros it begins with"))
    }
    return PhoneAuthProvider.credential(
      verificationID: verificationID, verificationCode: Secret(code))
  }

  private func secret(
    _ work: () async throws(AuthError) -> Secret
  ) async throws(LuaError) -> Secret {
    do throws(AuthError) {
      return try await work()
    } catch {
      throw interpreter.luaError(error)
    }
  }
}

extension AuthClass {
  static func phone(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "signInWithPhoneNumber", "Signs in with an SMS code.",
      PhoneSignIn.parameters, returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      let auth = call.object(1, as: Auth.self)
      let phone = PhoneSignIn(call, interpreter)
      return { () async throws(LuaError) in
        guard let auth else { return [] }
        let credential = try await phone.credential(for: auth)
        return try await interpreter.auth { () async throws(AuthError) in
          [interpreter.value(try await auth.signIn(with: credential))]
        }
      }
    }
  }
}

extension UserClass {
  static func phone(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "linkWithPhoneNumber", "Adds a phone number as a sign-in method.", PhoneSignIn.parameters,
      returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.phoneEffect(call) { user, credential throws(AuthError) in
        try await user.link(with: credential)
      }
    }
    methods.wait(
      "reauthenticateWithPhoneNumber", "Reauthenticates the user with the linked phone number.",
      PhoneSignIn.parameters, returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.phoneEffect(call) { user, credential throws(AuthError) in
        try await user.reauthenticate(with: credential)
      }
    }
    methods.wait(
      "updatePhoneNumber", "Replaces the linked phone number.",
      [
        LuaParameter(
          "credential", .object(interpreter.classes.credential), "of PhoneAuthProvider.credential")
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let credential = call.object(2, as: Credential.self)
      return interpreter.userEffect(call) { user throws(AuthError) in
        guard let credential else { return [] }
        try await user.updatePhoneNumber(credential)
        return []
      }
    }
  }
}

extension Interpreter {
  /// An effect that gets a phone credential and passes it to `work`.
  fileprivate func phoneEffect(
    _ call: LuaCall, _ work: @escaping (User, Credential) async throws(AuthError) -> AuthResult
  ) -> Effect {
    let user = call.object(1, as: User.self)
    let phone = PhoneSignIn(call, self)
    return { () async throws(LuaError) in
      guard let user else { return [] }
      // The code is requested by the Auth of this user.
      let credential = try await phone.credential(for: user.authOfProject)
      return try await self.auth { () async throws(AuthError) in
        [self.value(try await work(user, credential))]
      }
    }
  }
}
