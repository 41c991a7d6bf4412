import Auth
import Encoding
import IdentityToolkit
import Lua

/// A number on its way to a credential: a code is sent, and a Lua function, which may wait, reads it.
struct PhoneSignIn {
  /// The proof, for a real project, that no robot asks for messages.
  static var proofOptions: [LuaParameter] {
    [
      LuaParameter("recaptchaToken", .string, optional: true, "an answer of reCAPTCHA"),
      LuaParameter(
        "recaptchaVersion", .string, optional: true,
        "RECAPTCHA_ENTERPRISE, for an answer of that service"),
    ]
  }

  static var parameters: [LuaParameter] {
    [
      LuaParameter("number", .string, "with its country code, such as +15555550100"),
      LuaParameter("delegate", .function, "gets { phoneNumber, verificationID }, gives the code"),
      LuaParameter("options", .options(proofOptions), optional: true),
    ]
  }

  private let number: String
  private let delegate: LuaReference
  private let proof: RecaptchaProof?
  private let interpreter: Interpreter
  /// The job whose call signs in.
  private let caller: Job?

  /// Reads the arguments that follow the object.
  init(_ call: LuaCall, _ interpreter: Interpreter) {
    number = call.string(2) ?? ""
    delegate = call.reference(3)
    proof = Self.proof(call, 4)
    self.interpreter = interpreter
    caller = interpreter.currentJob
  }

  static func proof(_ call: LuaCall, _ index: Int) -> RecaptchaProof? {
    guard call.isTable(index),
      let token = call.field(index, "recaptchaToken", { $0.string($1) })
    else { return nil }
    return RecaptchaProof(
      token: Secret(token), version: call.field(index, "recaptchaVersion") { $0.string($1) })
  }

  /// Has the code sent, and asks the delegate for it; what that raises is raised as it is.
  func credential(for auth: Auth) async throws(LuaError) -> Credential {
    let verificationID = try await secret { () async throws(AuthError) in
      try await PhoneAuthProvider(auth: auth).verifyPhoneNumber(number, proof: proof)
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
