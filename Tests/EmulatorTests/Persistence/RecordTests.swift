@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@testable import Emulator

/// Every value that outlives a process comes back whole; a field that is added and not recorded fails here.
@Suite(.timeLimit(.minutes(1))) struct RecordTests {
  private struct Nowhere: Transport {
    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
      throw HTTPError(.connect, "there is nobody", hint: "")
    }
  }

  /// The fields that are as in a value nobody has touched: those a sample says nothing about.
  private func untouched(_ value: Any) -> [String] {
    Mirror(reflecting: value).children.compactMap { label, child in
      let mirror = Mirror(reflecting: child)
      let isEmpty =
        switch mirror.displayStyle {
        case .optional, .collection, .dictionary, .set: mirror.children.isEmpty
        case .struct where child is CompactMoment: (child as? CompactMoment)?.wrappedValue == nil
        default: (child as? Bool) == false || (child as? Int64) == 0 || (child as? Int) == 0
        }
      return isEmpty ? label : nil
    }
  }

  private func text(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  private func check<Value: Recorded>(_ value: Value, except: [String] = []) throws {
    #expect(untouched(value) == except, "give the sample of \(Value.self) a value for these")
    let json = try JSON.parse(JSON.object(value.record).encodedBytes())
    let record = try #require(json.object)
    let read = try #require(Value(record: record))
    #expect(text(read) == text(value))
    // Secrets do not show themselves in a dump.
    #expect(read.record == value.record)
    #expect(Value(record: JSONObject()) == nil)
  }

  private var identity: LinkedIdentity {
    LinkedIdentity(
      providerID: "oidc.corp", rawID: "s-1", email: "a@corp.example", displayName: "A",
      photoURL: "https://p.example", screenName: "aa", phoneNumber: "+15550001",
      federatedID: "https://corp/s-1", showsFederatedID: false, isTrusted: true)
  }

  private var factor: SecondFactor {
    SecondFactor(
      id: "f1", displayName: "phone", enrolledAt: "2026-01-31T12:00:00Z", phoneNumber: "+15550002",
      totpSecret: Secret("GEZDGNBVGY3TQOJQ"), lastTOTPStep: 7)
  }

  @Test func `the parts of an account come back whole`() throws {
    try check(identity, except: ["showsFederatedID"])
    try check(factor)
    try check(Passkey(credentialID: "c", name: "key"))
  }

  @Test func `an account comes back whole`() throws {
    var account = Account(uid: "u\u{301}")
    account.email = "a@b.example"
    account.emailVerified = true
    account.displayName = "e\u{301}"
    account.photoURL = ""
    account.phoneNumber = "+15550003"
    account.password = PasswordRecord(hashing: "pass word", by: FirebaseScrypt(memoryCost: 1))
    account.passwordUpdatedAt = 1
    account.hasEmailLink = true
    account.disabled = true
    account.isCustom = true
    account.customAttributes = #"{"a":1}"#
    account.initialEmail = "old@b.example"
    account.link(identity)
    account.factors = [factor]
    account.passkeys = [Passkey(credentialID: "c")]
    account.furtherFields = ["language": "it"]
    account.write("007", to: .createdAt)
    account.lastLoginAt = 3
    account.lastRefreshAt = 4
    account.validSince = 5
    account.newestSession = 6
    account.updateProviders()
    #expect(untouched(account) == [])
    #expect(untouched(account.rareFields) == [])
    var hashings = HashingTable()
    let record = account.record { hashings.number(of: $0).number }
    let read = try #require(
      Account(uid: account.uid, record: record, hashing: { hashings[$0] }))
    #expect(text(read) == text(account))
    #expect(read.record { hashings.number(of: $0).number } == record)
    #expect(read.password?.matches("pass word") == true)
    // Hashes of one import refer to one description of it.
    #expect(hashings.record.count == 1)
    #expect(Account(uid: "u", record: record, hashing: { _ in nil }) == nil)
  }

  @Test func `what was never set stays apart from what is empty`() throws {
    let account = Account(uid: "u")
    var other = account
    other.factors = []
    other.passkeys = []
    other.displayName = ""
    other.emailVerified = false
    for sample in [account, other] {
      let read = try #require(
        Account(uid: "u", record: sample.record { _ in 1 }, hashing: { _ in nil }))
      #expect(text(read) == text(sample))
    }
    #expect(account.record { _ in 1 }.isEmpty)
  }

  @Test func `codes and sessions come back whole`() throws {
    try check(
      OutOfBandCode(
        code: "c", purpose: .verifyAndChangeEmail, email: "a@b.example", newEmail: "n@b.example",
        uid: "u", handler: "https://h.example", apiKey: "k", tenantID: "t",
        continueURL: "https://c.example", createdAt: 9, language: "fr", linkForm: .app,
        appLink: "https://a.example/links"))
    for purpose in [
      VerificationCode.Purpose.signIn, .enrollment(uid: "u"), .secondFactor(uid: "u"),
    ] {
      var sent = VerificationCode(
        code: "123456", phoneNumber: "+15550004", sessionInfo: "s", purpose: purpose, createdAt: 9)
      sent.wrongTries = 2
      sent.isUsed = true
      try check(sent)
    }
    try check(TemporaryProof(phoneNumber: "+15550005", createdAt: 9))
    var session = SignInSession(provider: "google.com", authTime: 9)
    session.extraClaims = ["a": [1, nil]]
    session.secondFactor = SignInSession.UsedFactor(id: "f", provider: "totp")
    session.attributes = ["b": "c"]
    try check(session)
  }

  private var provider: ProviderConfiguration {
    var provider = ProviderConfiguration(id: "oidc.x")
    provider.clientID = "client"
    provider.clientSecret = Secret("secret")
    provider.issuer = "https://x.example"
    provider.issuerName = "https://y.example"
    provider.flow = .idToken
    provider.displayName = "X"
    provider.permissions = ["p"]
    provider.redirectURIs = ["https://x.example/cb"]
    provider.postLogoutRedirectURIs = ["https://x.example/out"]
    provider.keepsRefreshTokens = true
    return provider
  }

  private var person: Person {
    var person = Person(
      email: "p@x.example", name: "P", password: Secret("pw"), photo: "https://p.example",
      microsoft: MicrosoftAccount(email: "p@x.example", tenant: "x.example"))
    person.subjects = ["google.com": "1"]
    person.providers = ["google.com"]
    return person
  }

  @Test func `providers, people and tenants come back whole`() throws {
    try check(provider)
    try check(person)
    var tenant = Tenant(id: "t", settings: ["a": nil])
    tenant.providers = ["oidc.x": provider]
    #expect(untouched(tenant) == [])
    let read = try #require(Tenant(id: "t", record: tenant.record))
    #expect(text(read) == text(tenant))
  }

  @Test func `only settings that were changed are kept`() throws {
    var project = ProjectConfiguration.demo
    #expect(project.changes(since: .demo).isEmpty)
    project.apiKey = Secret("k")
    project.oneAccountPerEmail = false
    project.enumerationProtection = true
    project.identityPlatform = false
    project.isEmailLinkEnabled = false
    project.authorizedDomains = ["x.example"]
    project.authDomain = "y.example"
    project.requiresAppCredential = true
    project.recentLoginMinutes = 9
    project.passwordMemoryCost = 3
    project.settings = ["passwordPolicyConfig": ["x": nil]]
    project.providers["oidc.x"] = provider
    project.providers["yahoo.com"] = nil
    project.people.removeFirst()
    project.people.append(person)
    let kept = project.changes(since: .demo)["set"]?.object?.keys ?? []
    let names = Set(kept.map { $0.prefix { $0 != "/" } })
    // The id, the port, what is allowed to others and what the file lists itself are not changed by calls; faults, and
    // whether anybody may sign in, are given anew at each start.
    #expect(names.count == Mirror(reflecting: project).children.count - 8)
    let read = try #require(ProjectConfiguration.demo.applying(project.changes(since: .demo)))
    #expect(read.changes(since: project).isEmpty)
    #expect(project.changes(since: read).isEmpty)
    // The project file may change meanwhile; what nobody touched by calls follows it.
    var later = ProjectConfiguration.demo
    later.people = []
    #expect(later.applying(project.changes(since: .demo))?.people.map(\.email) == ["p@x.example"])
  }

  @Test func `all that a project holds is recorded, or is known to end with the process`() throws {
    let recorded: Set = ["accounts", "sessions", "codes", "verifications", "proofs", "outbox"]
    #expect(recorded == Set(StatePath.Store.allCases.map(\.rawValue)))
    // What is under way when the process ends is begun again by the person.
    let fleeting: Set = [
      "flows", "pendingAssertions", "pendingSignIns", "appEnrollments",
      // Guesses and sent e-mails are forgotten soon, and the newest codes are found among the codes.
      "wrongPasswords", "wrongCodes", "verificationEmails", "newestCodes", "usedCredentials",
      // The uid of a removed account matters for the rest of the second.
      "justRemoved", "justRemovedSince",
    ]
    let fixed: Set = ["project", "tenantID", "context", "rules"]
    let clock = EmulatorClock(frozenAt: 1)
    let context = EmulatorContext(
      configuration: .demo, rules: .production, clock: clock, keys: SigningKeys())
    let project = Project(
      id: "p", context: context, network: Network(transport: Nowhere(), clock: clock),
      isDefault: true)
    let labels = Set(Mirror(reflecting: project.backend).children.compactMap(\.label))
    #expect(labels == recorded.union(fixed).union(fleeting))
    let parts = Set(Mirror(reflecting: project).children.compactMap(\.label))
    #expect(
      parts == [
        "id", "context", "network", "isDefault",
        // Recorded: settings, tenants and the parameters of hashes.
        "ownConfiguration", "tenants", "deletedTenants", "tenantBackends", "passwordHashingInUse",
        "$__lazy_storage_$_backend",
        // A quota's count begins anew.
        "signUps",
      ])
  }
}
