internal import System
internal import OIDC

/// The state of one provider: browser sessions, running sign-ins, codes, tokens and consents.
final class ProviderMemory {
  struct Consent: Hashable {
    let email: ExactString
    let clientID: ExactString
    let scope: ExactString
  }

  var sessions = BoundedTable<ProviderSession>(limit: 4096)
  var flows = BoundedTable<PageFlow>(limit: 4096)
  var codes = BoundedTable<AuthorizationCode>(limit: 8192)
  var accessTokens = BoundedTable<AccessToken>(limit: 8192)
  var refreshTokens = BoundedTable<RefreshToken>(limit: 8192)
  var devices = BoundedTable<DeviceRequest>(limit: 4096)
  var userCodes = BoundedTable<DeviceRequest>(limit: 4096)
  /// Pending questions whether to sign out.
  var logouts = BoundedTable<PendingLogout>(limit: 4096)
  private var consents: Set<Consent> = []

  /// Withdraws all tokens from one consent.
  func withdraw(family: String) {
    accessTokens.removeAll { $0.grant.family == family }
    refreshTokens.removeAll { $0.grant.family == family }
  }

  func hasConsent(of email: String, to clientID: String, scopes: [String]) -> Bool {
    scopes.allSatisfy { consents.contains(Self.consent(email, clientID, $0)) }
  }

  func rememberConsent(of email: String, to clientID: String, scopes: [String]) {
    if consents.count > 65_536 { consents.removeAll() }
    for scope in scopes { consents.insert(Self.consent(email, clientID, scope)) }
  }

  private static func consent(_ email: String, _ clientID: String, _ scope: String) -> Consent {
    Consent(
      email: ExactString(email), clientID: ExactString(clientID), scope: ExactString(scope))
  }
}

/// The accounts that are signed in at a provider in one browser.
final class ProviderSession {
  struct Account {
    let email: String
    /// When the password was last entered, in seconds since 1970.
    var signedInAt: Int64
  }

  /// The cookie's value; every login sets a new one, against session fixation.
  var id: String
  private(set) var accounts: [Account] = []

  init(id: String) { self.id = id }

  func remember(_ email: String, at seconds: Int64) {
    accounts.removeAll { sameText($0.email, email) }
    accounts.insert(Account(email: email, signedInAt: seconds), at: 0)
  }

  func forget(_ email: String) {
    accounts.removeAll { sameText($0.email, email) }
  }

  func forgetAll() { accounts = [] }

  func account(_ email: String) -> Account? {
    accounts.first { sameText($0.email, email) }
  }
}

/// A user's path through a provider's pages, from the app and back to it.
final class PageFlow {
  enum Stage {
    /// The user enters a device's code.
    case userCode
    /// The user has accepted or denied the device.
    case deviceEnded(isGranted: Bool)
    case choosing
    /// The user enters the address and, unless the provider asks for it later, the password.
    case identifying
    case password
    case consent
    case stopped(Notice)
  }

  let id: String
  var request: IncomingAuthorization
  let session: ProviderSession
  /// The value that proves a form came from our own page.
  let formToken: String
  var stage = Stage.identifying
  /// The device to sign in, if any.
  var device: DeviceRequest?
  /// The last entry of an e-mail address, or of a device's code before that.
  var typedEmail: String
  /// The error message for the next page.
  var problem: Phrase?
  var failedAttempts = 0
  /// The user, once known; `signedInAt` is when the password was entered, in seconds since 1970.
  var email: String?
  var signedInAt: Int64 = 0
  var hasConsented = false

  init(id: String, request: IncomingAuthorization, session: ProviderSession, formToken: String) {
    self.id = id
    self.request = request
    self.session = session
    self.formToken = formToken
    typedEmail = request.loginHint ?? ""
  }
}

/// A user's consent for an app, as represented by codes and tokens.
struct Grant: Sendable {
  let providerID: String
  let email: String
  let clientID: String
  var scopes: [String]
  let nonce: String?
  let signedInAt: Int64
  let wantsRefreshToken: Bool
  /// An id shared by all tokens from one consent, which are withdrawn together.
  let family = SecureRandom.token(bytes: 16)

  /// The consent that the user of a flow has just given.
  init(_ flow: PageFlow) {
    let request = flow.request
    providerID = request.provider.id
    email = flow.email ?? ""
    clientID = request.clientID
    scopes = request.scopes
    nonce = request.nonce
    signedInAt = flow.signedInAt
    wantsRefreshToken = request.wantsRefreshToken
  }
}

/// An authorization code: valid once, for a minute, and for one client, redirect address and verifier.
struct AuthorizationCode: Sendable {
  let grant: Grant
  let redirectURI: String
  let challenge: String?
  let expiresAt: Int64
  var isUsed = false
}

struct AccessToken: Sendable {
  let grant: Grant
  let expiresAt: Int64
}

struct RefreshToken: Sendable {
  let grant: Grant
  /// Whether it was already exchanged; a second use means that it was stolen.
  var isUsed = false
}
