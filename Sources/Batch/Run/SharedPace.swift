import HTTP

/// What the machines that work on one journal share besides its rows: one rate, and what a person tells them.
public protocol SharedPace: Sendable {
  /// Takes up to so many calls out of the rate that all share, and gives how many there were; 0 for none yet.
  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int

  /// What a person tells all machines from now on.
  func controls() -> AsyncStream<BatchControl>

  /// Tells all machines something.
  func send(_ control: BatchControl) async throws(BatchProblem)

  /// Since when what they share cannot be reached; nil while it can.
  var outage: JournalOutage? { get }
}

extension SharedPace {
  /// It is always there.
  public var outage: JournalOutage? { nil }
}

extension PostgresJournal: SharedPace {}

extension Executor {
  /// How many calls are taken out of the shared rate at a time.
  private static let handful = 16

  /// Takes a call out of the rate that all machines share, where they do.
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
      // A few calls a second are looked for often enough by this.
      if stock == 0, !(await gate.rest(for: .milliseconds(50))) { throw .ended }
    }
    stock -= 1
  }

  /// Looks now and then what others have done, for whoever asks how far the run has come.
  func watchOthers() async {
    var rest = Duration.seconds(5)
    while (try? await Task.sleep(for: rest)) != nil {
      let start = gate.now
      // A lost server is the affair of whoever has something to write.
      guard (try? await lookAtAll()) != nil else { return }
      // Counting many rows takes a while.
      rest = max(.seconds(5), (gate.now - start) * 20)
    }
  }

  /// Counts what all machines have done.
  func lookAtAll() async throws(BatchProblem) {
    meter.beginLook()
    meter.endLook(try await journal.tally(batch), at: gate.now)
  }

  /// Does what other machines are told, until the run ends.
  func follow(_ controls: AsyncStream<BatchControl>) async {
    for await control in controls {
      // The rate is kept by all together.
      if case .rate = control { continue }
      self.control(control)
    }
  }
}
