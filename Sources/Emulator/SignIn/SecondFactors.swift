internal import System
internal import OIDC
internal import IdentityToolkit

/// The second factors that a project or tenant allows.
struct SecondFactorSettings {
  /// Whether users with a second factor are asked for it.
  var isOn: Bool
  var allowsSMS: Bool
  var allowsTOTP: Bool
  /// How many time steps before or after the current one an app's code may be.
  var adjacentIntervals = 5

  /// Reads Google's `MultiFactorAuthConfig`.
  init(_ settings: JSONObject) {
    isOn = Self.isOn(settings["state"])
    allowsSMS =
      isOn && settings["enabledProviders"]?.array?.contains { $0.string == "PHONE_SMS" } == true
    let app = settings["providerConfigs"]?.array?.first { $0["totpProviderConfig"] != nil }
    allowsTOTP = isOn && app.map { Self.isOn($0["state"]) } == true
    if let steps = app?["totpProviderConfig"]?["adjacentIntervals"]?.integer {
      adjacentIntervals = Int(min(max(steps, 0), 10))
    }
  }

  /// The settings of a project that has no `MultiFactorAuthConfig`.
  init(allowsSMS: Bool, allowsTOTP: Bool) {
    isOn = allowsSMS || allowsTOTP
    self.allowsSMS = allowsSMS
    self.allowsTOTP = allowsTOTP
  }

  private static func isOn(_ state: JSON?) -> Bool {
    state?.string == "ENABLED" || state?.string == "MANDATORY"
  }
}

/// A sign-in whose first factor is proved and whose second factor is pending.
///
/// As with Google's servers, it can be finished more than once.
struct PendingSignIn: Sendable {
  /// How long an SMS code may take where credentials expire, in seconds (measured: 450 pass, 600 do not).
  static let lifetime: Int64 = 600
  /// How long the code of an authenticator app may take, in seconds (measured: 290 pass, 300 do not).
  static let appLifetime: Int64 = 300
  /// How long a credential is remembered, in seconds; after that an expired one counts as unknown.
  static let memory: Int64 = 86_400

  let uid: String
  let factor: FirstFactor
  /// Seconds since 1970.
  var startedAt: Int64 = 0
}

/// An authenticator app that is being added to an account.
struct AppEnrollment: Sendable {
  /// How long the first code may take, in seconds (measured: 870 pass, 930 do not).
  static let lifetime: Int64 = 900
  /// How long an enrollment is remembered, in seconds; after that an expired one counts as unknown.
  static let memory: Int64 = 86_400

  let uid: String
  /// In base32, as apps take it.
  let secret: Secret
  /// Seconds since 1970.
  let startedAt: Int64
  var isFinished = false
}

extension Backend {
  /// The second factors that the tenant's or project's settings allow.
  var secondFactors: SecondFactorSettings {
    if let tenant { return SecondFactorSettings(tenant.settings["mfaConfig"]?.object ?? [:]) }
    // In Firebase's emulator a project's own settings cannot be changed.
    guard rules[.provenFactors], let settings = configuration.settings["mfa"]?.object else {
      return SecondFactorSettings(allowsSMS: true, allowsTOTP: rules[.totp])
    }
    return SecondFactorSettings(settings)
  }

  /// Whether signing in to the account needs a second factor.
  func asksSecondFactor(of account: Account) -> Bool {
    account.factors?.isEmpty == false && secondFactors.isOn
  }

  func requireSMSFactors() throws(Refusal) {
    guard secondFactors.allowsSMS else {
      throw Refusal(.operationNotAllowed, "SMS based MFA not enabled.")
    }
  }

  func requireTOTPFactors() throws(Refusal) {
    guard secondFactors.allowsTOTP else {
      throw Refusal(.operationNotAllowed, "TOTP based MFA not enabled.")
    }
  }

  // MARK: Pending credentials

  /// The response members that ask for the second factor.
  func pendingAnswer(for account: Account, _ factor: FirstFactor) -> JSONObject {
    [
      "mfaPendingCredential": .string(pendingCredential(for: account, factor)),
      "mfaInfo": .array((account.factors ?? []).map(\.masked)),
    ]
  }

