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
  /// The servers that blocking functions and issuers may be at, beside this machine: those that the project file
  /// lists or uses itself, and those of the command line.
  private let allowedServers: OriginList
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
    allowedServers = configuration.allServers
    self.rules = rules
    self.clock = clock
    self.keys = keys
    events = EventLog(clock: clock)
  }

  /// Whether the emulator may send requests to an address that an administrator's call has set.
  ///
  /// Whoever can make such calls could otherwise reach servers that only this machine can.
  func mayCall(_ url: WebURL) -> Bool {
    url.isLoopback || url.origin == origin || allowedServers.contains(url)
  }

  /// What an error says of an address that `mayCall` refuses.
  static func refusal(toCall url: WebURL) -> String {
    "the emulator calls no server but those of this machine; add \(Backend.printable(url.origin)) to "
      + "allowServers in the project file, or start luath emulator with --allow-server"
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
