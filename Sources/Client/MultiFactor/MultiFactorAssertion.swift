import IdentityToolkit
public import System

/// The proof of a second factor, for enrolling it or for finishing a sign-in.
///
/// Printing it shows only the kind of factor.
public final class MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case phone(verificationID: Secret, code: Secret)
    /// An authenticator app that is being enrolled.
    case newApp(sessionInfo: Secret, code: Secret)
    /// An authenticator app that is enrolled.
    case app(factorUID: String, code: Secret)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// The kind of factor: `phone` or `totp`.
  public var factorID: String {
    switch content {
    case .phone: PhoneMultiFactorGenerator.factorID
    case .newApp, .app: TOTPMultiFactorGenerator.factorID
    }
  }

  /// The fields that prove the factor to the backend.
  var proof: JSONObject {
    switch content {
    case .phone(let verificationID, let code):
      [
        "phoneVerificationInfo": [
          "sessionInfo": .string(verificationID.reveal()), "code": .string(code.reveal()),
        ]
      ]
    case .newApp(let sessionInfo, let code):
      [
        "totpVerificationInfo": [
          "sessionInfo": .string(sessionInfo.reveal()), "verificationCode": .string(code.reveal()),
        ]
      ]
    case .app(let factorUID, let code):
      [
        "mfaEnrollmentId": .string(factorUID),
        "totpVerificationInfo": ["verificationCode": .string(code.reveal())],
      ]
    }
  }

  /// Adds a hint to an error about an app's code, since requesting another code does not apply here.
  func advising(_ error: AuthError) -> AuthError {
    guard factorID == TOTPMultiFactorGenerator.factorID else { return error }
    switch error.code {
    case .invalidVerificationCode:
      return error.hinting(
        "pass the current code, which totp.code(secret) returns; each code works once, and "
          + "the one that enrolled the app does not sign in")
    case .invalidVerificationID, .sessionExpired:
      return error.hinting(
        "begin again with TOTPMultiFactorGenerator.generateSecret(session): this secret is "
          + "another user's, or was not enrolled in time")
    case .invalidArgument:
      return error.hinting(
        "give the app a name: user.multiFactor:enroll(assertion, \"my app\")")
    default: return error
    }
  }
}

extension MultiFactorAssertion: CustomStringConvertible, CustomReflectable {
  /// The kind of factor, without the code.
  public var description: String { "\(factorID) assertion" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Creates assertions for phones.
public enum PhoneMultiFactorGenerator {
  static let factorID = "phone"

  /// The assertion for an SMS code.
  public static func assertion(
    with credential: Credential
  ) throws(AuthError) -> MultiFactorAssertion {
    guard case .phone(let verificationID, let code) = credential.content else {
      throw AuthError(
        .rejectedCredential, "a \(credential.providerID) credential proves no second factor",
        hint: "make one with PhoneAuthProvider.credential(verificationID, code)")
    }
    try PhoneAuthProvider.check(verificationID: verificationID, code: code)
    return MultiFactorAssertion(.phone(verificationID: verificationID, code: code))
  }
}

/// Creates secrets and assertions for authenticator apps.
public enum TOTPMultiFactorGenerator {
  static let factorID = "totp"

  /// Requests a secret for an authenticator app of the session's user.
  public static func generateSecret(
    with session: MultiFactorSession
  ) async throws(AuthError) -> TOTPSecret {
    let user = try session.enrollingUser()
    let answer: JSONObject
    do {
      answer = try await session.call(.startMfaEnrollment, ["totpEnrollmentInfo": [:]])
    } catch {
      // Firebase's emulator treats every factor as a phone.
      guard error.message.contains("phoneEnrollmentInfo") else { throw error }
      throw await session.backend.explain(
        AuthError(
          .notImplemented, "the rules of this emulator leave out authenticator apps (TOTP)",
          hint: "start it with luath emulator --rules production, or add +totp to its rules",
          serverName: error.serverName), needing: .authenticatorApps)
    }
    guard let info = answer["totpSessionInfo"]?.object, let secret = TOTPSecret(info, of: user)
    else {
      throw AuthError(
        .internalError, "the backend gave no secret for an authenticator app",
        hint:
          "check that the target is an Identity Toolkit backend that supports authenticator apps")
    }
    return secret
  }

  /// The assertion that enrolls the app with this secret, by a code that it showed.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword code: Secret
  ) throws(AuthError) -> MultiFactorAssertion {
    try check(code)
    return MultiFactorAssertion(.newApp(sessionInfo: secret.sessionInfo, code: code))
  }

  /// The assertion that finishes a sign-in, by a code of the app with this enrollment id.
  public static func assertionForSignIn(
    withEnrollmentID uid: String, oneTimePassword code: Secret
  ) throws(AuthError) -> MultiFactorAssertion {
    guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    try check(code)
    return MultiFactorAssertion(.app(factorUID: uid, code: code))
  }

  private static func check(_ code: Secret) throws(AuthError) {
    guard !code.reveal().isEmpty else {
      throw AuthError(
        .missingVerificationCode, "the code of the authenticator app is empty",
        hint: "pass the code the app shows, or totp.code(secret)")
    }
  }
}

/// A secret for an authenticator app, and the parameters of its codes.
///
/// Printing it does not show the secret.
public final class TOTPSecret {
  /// The secret in base 32, the format of authenticator apps.
  public let sharedSecretKey: Secret

