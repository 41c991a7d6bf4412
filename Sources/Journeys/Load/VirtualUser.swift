import HTTP
import Host

/// A virtual user that repeats journeys, with its own state of each file and its own target.
final class VirtualUser {
  /// The time limit for loading a file while all users load theirs.
  private static let patience = Duration.seconds(60)

  private let worker: Worker
  private let recorder: LoadRecorder
  private let clock: LoadClock
  private let runs: [FileRun]
  private let journeys: [(run: Int, journey: PlannedJourney)]
  private var turn: Int

  /// - Parameter number: From 1; each user begins with a different journey.
  init(
    _ number: Int, _ worker: Worker, _ recorder: LoadRecorder, _ clock: LoadClock,
    _ files: [PlannedFile], _ actor: LoopActor, _ current: [CurrentFile]
  ) {
    self.worker = worker
    self.recorder = recorder
    self.clock = clock
    runs = zip(files, current).map { FileRun(worker, $0, actor, $1) }
    journeys = files.enumerated().flatMap { index, file in
      file.journeys.map { (run: index, journey: $0) }
    }
    turn = number - 1
  }

  /// Loads the files, before the clock starts.
  func prepare() async {
    for run in runs { await run.prepare(within: max(worker.limit, Self.patience)) }
  }

  /// Runs journeys until the time is over.
  func run(_ loop: EventLoop) async {
    while let due = clock.next() {
      while due > clock.now, !clock.wasStopped {
        // In short sleeps, so that an interrupt takes effect without waking the sleeper.
        let rest = Duration.microseconds(Int64(min(due - clock.now, 100) * 1000))
        guard (try? await loop.sleep(for: rest)) != nil else { return }
      }
      if clock.wasStopped { return }
      await go(lateness: max(0, clock.now - due))
    }
  }

  private func go(lateness: Double) async {
    let (index, journey) = journeys[turn % journeys.count]
    turn += 1
    let subject = LoadSubject(journey: journey.fullName, file: journey.file, line: journey.line)
    recorder.prepare(subject)
    let began = clock.now
    clock.count { $0.begin(at: began) }
    let end = await runs[index].attempt(journey, EventSource(journey: journey.id, attempt: 1))
    let now = clock.now
    let error = Self.error(of: end).map(recorder.clean)
    recorder.end(end.status)
    // An interrupted journey says nothing about the target.
    if end.status == .interrupted { return clock.count { $0.abandon() } }
    clock.count {
      $0.end(
        subject, at: now, duration: now - began, lateness: lateness, error: error)
    }
  }

  /// Returns the place, the code and the first line of the message, so that equal failures count as one.
  private static func error(_ failure: Failure) -> String {
    let code = failure.code.map { "\($0): " } ?? ""
    let place = failure.file.map { file in "\(file):\(failure.line ?? 0): " } ?? ""
    return place + code + (failure.message.split(separator: "\n").first.map(String.init) ?? "")
  }

  private static func error(of end: JourneyEnd) -> String? {
    switch end.status {
    case .failed: end.failures.first.map(error) ?? "failed"
    case .passed, .skipped, .pending, .interrupted: nil
    }
  }

  /// Runs the hooks and cleanup at the end of each file.
  func leave() async {
    for run in runs {
      for failure in await run.finish() {
        let words = recorder.clean(Self.error(failure))
        clock.count { [file = run.file.script.name] in $0.end(file, failedWith: words) }
      }
    }
  }
}
