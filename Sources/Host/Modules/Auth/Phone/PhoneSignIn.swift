import Client
import System
import IdentityToolkit
import Lua

/// Gets a credential for a phone number: requests an SMS code and reads it with a Lua function, which may wait.
struct PhoneSignIn {
  /// The option for the reCAPTCHA token that a real project requires before it sends SMS.
  static var captcha: LuaParameter {
    LuaParameter("recaptchaToken", .secret, optional: true, "an answer of reCAPTCHA")
  }

  static var parameters: [LuaParameter] {
    [
      LuaParameter("number", .string, "with its country code, such as +15555550100"),
      LuaParameter("delegate", .function, "gets { phoneNumber, verificationID }, gives the code"),
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
    let results = try await interpreter.call(delegate, [request], for: caller)
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
