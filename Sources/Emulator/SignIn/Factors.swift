internal import System
internal import OIDC
internal import IdentityToolkit

/// A first factor that has been proved and is to lead to tokens.
struct FirstFactor: Sendable {
  /// The provider that tokens name: `password`, `phone`, or an identity provider's id.
  let provider: String
  /// The sign-in method that functions receive: the provider, or `emailLink` for an e-mail link.
  let method: String
  /// Attributes of a SAML or OIDC response.
  var attributes: JSON?
  /// The provider's profile, as JSON text.
  var rawUserInfo: String?
  /// The provider's tokens, for functions that the project lets see them.
  var tokens = ProviderTokens()
  /// Whether the client did not ask for a refresh token and therefore gets a legacy token.
  var isLegacy = false
  /// The calling app, as functions see it.
  var caller = Caller()
  /// The session that continues, if the factor only adds a sign-in method to the signed-in account.
  var continued: SignInSession?

  static let password = FirstFactor(provider: "password", method: "password")
  static let emailLink = FirstFactor(provider: "password", method: "emailLink")
  static let phone = FirstFactor(provider: "phone", method: "phone")

  /// The same factor, proved by the caller of a request.
  func proved(in call: Call) -> FirstFactor {
    var factor = self
    factor.caller = call.caller
    return factor
  }
}

/// The result of a first factor: tokens, or a request for the second factor.
struct SignedIn {
  let account: Account
  /// `idToken`, `refreshToken` and `expiresIn`, or `mfaPendingCredential` and `mfaInfo`.
  let answer: JSONObject
}

extension Backend {
  /// Creates the account of a first factor that has none yet.
  ///
  /// This needs no second factor. `recheck` refuses what became impossible while the project's functions ran.
  func finishFirstFactor(
    _ factor: FirstFactor, creating fresh: Account,
    recheck: (Account) throws(Refusal) -> Void
  ) async throws(Refusal) -> SignedIn {
    var account = fresh
    try await ask(.beforeCreate, about: account, factor).apply(to: &account)
    try recheck(account)
    // Measured: the account stays when `beforeSignIn` refuses or disables it, and counts as signed in once.
    if rules[.strictFunctions] { account.lastRefreshAt = nowMilliseconds }
    add(&account)
    var claims = JSONObject()
    if !account.isDisabled {
      account.updateProviders()
      let answer = try await ask(.beforeSignIn, about: account, factor)
      guard let kept = accounts[uid: account.uid] else { throw Refusal(.userNotFound) }
      account = kept
      answer.apply(to: &account)
      claims = answer.sessionClaims
    }
    accounts.save(&account)
    return SignedIn(account: account, answer: try tokens(for: &account, factor, claims))
  }

  /// Signs in to an existing account, or asks for its second factor.
  ///
  /// `shown` is the account as the project's function receives it. `change` applies the first factor to the
  /// account as it is once the function has returned.
  func finishFirstFactor(
    _ factor: FirstFactor, of shown: Account,
    change: (inout Account) throws(Refusal) -> Void = { (_) throws(Refusal) in }
  ) async throws(Refusal) -> SignedIn {
    let isAsked = factor.continued == nil && asksSecondFactor(of: shown)
    var answer = FunctionAnswer()
    if !isAsked, !shown.isDisabled, factor.continued == nil {
      answer = try await ask(.beforeSignIn, about: shown, factor)
    }
    // Measured: if the function disables the account, nothing is stored, so the sign-in works
    // again without the function.
    guard !answer.disables || !rules[.strictFunctions] else { throw Refusal(.userDisabled) }
    guard var account = accounts[uid: shown.uid] else { throw Refusal(.userNotFound) }
    // Firebase's emulator checks for a disabled account only after everything else is done and stored.
    guard !account.isDisabled || !rules[.realProviders] else { throw Refusal(.userDisabled) }
    try change(&account)
    answer.apply(to: &account)
    if isAsked {
      accounts.save(&account)
      return SignedIn(account: account, answer: pendingAnswer(for: account, factor))
    }
    return SignedIn(
      account: account, answer: try tokens(for: &account, factor, answer.sessionClaims))
  }

  private func tokens(
    for account: inout Account, _ factor: FirstFactor, _ claims: JSONObject
  ) throws(Refusal) -> JSONObject {
    if let earlier = factor.continued {
      // Linking is not a new sign-in: it proves who the user is at another provider, not here.
      accounts.save(&account)
      var session = SignInSession(continuing: earlier, provider: factor.provider)
      session.attributes = factor.attributes
      return try issueTokens(for: &account, session)
    }
    // An e-mail link counts as a login only when tokens are issued, any other factor as soon as it is proved.
    if factor.method != "emailLink" { account.lastLoginAt = nowMilliseconds }
    accounts.save(&account)
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    account.lastLoginAt = nowMilliseconds
    var session = SignInSession(provider: factor.provider, authTime: now)
    session.extraClaims = claims
    session.attributes = factor.attributes
    return try issueTokens(for: &account, session, isLegacy: factor.isLegacy)
  }
}

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
    let isOfProject = sameText(json["projectId"]?.string, project.id)
    guard isOfProject, tenantID == nil || sameText(json["tenantId"]?.string, tenantID) else {
      throw Refusal(.invalidProjectID, "Project ID does not match MFA pending credential.")
    }
    let provider = json["signInProvider"]?.string ?? ""
    return PendingSignIn(
      uid: json["localId"]?.string ?? "",
      factor: FirstFactor(provider: provider, method: provider))
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
