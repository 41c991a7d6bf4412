import HTTP

/// What the machines that work on one journal share besides its rows: a rate limit and the user's commands.
protocol SharedRate: Sendable {
  /// Takes up to `count` permits from the shared rate, and returns how many it got; 0 for none yet.
  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int

  /// The stream of commands sent to all machines from now on.
  func controls() -> AsyncStream<BatchControl>

  /// Sends a command to all machines.
  func send(_ control: BatchControl) async throws(BatchProblem)

  /// The outage of the shared server; nil while it is reachable.
  var outage: JournalOutage? { get }
}

extension SharedRate {
  /// By default, the shared server is always reachable.
  var outage: JournalOutage? { nil }
}

extension PostgresJournal: SharedRate {}

extension Executor {
  /// How many permits to take from the shared rate at once.
  private static let handful = 16

  /// Takes a permit from the shared rate, if the run has one.
  func takeShared() async throws(StepStop) {
    guard let shared else { return }
    while stock == 0 {
      guard gate.phase != .stopped else { throw .ended }
      do throws(BatchProblem) {
        _ = try await taking.share { () async throws(BatchProblem) in
          stock += try await shared.takeTokens(atMost: Self.handful)
        }
      } catch {
        fail(error)
        throw .ended
      }
      // Often enough even for a rate of a few calls per second.
      if stock == 0, !(await gate.rest(for: .milliseconds(50))) { throw .ended }
    }
    stock -= 1
  }

  /// Refreshes the counts of the whole run regularly, for status queries.
  func watchOthers() async {
    var rest = Duration.seconds(5)
    while (try? await Task.sleep(for: rest)) != nil {
      let start = gate.now
      // Stop without an error if the server is lost; the next write reports it.
      guard (try? await lookAtAll()) != nil else { return }
      // Counting many rows takes a while, so spend at most a twentieth of the time on it.
      rest = max(.seconds(5), (gate.now - start) * 20)
    }
  }

  /// Refreshes the counts of the whole run.
  func lookAtAll() async throws(BatchProblem) {
    meter.beginLook()
    meter.endLook(try await journal.tally(batch), at: gate.now)
  }

  /// Executes the commands sent to all machines, until the run ends.
  func follow(_ controls: AsyncStream<BatchControl>) async {
    for await control in controls {
      // The shared permits already enforce the rate.
      if case .rate = control { continue }
      self.control(control)
    }
  }
}
