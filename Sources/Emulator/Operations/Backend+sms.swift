internal import System
internal import IdentityToolkit

/// An SMS with a code that a request asks for.
struct TextMessage {
  let number: String
  let purpose: VerificationCode.Purpose

  /// The purpose as functions receive it.
  var kind: String {
    switch purpose {
    case .signIn: "SIGN_IN_OR_SIGN_UP"
    case .enrollment: "MULTI_FACTOR_ENROLLMENT"
    case .secondFactor: "MULTI_FACTOR_SIGN_IN"
    }
  }
}

extension Backend {
  /// Sends the code that a request asks for, without calling the project's function.
  func sendSMS(_ call: Call) throws(Refusal) -> JSONObject {
    switch call.operation {
    case .startMFAEnrollment: try startMFAEnrollment(call)
    case .startMFASignIn: try startMFASignIn(call)
    default: try sendVerificationCode(call)
    }
  }

  /// Does the same, if the project's function allows it; test numbers do not call the function (measured).
  func sendSMSIfAllowed(_ call: Call) async throws(Refusal) -> JSONObject {
    if let message = try textMessage(of: call), testCode(of: message.number) == nil {
      _ = try await askAboutMessage(
        .beforeSendSms,
        ["phone_number": .string(message.number), "sms_type": .string(message.kind)], call.caller)
    }
    return try sendSMS(call)
  }

  /// The message that a request asks for; nil for an authenticator app.
  private func textMessage(of call: Call) throws(Refusal) -> TextMessage? {
    switch call.operation {
    case .startMFAEnrollment: try enrollmentMessage(call).message
    case .startMFASignIn: try secondFactorMessage(call)
    default: try signInMessage(call)
    }
  }
}
