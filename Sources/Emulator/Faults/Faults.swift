internal import System
internal import HTTP

/// The active faults, with the random numbers that decide when they occur.
///
/// The same seed and the same requests in the same order give the same faults.
struct Faults: Sendable {
  /// The combined effect of all faults on one request.
  struct Strike: Sendable {
    var milliseconds = 0.0
    var error: FaultError?
    var retryAfter: Int?
    var delivery = Delivery.whole
    var isCarriedOut = true
    var revokesTokens = false
    var advancesClock: Int64 = 0
  }

  private struct Armed: Sendable {
    let fault: Fault
    var random: SeededRandom
    var seen = 0
    var struck = 0

    /// Counts a request and decides whether the fault occurs.
    mutating func strikes(_ operation: APIOperation, _ project: String) -> Bool {
      if let wanted = fault.operation, wanted != operation { return false }
      if let wanted = fault.project,
        ExactString(string: wanted) != ExactString(string: project)
      {
        return false
      }
      seen += 1
      guard seen > fault.after, fault.count.map({ struck < $0 }) ?? true else { return false }
      guard fault.rate >= 1 || random.unit() < fault.rate else { return false }
      struck += 1
      return true
    }
  }

  private(set) var seed: UInt64 = 0
  private var armed: [Armed] = []

  init() {}

  init(_ faults: [Fault], seed: UInt64) {
    self.seed = seed
    armed = faults.enumerated().map { index, fault in
      Armed(fault: fault, random: SeededRandom(seed: seed &+ UInt64(index) &* 0x1_0000_0001))
    }
  }

  /// The faults of a project file, then those of the command line; the command line's seed wins unless it is 0.
  init(_ project: FaultPlan, and command: FaultPlan, chance: UInt64 = 0) {
    let seed = command.seed == 0 ? project.seed : command.seed
    self.init(project.faults + command.faults, seed: seed ^ chance)
  }

  var isEmpty: Bool { armed.isEmpty }

  /// The combined effect of the faults on this request; nil when none occurs.
  mutating func strike(_ operation: APIOperation, project: String) -> Strike? {
    var strike: Strike?
    for index in armed.indices {
      guard armed[index].strikes(operation, project) else { continue }
      let fault = armed[index].fault
      var sum = strike ?? Strike()
      if let latency = fault.latency {
        sum.milliseconds += latency.sample(&armed[index].random)
      }
      if let error = fault.error {
        sum.error = sum.error ?? error
        sum.retryAfter = fault.retryAfter ?? sum.retryAfter
        sum.isCarriedOut = fault.isCarriedOut ?? false
      }
      switch fault.delivery {
      case .drop: sum.delivery = .drop
      case .cut(let bytes): sum.delivery = .cutAfter(bytes: bytes)
      case nil: break
      }
      if fault.delivery != nil, let isCarriedOut = fault.isCarriedOut {
        sum.isCarriedOut = isCarriedOut
      }
      if fault.revokesTokens { sum.revokesTokens = true }
      sum.advancesClock += fault.advancesClock ?? 0
      strike = sum
    }
    return strike
  }

  /// The faults with their counters.
  var json: JSON {
    let list = armed.map { armed -> JSON in
      var entry = armed.fault.json.object ?? JSONObject()
      entry["seen"] = .integer(Int64(armed.seen))
      entry["struck"] = .integer(Int64(armed.struck))
      return .object(entry)
    }
    return ["seed": .string(String(seed)), "faults": .array(list)]
  }
}
