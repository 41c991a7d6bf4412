internal import HTTP

/// The state shared by the backend half and the identity provider half of one emulator.
///
/// The halves never call each other: they exchange HTTP requests and share only what is here. Used on the emulator's
/// loop only.
final class EmulatorContext {
  /// Settings of the default project, its providers and their test users; the configuration endpoints change it.
  var configuration: ProjectConfiguration
  /// The configuration at the start; further projects begin with it.
  let initialConfiguration: ProjectConfiguration
  /// The servers, besides this machine, that blocking functions and issuers may use.
  ///
  /// They come from the project file, which may list them or use them itself, and from the command line.
  private let allowedServers: OriginList
  let rules: Rules
  let clock: EmulatorClock
  let keys: SigningKeys
  var tokenReader = TokenReader()
  var faults = Faults()
  /// Google's limits; nil when they do not apply.
  var quotas: Quotas?
  /// Writes changes to a state file; nil when the state is in memory only.
  var recorder: StateRecorder?
  /// The timeout of one identity provider response.
  var patience = Network.patience
  /// Whether calls that name another project are refused.
  var isSingleProject = false
  /// The log of requests, for the dashboard and other readers.
  let events: EventLog
  /// `http://127.0.0.1:PORT`, known once the server listens; empty before.
  var origin = ""
  /// Receives every e-mail and SMS, to show them to a user at a terminal; nil for nobody.
  var notices: ((String) -> Void)?
  /// The Functions emulator that receives new and deleted accounts; nil for none.
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
  /// Without this check, a caller could reach servers through us that only this machine can reach.
  func mayCall(_ url: WebURL) -> Bool {
    url.isLoopback || url.origin == origin || allowedServers.contains(url)
  }

  /// The error message for an address that `mayCall` refuses.
  static func refusal(toCall url: WebURL) -> String {
    "the emulator calls no server but those of this machine; add \(Backend.printable(url.origin)) to "
      + "allowServers in the project file, or start luath emulator with --allow-server"
  }

  func people(knownTo providerID: String) -> [Person] {
    configuration.people.filter { $0.isKnown(to: providerID) }
  }

  /// The issuer of an OIDC provider: the configured one, otherwise the emulator's own server.
  func issuer(of provider: ProviderConfiguration) -> String {
    if let issuer = provider.issuer { return issuer }
    return "\(origin)/oidc/\(provider.id.dropFirst("oidc.".count))"
  }
}
