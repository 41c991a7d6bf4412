public import System

/// The settings of an emulated project that an administrator chooses in the console.
public struct ProjectConfiguration: Sendable {
  /// The project id: the audience of its ID tokens and part of their issuer.
  public var id = "demo-luath"
  /// The only accepted API key; nil accepts any.
  public var apiKey: Secret?
  /// Whether two accounts may not share an e-mail address (the default of new projects).
  var oneAccountPerEmail = true
  /// Whether responses hide which addresses have accounts; nil leaves it to the rules.
  var enumerationProtection: Bool?
  /// Whether the project is upgraded to Identity Platform; `oidc.` providers need it.
  var identityPlatform = true
  /// Whether the password provider also allows sign-in by e-mail link.
  var isEmailLinkEnabled = true
  /// The domains that continue URLs may use.
  ///
  /// The default is this machine and the two domains that every project has.
  var authorizedDomains: [String] {
    get {
      chosenDomains ?? [
        "localhost", "127.0.0.1", "[::1]", "\(id).firebaseapp.com", "\(id).web.app",
      ]
    }
    set { chosenDomains = newValue }
  }
  private var chosenDomains: [String]?
  /// The domain of the sign-in handler page; nil for the emulator itself.
  var authDomain: String?
  /// Origins, besides this machine's, whose pages may use the controls and the administrator's paths.
  public var allowedOrigins = OriginList()
  /// Servers, besides this machine, that blocking functions and issuers may use.
  public var allowedServers = OriginList()
  /// Whether an SMS code needs proof of a human user or a genuine app.
  var requiresAppCredential = false
  /// The faults that are active from the start.
  var faults = FaultPlan()
  /// How many minutes a sign-in counts as recent.
  var recentLoginMinutes = 5
  /// The cost of password hashing: the binary logarithm of scrypt's N, which is 14 (16 MiB) in production.
  var passwordMemoryCost = 4
  /// The fields of Google's `Config` message that no property above holds, such as `passwordPolicyConfig`.
  var settings = JSONObject()
  /// Sign-in providers by id.
  public var providers: [String: ProviderConfiguration]
  /// The test users of the identity providers.
  public var people: [Person] {
    get { directory.people }
    set { directory = PeopleDirectory(newValue) }
  }
  /// The same users, indexed by address.
  var directory: PeopleDirectory

  /// A project with the given providers and test users, and defaults for all other settings.
  init(providers: [ProviderConfiguration] = [], people: [Person] = []) {
    self.providers = Dictionary(providers.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    directory = PeopleDirectory(people)
  }

  /// The provider with the id `id`; nil when it is missing or disabled.
  func enabledProvider(_ id: String) -> ProviderConfiguration? {
    guard let provider = providers[id], provider.isEnabled else { return nil }
    return provider
  }
}
