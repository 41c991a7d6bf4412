internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

/// The accounts of one project or of one of its tenants, and the operations on them.
///
/// Each operation is a method in its own file. A backend is used on the emulator's event loop only.
final class Backend {
  unowned let project: Project
  /// The tenant that owns these accounts; nil for the accounts of the project itself.
  let tenantID: String?
  let context: EmulatorContext
  let rules: Rules
  var accounts: AccountStore
  var sessions: RefreshSessions
  /// When the newest session of each account that was removed during the current second began.
  var justRemoved: [ExactString: Int64] = [:]
  /// When `justRemoved` was last emptied, in seconds since 1970.
  var justRemovedSince: Int64 = 0
  /// Codes sent by e-mail; they outlive the accounts, as e-mails do.
  var codes: OrderedTable<OutOfBandCode>
  /// Codes sent by SMS; they outlive the accounts too.
  var verifications: OrderedTable<VerificationCode>
  /// Temporary proofs given to users whose phone number belongs to another account.
  var proofs: OrderedTable<TemporaryProof>
  /// The e-mails and SMS that were sent.
  var outbox: Outbox
  var flows = ShortLived<RedirectSignIn>()
  var pendingAssertions = ShortLived<Assertion>()
  var pendingSignIns = ShortLived<PendingSignIn>()
  /// Subjects and nonces of ID tokens that have signed in.
  var usedCredentials = ShortLived<Void>()
  var appEnrollments = ShortLived<AppEnrollment>()
  /// Wrong passwords per e-mail address, whether or not it has an account.
  var wrongPasswords = GuessLimit(limit: 10)
  /// Wrong authenticator app codes per account.
  var wrongCodes = GuessLimit(limit: 5)
  /// Recent verification e-mails per address.
  var verificationEmails = GuessLimit(limit: 1)
  /// The code of the newest e-mail of each kind to each address; nil until the first lookup.
  var newestCodes: [ExactString: String]?

  init(project: Project, tenantID: String?) {
    self.project = project
    self.tenantID = tenantID
    context = project.context
    rules = project.context.rules
    func shelf(_ store: StatePath.Store) -> CollectionWriter? {
      project.context.recorder.map { recorder in
        let path = StatePath.store(store, project: project.id, tenant: tenantID)
        return CollectionWriter(recorder: recorder, collection: path.name)
      }
    }
    accounts = AccountStore(on: shelf(.accounts), isLoose: !rules[.realProviders])
    sessions = RefreshSessions(on: shelf(.sessions))
    codes = OrderedTable(on: shelf(.codes), limit: Self.maximumCodes)
    verifications = OrderedTable(on: shelf(.verifications), limit: Self.maximumCodes)
    proofs = OrderedTable(on: shelf(.proofs), limit: Self.maximumCodes)
    outbox = Outbox(on: shelf(.outbox))
  }

  var configuration: ProjectConfiguration { project.configuration }
  /// For calls to blocking functions.
  var transport: any Transport { project.network.transport }
  /// For requests to identity providers, both the emulator's own over loopback and external issuers.
  var providers: any Transport { project.network.providers }
  var issuers: IssuerDirectory { project.network.issuers }
  /// Seconds since 1970 on the project's clock.
  var now: Int64 { context.clock.seconds }
  /// Milliseconds since 1970 on the project's clock.
  var nowMilliseconds: Int64 { context.clock.milliseconds }

  /// The maximum number of codes in e-mails, of codes in SMS, and of temporary proofs; the oldest end.
  static let maximumCodes = 10_000

  func newUID() -> String { SecureRandom.alphanumeric(28) }

  /// Removes all accounts and sessions; running sign-in flows end too.
  func removeAllAccounts() {
    sessions.removeAll()
    forgetAccounts()
  }

  /// Removes all accounts but keeps the refresh tokens.
  func forgetAccounts() {
    accounts.removeAll()
    flows = ShortLived()
    pendingAssertions = ShortLived()
    pendingSignIns = ShortLived()
    appEnrollments = ShortLived()
    wrongPasswords = GuessLimit(limit: wrongPasswords.limit)
    wrongCodes = GuessLimit(limit: wrongCodes.limit)
    verificationEmails = GuessLimit(limit: verificationEmails.limit)
  }
}

extension Backend {
  /// Carries out an operation; nil if it may have to wait for another server, which `performWaiting` does.
  func perform(_ call: Call) throws(Refusal) -> JSONObject? {
    if call.operation.needsOpenTenant(rules) { try requireOpen() }
    switch call.operation {
    case .batchCreate: return try batchCreate(call)
    case .batchDelete: return try batchDelete(call)
    case .batchGet: return try batchGet(call)
    case .query: return try query(call)
    case .createSessionCookie: return try createSessionCookie(call)
    case .getConfig: return try config()
    case .updateConfig: return try updateConfig(call)
    case .createTenant: return try createTenant(call)
    case .deleteTenant: return try deleteTenant()
    case .getTenant: return try showTenant()
    case .listTenants: return try listTenants(call)
    case .updateTenant: return try updateTenant(call)
    case .createAuthUri, .signInWithIdp, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithPhoneNumber, .finalizeMFASignIn:
      return nil
    case .sendOobCode: return asksFunctions(.sendOobCode) ? nil : try sendOobCode(call)
    case .resetPassword: return try resetPassword(call)
    case .sendVerificationCode, .startMFAEnrollment, .startMFASignIn:
      return asksFunctions(call.operation) ? nil : try sendSMS(call)
    case .finalizeMFAEnrollment: return try finalizeMFAEnrollment(call)
    case .withdrawMFA: return try withdrawMFA(call)
    case .startPasskeyEnrollment: return try startPasskeyEnrollment(call)
    case .finalizePasskeyEnrollment: return try finalizePasskeyEnrollment(call)
    case .startPasskeySignIn: return try startPasskeySignIn(call)
    case .finalizePasskeySignIn: return try finalizePasskeySignIn(call)
    case .signInWithCustomToken: return try signInWithCustomToken(call)
    case .lookup: return try lookup(call)
    case .update: return try update(call)
    case .delete: return try delete(call)
    case .token: return try refresh(call)
    case .projectInfo: return try projectInfo()
    case .recaptchaParams: return recaptchaParams()
    case .createIdp: return try createIdentityProvider(call)
    case .deleteIdp: return try deleteIdentityProvider(call)
    case .getIdp: return try showIdentityProvider(call)
    case .listIdps: return try listIdentityProviders(call)
    case .updateIdp: return try updateIdentityProvider(call)
    case .supportedIdps: return listSupportedProviders()
    case .initializeAuth: return try initializeAuth()
    case .passwordPolicy: return passwordPolicy.wire
    case .recaptchaConfig: return try showRecaptchaConfig(call)
    case .revokeToken: return try revokeProviderToken(call)
    case .sessionCookieKeys: return try showSessionCookieKeys()
    }
  }

