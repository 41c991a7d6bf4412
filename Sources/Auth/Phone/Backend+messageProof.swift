import Encoding

extension Backend {
  /// The members of a request for a message which prove that no robot asks: an answer of plain
  /// reCAPTCHA, or else the token that was set for the next call.
  ///
  /// Without either there are none, as test numbers and emulators need none. A token is good for one
  /// call, whatever becomes of it.
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
