public import Encoding

/// The settings of an emulated project: what its administrator chose in the console.
public struct ProjectConfiguration: Sendable {
  /// The project id: audience and issuer of its ID tokens.
  public var id = "demo-luath"
  /// The only API key that is accepted, or nil when any will do.
  public var apiKey: Secret?
  /// Whether two accounts may not share an e-mail address (the default of new projects).
  public var oneAccountPerEmail = true
  /// Whether answers hide which addresses have accounts; nil leaves it to the rules.
  public var enumerationProtection: Bool?
  /// Whether the project is upgraded to Identity Platform; `oidc.` providers need it.
  public var identityPlatform = true
  /// Whether the password provider also signs in by an e-mailed link.
  public var isEmailLinkEnabled = true
  /// Domains that continue URLs may name.
  ///
  /// Until they are set: this machine, and the two domains that every project has.
  public var authorizedDomains: [String] {
    get {
      chosenDomains ?? [
        "localhost", "127.0.0.1", "[::1]", "\(id).firebaseapp.com", "\(id).web.app",
      ]
    }
    set { chosenDomains = newValue }
  }
  private var chosenDomains: [String]?
  /// The domain of the sign-in handler page, when it is not the emulator itself.
  public var authDomain: String?
  /// Origins whose pages may use the controls and the administrator's paths, beside those of this machine.
  public var allowedOrigins = OriginList()
  /// Servers that blocking functions and issuers may be at, beside this machine.
  public var allowedServers = OriginList()
  /// Whether a code by SMS is sent only to whoever proves to be a person or a real app.
  public var requiresAppCredential = false
  /// What goes wrong on purpose from the start.
  public var faults = FaultPlan()
  /// How many minutes a sign-in counts as recent.
  public var recentLoginMinutes = 5
  /// What hashing a password costs, as the binary logarithm of scrypt's N; production's 14 takes 16 MiB.
  public var passwordMemoryCost = 4
  /// The fields of Google's `Config` message that nothing above stands for, such as `passwordPolicyConfig`.
  public var settings = JSONObject()
  /// The sign-in providers by id.
  public var providers: [String: ProviderConfiguration]
  /// The people the emulated identity providers know.
  public var people: [Person] {
    get { directory.people }
    set { directory = PeopleDirectory(newValue) }
  }
  /// The same people, to be found by their addresses.
  var directory: PeopleDirectory

  /// A project with the given providers and people and every setting at its default.
  public init(providers: [ProviderConfiguration] = [], people: [Person] = []) {
    self.providers = Dictionary(providers.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    directory = PeopleDirectory(people)
  }

  /// The provider registered under `id` when it is switched on.
  public func enabledProvider(_ id: String) -> ProviderConfiguration? {
    guard let provider = providers[id], provider.isEnabled else { return nil }
    return provider
  }
}
