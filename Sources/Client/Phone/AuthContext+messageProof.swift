import System

extension AuthContext {
  /// The fields that prove to the backend that no bot requests an SMS.
  ///
  /// They hold a reCAPTCHA response, or else the token that was set for the next call. Without either there are no
  /// fields: test numbers and emulators need none. A token is used up even if the call fails.
  func messageProof(_ answer: Secret?) -> JSONObject {
    if let answer { return ["recaptchaToken": .string(answer.reveal())] }
    guard let token = recaptchaToken else { return [:] }
    recaptchaToken = nil
    return [
      "captchaResponse": .string(token.reveal()), "clientType": .string(Self.clientType),
      "recaptchaVersion": .string(Self.recaptchaVersion),
    ]
  }
}
