import System
import HTTP
import Host
import SignIn

/// The exchanges and page actions of one attempt, and their steps.
struct AttemptTrace {
  /// How many exchanges before a failure are kept when no report wants all.
  static let last = 10

  struct Step {
    let number: Int
    let began: Double
    var ended: Double?
  }

  let place: EventSource?
  private(set) var steps: [Step] = []
  /// The exchanges with their numbers, which also count dropped ones.
  private(set) var exchanges: [(number: Int, exchange: ObservedExchange)] = []
  private(set) var actions: [(at: Double, action: PageAction)] = []
  private(set) var count = 0
  var evidence = AttemptEvidence()
  /// When it began; what browsers log is not earlier.
  let began: Double
  private let keepsAll: Bool

  init(_ place: EventSource?, began: Double, keepsAll: Bool) {
    self.place = place
    self.began = began
    self.keepsAll = keepsAll
  }

  mutating func begin(_ number: Int, at now: Double) {
    steps.append(Step(number: number, began: now))
  }

  /// Ends a step and returns when it began.
  mutating func end(_ number: Int, at now: Double) -> Double? {
    guard let index = steps.lastIndex(where: { $0.number == number }) else { return nil }
    steps[index].ended = now
    return steps[index].began
  }

  mutating func add(_ exchange: ObservedExchange) {
    count += 1
    exchanges.append((count, exchange))
    if !keepsAll, exchanges.count >= 2 * Self.last { exchanges.removeFirst(Self.last) }
  }

  mutating func add(_ action: PageAction, at now: Double) {
    actions.append((now, action))
    if !keepsAll, actions.count >= 4 * Self.last { actions.removeFirst(2 * Self.last) }
  }

  /// Returns the place with the innermost step that was open at a time.
  func place(at time: Double) -> EventSource? {
    var place = place
    place?.step =
      steps.last { $0.began <= time && ($0.ended ?? .infinity) >= time }?.number
    return place
  }

  /// Drops all but the last exchanges and actions.
  mutating func keepLast() {
    exchanges = Array(exchanges.suffix(Self.last))
    actions = Array(actions.suffix(2 * Self.last))
    evidence.keepEntries(last: 2 * Self.last)
  }

  /// Drops all exchanges, actions and browsers' logs; what the script attached stays.
  mutating func keepEvidence() {
    exchanges = []
    actions = []
    evidence.keepEntries(last: 0)
  }

  var isEmpty: Bool { exchanges.isEmpty && actions.isEmpty && evidence.isEmpty }

  /// Returns the events of the attempt, sorted by start time.
  ///
  /// - Parameter folder: Where `--pages` saves files; nil without it.
  func events(_ hub: EventHub, folder: SignInTrace?) -> [RunEvent] {
    var events = exchanges.map { number, exchange in
      let at = hub.time(of: exchange.began)
      let event = hub.secrets.event(exchange, number: number)
      return RunEvent(at: at, place: place(at: at), .exchange(event))
    }
    events += actions.map { at, action in
      RunEvent(at: at, place: place(at: at), hub.secrets.clean(.page(PageEvent(action))))
    }
    events += evidence.events(hub, place(at:), folder: folder)
    return events.sorted { $0.at < $1.at }
  }

  var lastNumbers: [Int] { exchanges.suffix(Self.last).map(\.number) }
}

extension PageEvent {
  fileprivate init(_ action: PageAction) {
    self.init(
      from: Participant(action.from), to: Participant(action.to), action: action.verb.rawValue,
      detail: action.detail, provider: action.providerID)
  }
}

extension Participant {
  fileprivate init(_ party: PageAction.Party) {
    self =
      switch party {
      case .person: .person
      case .script: .script
      case .browser: .browser
      case .provider: .provider
      case .toolkit: .toolkit
      }
  }
}

/// The receiver and the operation of an exchange.
struct ExchangeRoute {
  let receiver: Participant
  let operation: String?

  private static let toolkitHosts: Set<String> = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com",
    "staging-identitytoolkit.sandbox.googleapis.com", "emulator", "__", "identitytoolkit",
  ]

  private static let providerHosts: Set<String> = [
    "graph.microsoft.com", "login.microsoftonline.com", "microsoft.com", "login.live.com",
    "api.login.yahoo.com", "social.yahooapis.com", "accounts.google.com", "oauth2.googleapis.com",
    "openidconnect.googleapis.com", "www.googleapis.com", "www.google.com", "oidc", "saml",
    "appleid.apple.com", "github.com", "api.github.com", "www.facebook.com", "graph.facebook.com",
  ]

  private static let providerOperations: Set<String> = [
    "authorize", "token", "userinfo", "keys", "certs", "logout", "devicecode", "revoke", "auth",
  ]

  /// Path segments that only identity providers have, on any host.
  private static let onlyProviders: Set<String> = [
    "openid-configuration", "token", "userinfo", "authorize", "jwks", "jwks.json",
  ]

  init(_ exchange: ObservedExchange) {
    let url = exchange.request.url
    var segments = url.path.split(separator: "/").map(String.init)
    // The emulator serves each host under a path with its name.
    let host = exchange.isEmulator ? segments.first ?? "" : url.host
    let isToolkit = Self.toolkitHosts.contains(host) || segments.contains("relyingparty")
    if exchange.isEmulator, host != "emulator", host != "__", !segments.isEmpty {
      segments.removeFirst()
    }
    if isToolkit {
      receiver = .toolkit
      operation = Self.operation(segments)
    } else if Self.providerHosts.contains(host) || exchange.sender == .browser
      || Self.onlyProviders.contains(segments.last ?? "")
    {
      receiver = .provider
      let last = segments.last ?? ""
      operation =
        last == "openid-configuration"
        ? "discovery" : Self.providerOperations.contains(last) ? last : nil
    } else {
      receiver = .other
      operation = nil
    }
  }

  /// Returns `accounts:lookup` for `v1/projects/p/tenants/t/accounts:lookup`.
  private static func operation(_ segments: [String]) -> String? {
    var rest = segments.filter { !isVersion($0) && $0 != "relyingparty" }[...]
    var prefix: [String] = []
    if rest.first == "emulator" || rest.first == "__" { prefix.append(rest.removeFirst()) }
    for collection in ["projects", "tenants"] where rest.first == collection && rest.count > 2 {
      rest = rest.dropFirst(2)
    }
    let words = prefix + rest
    return words.isEmpty ? nil : words.joined(separator: "/")
  }

  private static func isVersion(_ segment: String) -> Bool {
    segment.utf8.count > 1 && segment.utf8.first == UInt8(ascii: "v")
      && segment.utf8.dropFirst().first.map { $0.isDigit } == true
  }
}

/// Which exchanges and page actions of a run become events.
enum TraceMode: String, Sendable, CaseIterable {
  /// All if a report wants them, otherwise the last ones before a failure.
  case automatic
  /// All of every attempt.
  case all
  /// All of failed attempts.
  case onFailure = "on-failure"
  case off
}
