internal import System
internal import HTTP
internal import Glibc

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
  /// Receives every e-mail and SMS with its text; nil for nobody.
  var messages: ((SentMessage) -> Void)?
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

  /// The key pair that is needed to carry out a request and does not exist yet.
  func missingKey(of request: HTTPRequest) -> SigningKeys.Pair? {
    let path = request.url.path
    if path.hasSuffix("/serviceAccount"), !keys.isMade(.serviceAccount) {
      return .serviceAccount
    }
    guard !keys.isMade(.tokens), path != "/" else { return nil }
    if rules[.signedTokens] { return .tokens }
    // Otherwise tokens are unsigned, but providers sign theirs under all rules.
    let isAPI = path.hasPrefix("/identitytoolkit.") || path.hasPrefix("/securetoken.")
    return !isAPI && ProviderRoute(path: path) != nil ? .tokens : nil
  }

  func people(knownTo providerID: String) -> [Person] {
    configuration.people.filter { $0.isKnown(to: providerID) }
  }

  /// The issuer of an OIDC provider: the configured one, otherwise the emulator's own server.
  func issuer(of provider: ProviderConfiguration) -> String {
    provider.issuer ?? provider.issuerName ?? address(of: provider)
  }

  /// The address of an emulated OIDC provider.
  func address(of provider: ProviderConfiguration) -> String {
    "\(origin)/oidc/\(provider.id.dropFirst("oidc.".count))"
  }
}

/// The initial state of an emulated project, used at the start and at each `renew`.
struct InitialState {
  let project: ProjectConfiguration
  let rules: Rules
  let keys: SigningKeys
  let faults: FaultPlan
  let keepsQuotas: Bool
  let isSingleProject: Bool
  /// Seconds by which the clock was ahead at the start.
  let clockAdvance: Int64

  /// A context in which nothing has happened yet; different values of `chance` give different random faults.
  func context(clock: EmulatorClock, chance: UInt64 = 0) -> EmulatorContext {
    let context = EmulatorContext(configuration: project, rules: rules, clock: clock, keys: keys)
    context.faults = Faults(project.faults, and: faults, chance: chance)
    context.isSingleProject = isSingleProject
    context.quotas = keepsQuotas ? Quotas() : nil
    return context
  }
}

/// The emulated project's clock, which a test can move forward without waiting.
///
/// Token expiry, the recent-login rule, pending tokens and authorization codes all read this clock, so
/// advancing it by ten minutes makes every one of them ten minutes older at once.
public final class EmulatorClock: Sendable {
  private let advanced = Guarded<Int64>(0)
  private let frozenAt: Int64?

  /// A clock that follows the system clock.
  public init() {
    frozenAt = nil
  }

  /// A clock that stands still at `seconds` since 1970 until it is advanced or set.
  init(frozenAt seconds: Int64) {
    frozenAt = seconds
  }

  /// Milliseconds since 1970.
  var milliseconds: Int64 {
    advanced.withLock { $0 } * 1000 + machineMilliseconds
  }

  /// Whole seconds since 1970.
  var seconds: Int64 { milliseconds / 1000 }

  /// How many seconds this clock is ahead of its source; negative when it is behind.
  public var advance: Int64 { advanced.withLock { $0 } }

  /// Moves the clock forward; a century at most, so that no later sum can overflow.
  func advance(bySeconds seconds: Int64) {
    advanced.withLock { $0 = min(Self.century, $0 + min(Self.century, max(0, seconds))) }
  }

  /// Sets the clock to a time between 1970 and a century from now; it continues from there.
  public func set(seconds: Int64) {
    let now = machineMilliseconds / 1000
    advanced.withLock { $0 = min(Self.century, max(-now, max(0, seconds) - now)) }
  }

  /// Restores the offset of an earlier run's clock.
  func restore(advance seconds: Int64) {
    advanced.withLock { $0 = min(Self.century, max(-machineMilliseconds / 1000, seconds)) }
  }

  private static let century: Int64 = 3_155_760_000

  private var machineMilliseconds: Int64 {
    if let frozenAt { return frozenAt * 1000 }
    return Timestamp.now
  }
}

/// The emulator's outgoing requests: to identity providers and to blocking functions.
final class Network {
  let transport: any Transport
  /// The same transport with a timeout, for identity providers.
  let providers: any Transport
  let issuers: IssuerDirectory

  /// The timeout of one identity provider response; one response of the emulator may wait for four of them.
  static let patience = Duration.seconds(15)

  init(transport: any Transport, clock: EmulatorClock, patience: Duration = patience) {
    self.transport = transport
    providers = TimeoutTransport(transport: transport, patience: patience)
    issuers = IssuerDirectory(transport: providers, clock: clock)
  }
}

/// A transport that limits every request's timeout to `patience`.
struct TimeoutTransport: Transport {
  let transport: any Transport
  let patience: Duration

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    var request = request
    request.timeout = min(request.timeout, patience)
    return try await transport.send(request)
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await transport.pause(for: duration)
  }
}
