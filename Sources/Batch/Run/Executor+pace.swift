import HTTP

/// Why a run makes no calls for now.
enum PaceHold: String, Sendable {
  /// `ctl pause`.
  case user
  /// The rate 0 of the timetable.
  case timetable
  /// The response of the pace URL.
  case paceURL

  /// The reason as text for users.
  var words: String {
    switch self {
    case .user: "paused"
    case .timetable: "paused by --rate until its next time"
    case .paceURL: "paused by --pace-url"
    }
  }
}

/// What sets the pace of a run from outside: the user, the timetable of `--rate`, and the pace URL.
struct PaceOrders: Sendable {
  /// Whether `ctl pause` applies.
  var isPaused = false
  /// The limit of `--rate` or `ctl`, whichever came last, in calls a second; nil for none.
  var limit: Double?
  /// The rate of the timetable that applies; nil before the first one.
  var scheduled: Double?
  /// What the pace URL asks for.
  var reply = PaceURL.Reply.go(limit: nil)

  var hold: PaceHold? {
    if isPaused { return .user }
    if scheduled == 0 { return .timetable }
    return reply == .hold ? .paceURL : nil
  }
}

extension Executor {
  /// Applies the rate of `--rate` that is due now, if it is another than before.
  ///
  /// A limit of `ctl` applies until the timetable's next change.
  func keepTimetable() async throws(BatchProblem) {
    guard let timetable = settings.rate else { return }
    let rate = timetable.rate(at: settings.secondOfDay())
    guard rate != orders.scheduled else { return }
    orders.scheduled = rate
    if rate > 0 {
      let limit = rate.isFinite ? rate : nil
      // The shared permits enforce a shared rate.
      if let shared { try await shared.send(.rate(limit)) } else { orders.limit = limit }
      hear(.control(.rate(limit)))
    }
    applyOrders()
  }

  /// Follows the timetable until the run ends.
  func watchTimetable() async {
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      do throws(BatchProblem) { try await keepTimetable() } catch { return fail(error) }
    }
  }

  /// Obeys a response of the pace URL.
  func obey(_ reply: PaceURL.Reply) {
    guard reply != orders.reply else { return }
    orders.reply = reply
    applyOrders()
  }

  /// Passes the orders that apply now to the concurrency limit.
  func applyOrders() {
    var limit = orders.limit
    if case .go(let most?) = orders.reply { limit = min(limit ?? .infinity, most) }
    if limit != gate.pace.limit { gate.set(rate: limit) }
    let hold = orders.hold
    if hold != held {
      if (hold ?? held) != .user { hear(.held(by: hold)) }
      held = hold
      gate.set(isPaused: hold != nil)
      if hold == nil { meter.restart(at: gate.now) }
    }
    feed()
  }
}
