internal import HTTP
internal import OIDC

/// The backend half of the emulator: Identity Toolkit and Secure Token over the project's state.
///
/// Each operation is a method in a file of its own. It lives on the emulator's loop.
final class Backend {
  let site: Site
  /// Reaches the identity providers: the emulator's own over loopback, and foreign issuers alike.
  let transport: any Transport
  let issuers: IssuerDirectory
  var accounts = AccountStore()
  var sessions = RefreshSessions()
  var flows = ShortLived<SignInFlow>()
  var pendingAssertions = ShortLived<Assertion>()

  init(site: Site, transport: any Transport) {
    self.site = site
    self.transport = transport
    issuers = IssuerDirectory(transport: transport, clock: site.clock)
  }

  var configuration: ProjectConfiguration { site.configuration }
  /// Seconds since 1970 on the project's clock.
  var now: Int64 { site.clock.seconds }

  /// A uid of Firebase's shape.
  func newUID() -> String { SecureRandom.alphanumeric(28) }

  /// Forgets every account and session; running sign-in flows end with them.
  func removeAllAccounts() {
    accounts.removeAll()
    sessions = RefreshSessions()
    flows = ShortLived()
    pendingAssertions = ShortLived()
  }
}
