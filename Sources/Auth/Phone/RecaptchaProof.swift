public import Encoding

/// An answer of reCAPTCHA, without which real projects send no messages.
///
/// Fictional test numbers and emulators need none.
public struct RecaptchaProof: Sendable {
  private let token: Secret
  private let version: String?

  /// An answer of the plain service, or of the enterprise service with its version.
  public init(token: Secret, version: String? = nil) {
    self.token = token
    self.version = version
  }

  /// The members of a request that carry it.
  var members: JSONObject {
    guard let version else { return ["recaptchaToken": .string(token.reveal())] }
    return [
      "captchaResponse": .string(token.reveal()), "recaptchaVersion": .string(version),
      "clientType": "CLIENT_TYPE_WEB",
    ]
  }
}
