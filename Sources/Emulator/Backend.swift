internal import Encoding
internal import Encoding
internal import HTTP
internal import OIDC

/// The accounts of one project or of one of its tenants, and what can be asked of them.
///
/// Each operation is a method in a file of its own. It lives on the emulator's loop.
final class Backend {
  unowned let project: Project
  /// The tenant whose accounts these are; nil for those of the project itself.
  let tenantID: String?
  let site: Site
  let rules: Rules
  var accounts: AccountStore
  var sessions: RefreshSessions
  /// The accounts that were removed in this second: when their newest sessions began.
  var justRemoved: [ExactString: Int64] = [:]
  /// What was sent by e-mail; it outlives the accounts, as letters do.
  var codes: OrderedTable<OutOfBandCode>
  /// What was sent by SMS; it outlives the accounts too.
  var verifications: OrderedTable<VerificationCode>
  /// What was handed out to people whose number another account has.
  var proofs: OrderedTable<TemporaryProof>
  var flows = ShortLived<SignInFlow>()
  var pendingAssertions = ShortLived<Assertion>()
  var pendingSignIns = ShortLived<PendingSignIn>()
  /// Subjects and nonces of ID tokens that have signed in.
  var usedCredentials = ShortLived<Void>()
  var appEnrollments = ShortLived<AppEnrollment>()
  /// The wrong passwords of an address, whether or not it has an account.
  var wrongPasswords = GuessLimit(limit: 10)
  /// The wrong codes of an account's authenticator app.
  var wrongCodes = GuessLimit(limit: 5)
  /// The e-mails sent lately to verify an address.
  var verificationEmails = GuessLimit(limit: 1)
  /// The code of the newest e-mail of each kind to each address; nil until one is looked for.
  var newestCodes: [ExactString: String]?

  init(project: Project, tenantID: String?) {
    self.project = project
    self.tenantID = tenantID
    site = project.site
    rules = project.site.rules
    func shelf(_ store: StatePath.Store) -> Shelf? {
      project.site.recorder.map { recorder in
        let path = StatePath.store(store, project: project.id, tenant: tenantID)
        return Shelf(recorder: recorder, collection: path.name)
      }
    }
    accounts = AccountStore(on: shelf(.accounts), isLoose: !rules[.realProviders])
    sessions = RefreshSessions(on: shelf(.sessions))
    codes = OrderedTable(on: shelf(.codes))
    verifications = OrderedTable(on: shelf(.verifications))
    proofs = OrderedTable(on: shelf(.proofs))
  }

  var configuration: ProjectConfiguration { project.configuration }
  /// Reaches blocking functions.
  var transport: any Transport { project.network.transport }
  /// Reaches the identity providers: the emulator's own over loopback, and foreign issuers alike.
  var providers: any Transport { project.network.providers }
  var issuers: IssuerDirectory { project.network.issuers }
  /// Seconds since 1970 on the project's clock.
  var now: Int64 { site.clock.seconds }
  /// Milliseconds since 1970 on the project's clock.
  var nowMilliseconds: Int64 { site.clock.milliseconds }

  /// A uid of Firebase's shape.
  func newUID() -> String { SecureRandom.alphanumeric(28) }

  /// Forgets every account and session; running sign-in flows end with them.
  func removeAllAccounts() {
    sessions.removeAll()
    forgetAccounts()
  }

  /// Forgets every account, but not which refresh tokens there were.
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
