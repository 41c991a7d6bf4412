internal import System
internal import HTTP
internal import OIDC

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
  /// Codes sent by e-mail; they outlive the accounts, as e-mails do.
  var codes: OrderedTable<OutOfBandCode>
  /// Codes sent by SMS; they outlive the accounts too.
  var verifications: OrderedTable<VerificationCode>
  /// Temporary proofs given to users whose phone number belongs to another account.
  var proofs: OrderedTable<TemporaryProof>
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
    codes = OrderedTable(on: shelf(.codes))
    verifications = OrderedTable(on: shelf(.verifications))
    proofs = OrderedTable(on: shelf(.proofs))
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
