import IdentityToolkit
public import System

/// Sign-in by a code sent to a phone number.
public struct PhoneAuthProvider {
  /// The provider's id.
  public static let id = "phone"

  private let auth: Auth

  /// A provider that sends codes with this Auth, its tenant and language.
  public init(auth: Auth) { self.auth = auth }

  /// A credential from a code and the verification id that `verifyPhoneNumber` returned.
  public static func credential(verificationID: Secret, verificationCode: Secret) -> Credential {
    Credential(
      providerID: id, content: .phone(verificationID: verificationID, code: verificationCode))
  }

  /// Sends a code to a number; with a session, to enroll it as a second factor.
  ///
  /// Returns the verification id for the credential. Real projects need a reCAPTCHA response, except for test phone
  /// numbers.
  public func verifyPhoneNumber(
    _ number: String, session: MultiFactorSession? = nil, recaptchaToken: Secret? = nil
  ) async throws(AuthError) -> Secret {
    guard !number.isEmpty else { throw AuthError(.missingPhoneNumber) }
    guard let session else {
      var body = auth.backend.messageProof(recaptchaToken)
      body["phoneNumber"] = .string(number)
      return try verificationID(
        await auth.backend.call(.sendVerificationCode, body, tenantID: auth.tenantID))
    }
    var body = try session.enrollingUser().backend.messageProof(recaptchaToken)
    body["phoneNumber"] = .string(number)
    let answer = try await session.call(
      .startMfaEnrollment, ["phoneEnrollmentInfo": .object(body)])
    return try verificationID(answer["phoneSessionInfo"]?.object)
  }

  /// Sends a code to the phone of a second factor, to finish a sign-in.
  public func verifyPhoneNumber(
    ofFactor uid: String, session: MultiFactorSession, recaptchaToken: Secret? = nil
  ) async throws(AuthError) -> Secret {
    let awaited = try session.awaitedFactor()
    guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    if let hint = awaited.hints.first(where: { ExactString($0.uid) == ExactString(uid) }),
      hint.factorID != PhoneMultiFactorGenerator.factorID
    {
      throw AuthError(
        .missingPhoneNumber,
        "the second factor is not a phone number, but of the kind \(hint.factorID)",
        hint: "finish with TOTPMultiFactorGenerator.assertionForSignIn(factor.uid, code)")
    }
    let answer = try await session.call(
      .startMfaSignIn,
      [
        "mfaEnrollmentId": .string(uid),
        "phoneSignInInfo": .object(session.backend.messageProof(recaptchaToken)),
      ])
    return try verificationID(answer["phoneResponseInfo"]?.object)
  }

  private func verificationID(_ answer: JSONObject?) throws(AuthError) -> Secret {
    guard let session = answer?["sessionInfo"]?.string, !session.isEmpty else {
      throw AuthError(
        .internalError, "the backend sent a code but not what belongs to it",
        hint: "check that the target is an Identity Toolkit backend")
    }
    return Secret(session)
  }

  /// Throws for codes that can only fail.
  static func check(verificationID: Secret, code: Secret) throws(AuthError) {
    guard !verificationID.reveal().isEmpty else { throw AuthError(.missingVerificationID) }
    guard !code.reveal().isEmpty else { throw AuthError(.missingVerificationCode) }
  }
}

extension Credential {
  /// The purpose of a verified number.
  enum PhoneOperation: String {
    case signUpOrIn = "SIGN_UP_OR_IN"
    /// Creates no account, unlike a sign-in.
    case reauthenticate = "REAUTH"
    case update = "UPDATE"
    case link = "LINK"
  }

  /// The body that sends an SMS code, or the proof from an earlier one, to the backend.
  func phoneRequest(_ operation: PhoneOperation) -> JSONObject {
    switch content {
    case .phone(let verificationID, let code):
      [
        "sessionInfo": .string(verificationID.reveal()), "code": .string(code.reveal()),
        "operation": .string(operation.rawValue),
      ]
    case .phoneProof(let number, let proof):
      [
        "phoneNumber": .string(number), "temporaryProof": .string(proof.reveal()),
        "operation": .string(operation.rawValue),
      ]
    case .password, .emailLink, .tokens, .redirect:
      preconditionFailure("\(signInMethod) is not a credential of a phone number")
    }
  }
}

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

extension User {
  /// Replaces the user's phone number; needs a recent sign-in.
  public func updatePhoneNumber(_ credential: Credential) async throws(AuthError) {
    switch credential.content {
    case .phone, .phoneProof: break
    default:
      throw AuthError(
        .rejectedCredential, "a \(credential.providerID) credential proves no phone number",
        hint: "make one with PhoneAuthProvider.credential(verificationID, code)")
    }
    try credential.checkUsable(by: backend)
    let answer = try SignInAnswer(
      await call(.signInWithPhoneNumber, credential.phoneRequest(.update)))
    try await adoptTokens(of: answer.response)
  }
}