  private func pendingCredential(for account: Account, _ factor: FirstFactor) -> String {
    guard rules[.expiringCodes] else {
      var object: JSONObject = [
        "_AuthEmulatorMfaPendingCredential": "DO NOT MODIFY", "localId": .string(account.uid),
        "signInProvider": .string(factor.provider), "projectId": .string(project.id),
      ]
      object.set("tenantId", tenantID)
      return Base64.encode(JSON.object(object).encodedBytes())
    }
    let credential = SecureRandom.token(bytes: 96)
    pendingSignIns.put(
      PendingSignIn(uid: account.uid, factor: factor, startedAt: now), under: credential,
      expires: now + PendingSignIn.memory, now: now)
    return credential
  }

  /// The pending sign-in of a credential, with the account as it is now.
  func pendingSignIn(
    _ credential: String, isApp: Bool = false
  ) throws(Refusal) -> (Account, FirstFactor) {
    let pending =
      rules[.expiringCodes]
      ? try livePending(credential, isApp: isApp) : try readPending(credential)
    guard let account = accounts[uid: pending.uid] else {
      guard !rules[.googleAnswers] else { throw Refusal(.userNotFound) }
      throw Refusal(verbatim: "((User in pendingCredentialPayload does not exist.))")
    }
    return (account, pending.factor)
  }

  private func livePending(
    _ credential: String, isApp: Bool
  ) throws(Refusal) -> PendingSignIn {
    guard let pending = pendingSignIns.peek(credential, now: now) else {
      throw Refusal(.invalidPendingToken)
    }
    let age = now - pending.startedAt
    guard !isApp || age < PendingSignIn.appLifetime else {
      throw Refusal(
        .totpChallengeTimeout, "TOTP challenge timeout, provide first factor again.")
    }
    guard age < PendingSignIn.lifetime else {
      throw Refusal(.invalidMFAPendingCredential, "MFA pending credential is expired.")
    }
    return pending
  }

  private func readPending(_ credential: String) throws(Refusal) -> PendingSignIn {
    guard let json = try? JSON.parse(Base64.decodeLeniently(credential)),
      ScriptValue.isTrue(json["_AuthEmulatorMfaPendingCredential"])
    else { throw Refusal(verbatim: "((Invalid phoneVerificationInfo.mfaPendingCredential.))") }
    let isOfProject = Self.same(json["projectId"]?.string, project.id)
    guard isOfProject, tenantID == nil || Self.same(json["tenantId"]?.string, tenantID) else {
      throw Refusal(.invalidProjectID, "Project ID does not match MFA pending credential.")
    }
    let provider = json["signInProvider"]?.string ?? ""
    return PendingSignIn(
      uid: json["localId"]?.string ?? "",
      factor: FirstFactor(provider: provider, method: provider))
  }

  private static func same(_ a: String?, _ b: String?) -> Bool {
    a.map { ExactString(string: $0) } == b.map { ExactString(string: $0) }
  }

  // MARK: Codes of authenticator apps

  /// Checks a code of an account's authenticator app, unless there were too many wrong codes.
  func use(_ code: String, of factor: inout SecondFactor, uid: String) throws(Refusal) {
    guard !rules[.limitedGuesses] || !wrongCodes.isReached(by: uid, now: now) else {
      throw Refusal(.quotaExceeded, "Exceeded quota.")
    }
    do throws(Refusal) { try use(code, of: &factor) } catch {
      if rules[.limitedGuesses] { wrongCodes.count(uid, now: now) }
      throw error
    }
    wrongCodes.forget(uid)
  }

  /// Checks a code and records its time step, so that it does not work twice (RFC 6238 section 5.2).
  private func use(_ code: String, of factor: inout SecondFactor) throws(Refusal) {
    guard let secret = factor.totp,
      let step = secret.step(of: code, at: now, window: secondFactors.adjacentIntervals),
      step > factor.lastTOTPStep ?? .min
    else { throw Refusal(.invalidCode) }
    factor.lastTOTPStep = step
  }
}