  /// The hash function for the codes, such as `SHA1`.
  public let hashingAlgorithm: String

  /// The number of digits of a code.
  public let digits: Int64

  /// The validity of a code, in seconds.
  public let period: Int64

  /// The deadline of the enrollment, in milliseconds since 1970.
  public let enrollmentDeadline: Int64?

  let sessionInfo: Secret
  private let email: String?
  private let projectID: String

  /// Reads a `totpSessionInfo`; nil when it lacks the secret or the session.
  init?(_ info: JSONObject, of user: User) {
    guard let key = info["sharedSecretKey"]?.string, !key.isEmpty,
      let sessionInfo = info["sessionInfo"]?.string, !sessionInfo.isEmpty
    else { return nil }
    sharedSecretKey = Secret(key)
    self.sessionInfo = Secret(sessionInfo)
    hashingAlgorithm = info["hashingAlgorithm"]?.string ?? "SHA1"
    // The defaults of authenticator apps.
    digits = info["verificationCodeLength"]?.wholeNumber ?? 6
    period = info["periodSec"]?.wholeNumber ?? 30
    enrollmentDeadline = info["finalizeEnrollmentTime"]?.string.flatMap(Timestamp.milliseconds)
    email = user.email
    projectID = user.backend.client.target.projectID
  }

  /// The URL for a QR code, which contains the secret.
  ///
  /// The default account name is the user's e-mail address, the default issuer the project id.
  public func generateQRCodeURL(accountName: String? = nil, issuer: String? = nil) -> Secret {
    let account = PercentEncoding.encode(accountName.nonEmpty ?? email.nonEmpty ?? "user")
    let issuer = PercentEncoding.encode(issuer.nonEmpty ?? projectID)
    return Secret(
      "otpauth://totp/\(issuer):\(account)?secret=\(sharedSecretKey.reveal())&issuer=\(issuer)"
        + "&algorithm=\(PercentEncoding.encode(hashingAlgorithm))&digits=\(digits)"
        // The SDKs omit the period, and apps then use 30 seconds.
        + (period == 30 ? "" : "&period=\(period)"))
  }
}

extension Optional where Wrapped == String {
  /// Nil for an empty string too.
  fileprivate var nonEmpty: String? { self.flatMap { $0.isEmpty ? nil : $0 } }
}

extension TOTPSecret: CustomStringConvertible, CustomReflectable {
  /// The number of digits and the hash function.
  public var description: String { "\(digits)-digit \(hashingAlgorithm) secret" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