  func performWaiting(_ call: Call) async throws(Refusal) -> JSONObject {
    switch call.operation {
    case .createAuthUri: try await createAuthUri(call)
    case .signInWithIdp: try await signInWithIdp(call)
    case .signInWithPassword: try await signInWithPassword(call)
    case .signInWithEmailLink: try await signInWithEmailLink(call)
    case .signInWithPhoneNumber: try await signInWithPhoneNumber(call)
    case .signUp: try await signUp(call)
    case .finalizeMFASignIn: try await finalizeMFASignIn(call)
    case .sendOobCode: try await sendOobCodeIfAllowed(call)
    case .sendVerificationCode, .startMFAEnrollment, .startMFASignIn:
      try await sendSMSIfAllowed(call)
    default: throw .internalFailure("\(call.operation) does not wait")
    }
  }

  /// Whether the operation calls an identity provider or one of the project's functions over the network.
  func asksOthers(_ call: Call) -> Bool {
    if asksFunctions(call.operation) { return true }
    return rules[.realProviders]
      && (call.operation == .createAuthUri || call.operation == .signInWithIdp)
  }

  /// The tenant's settings; nil in the project itself.
  var tenant: Tenant? { tenantID.flatMap { project.tenants[ExactString(string: $0)] } }

  /// Whether passwords can be used to sign up and sign in.
  var allowsPasswords: Bool { allows("allowPasswordSignup", provider: "password") }

  var allowsEmailLinks: Bool { allows("enableEmailLinkSignin", provider: "emailLink") }

  var allowsAnonymous: Bool { allows("enableAnonymousUser", provider: "anonymous") }

  /// Whether sign-in by SMS code is enabled; tenants are refused before this matters.
  var allowsPhone: Bool { allows("phone", provider: "phone") }

  private func allows(_ setting: String, provider: String) -> Bool {
    if let tenantID {
      return project.tenants[ExactString(string: tenantID)]?.allows(setting) == true
    }
    // In Firebase's emulator all sign-in methods of the project itself are on and cannot be turned off.
    guard rules[.realProviders] else { return true }
    // The link is a second method of the password provider.
    if provider == "emailLink" { return configuration.isEmailLinkEnabled }
    return configuration.enabledProvider(provider) != nil
  }

  /// Whether the tenant has its own settings and inherits none from the project (measured).
  var standsAlone: Bool { tenantID != nil && rules[.knownTenantsOnly] }

  var passwordPolicy: PasswordPolicyConfig {
    guard standsAlone else { return configuration.passwordPolicy }
    return PasswordPolicyConfig(tenant?.settings["passwordPolicyConfig"]?.object ?? JSONObject())
  }

  /// Whether responses hide which addresses have accounts; a tenant's default is off.
  var hidesAddresses: Bool {
    guard standsAlone else { return project.hidesAddresses }
    return tenant?.settings["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
  }

  /// Whether two accounts may not share an e-mail address.
  var hasOneAccountPerEmail: Bool { standsAlone || configuration.oneAccountPerEmail }

  /// The fixed code of a test phone number; nil for other numbers.
  func testCode(of number: String) -> String? {
    guard standsAlone else { return project.testCode(of: number) }
    return tenant?.settings["testPhoneNumbers"]?[number]?.string
  }

  var smsRegions: SMSRegions {
    guard standsAlone else { return configuration.smsRegions }
    return SMSRegions(tenant?.settings["smsRegionConfig"]?.object ?? JSONObject())
  }

  /// Whether clients may do what a setting such as `disabledUserSignup` can forbid.
  func permits(_ permission: String) -> Bool {
    let client = tenantID == nil ? configuration.settings["client"] : tenant?.settings["client"]
    return client?["permissions"]?[permission]?.bool != true
  }

  /// Throws when only administrators may create accounts, or when the quota of new accounts is used up.
  func requireOpenSignUp() throws(Refusal) {
    guard rules[.projectSettings] else { return }
    guard permits("disabledUserSignup") else { throw Refusal(.adminOnlyOperation) }
    guard project.signUps.count(now, quota: configuration.signUpQuota) else {
      throw Refusal(.tooManyAttemptsTryLater)
    }
  }

  /// Throws when the tenant is disabled.
  func requireOpen() throws(Refusal) {
    guard let tenant, tenant.allows("disableAuth") else { return }
    throw Refusal(rules[.googleAnswers] ? .tenantDisabled : .projectDisabled)
  }
}
