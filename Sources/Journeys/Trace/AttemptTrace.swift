import SignIn
import Host

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
  private let keepsAll: Bool

  init(_ place: EventSource?, keepsAll: Bool) {
    self.place = place
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
  }

  /// Returns the events of the attempt, sorted by start time.
  func events(_ hub: EventHub) -> [RunEvent] {
    var events = exchanges.map { number, exchange in
      let at = hub.time(of: exchange.began)
      let event = hub.secrets.event(exchange, number: number)
      return RunEvent(at: at, place: place(at: at), .exchange(event))
    }
    events += actions.map { at, action in
      RunEvent(at: at, place: place(at: at), hub.secrets.clean(.page(PageEvent(action))))
    }
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
      }
  }
}
