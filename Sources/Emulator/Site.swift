internal import HTTP

/// What the backend half and the identity-provider half of one emulator share.
///
/// The halves never call each other: they meet over HTTP, and only the facts here are common to both.
/// It lives on the emulator's loop.
final class Site {
  /// Settings of the default project, provider registrations and people; the configuration endpoints change it.
  var configuration: ProjectConfiguration
  /// The configuration the emulator was started with, which further projects begin with.
  let initialConfiguration: ProjectConfiguration
  let rules: Rules
  let clock: EmulatorClock
  let keys: SigningKeys
  var tokenReader = TokenReader()
  /// What goes wrong on purpose.
  var faults = Faults()
  /// Google's limits, when they are to be kept.
  var quotas: Quotas?
  /// Writes what changes to a state file; nil when everything goes with the process.
  var recorder: StateRecorder?
  /// How long an identity provider may take for one answer.
  var patience = Network.patience
  /// Whether other projects than the default one are refused.
  var isSingleProject = false
  /// What has happened, for those who look.
  let events: EventLog
  /// `http://127.0.0.1:PORT`, known once the server listens; empty before.
  var origin = ""
  /// Is told of every letter and SMS, as the mailbox and telephone of a person at a terminal; nil for nobody.
  var notices: ((String) -> Void)?
  /// The Functions emulator that hears of new and deleted accounts; nil for none.
  var functions: FunctionsEmulator?

  init(
    configuration: ProjectConfiguration, rules: Rules, clock: EmulatorClock, keys: SigningKeys
  ) {
    self.configuration = configuration
    initialConfiguration = configuration
    self.rules = rules
    self.clock = clock
    self.keys = keys
    events = EventLog(clock: clock)
  }

  /// The people a given provider knows.
  func people(knownTo providerID: String) -> [Person] {
    configuration.people.filter { $0.isKnown(to: providerID) }
  }

  /// The issuer of an OIDC provider: the configured one, else the emulator's own page.
  func issuer(of provider: ProviderConfiguration) -> String {
    if let issuer = provider.issuer { return issuer }
    return "\(origin)/oidc/\(provider.id.dropFirst("oidc.".count))"
  }
}
