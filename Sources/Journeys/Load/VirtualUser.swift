import HTTP
import Host
import System

/// A virtual user that repeats journeys, with its own state of each file and its own target.
final class VirtualUser {
  /// The time limit for loading a file while all users load theirs.
  private static let patience = Duration.seconds(60)

  /// The number among the users of this process, from 0.
  private let seat: Int
  private let worker: Worker
  private let recorder: LoadRecorder
  private let clock: LoadClock
  private let runs: [FileRun]
  private let turns: LoadTurns
  private let thinkTime: ClosedRange<Double>?
  private var random: SeededGenerator

  init(
    _ worker: Worker, seat: Int, _ recorder: LoadRecorder, _ clock: LoadClock, _ turns: LoadTurns,
    _ plan: LoadPlan, seed: Int64, _ actor: LoopActor, _ current: [CurrentFile]
  ) {
    self.seat = seat
    self.worker = worker
    self.recorder = recorder
    self.clock = clock
    self.turns = turns
    thinkTime = plan.thinkTime
    random = SeededGenerator(seed: UInt64(bitPattern: seed), name: "user \(worker.id)")
    runs = zip(turns.files, current).map { FileRun(worker, $0, actor, $1) }
  }

  /// Loads the files, before the user begins journeys.
  func prepare() async {
    for run in runs { await run.prepare(within: max(worker.limit, Self.patience)) }
  }

  /// Runs journeys until the time is over.
  func run(_ loop: EventLoop) async {
    while true {
      guard let start = clock.next(for: seat) else {
        // If another agent is gone, there may be work for this user again.
        guard clock.isShared, clock.isRunning else { break }
        await sleep(until: clock.now + 100, on: loop)
        continue
      }
      await sleep(until: start.due, on: loop) { [clock] in clock.isValid(start) }
      while clock.isHeld, !clock.wasStopped { await sleep(until: clock.now + 20, on: loop) }
      if clock.wasStopped { break }
      guard clock.begin(start) else { continue }
      await go(start)
      if let thinkTime {
        let pause = Double.random(in: thinkTime, using: &random)
        await sleep(until: min(clock.now + pause, clock.end), on: loop)
      }
    }
    clock.leave()
  }

  private func sleep(
    until due: Double, on loop: EventLoop, while isValid: () -> Bool = { true }
  ) async {
    while due > clock.now, !clock.wasStopped, isValid() {
      // In short sleeps, so that a stop takes effect without waking the sleeper.
      let rest = Duration.microseconds(Int64(min(due - clock.now, 100) * 1000))
      guard (try? await loop.sleep(for: rest)) != nil else { return }
    }
  }

  private func go(_ start: LoadStart) async {
    let (index, journey) = turns[start.turn]
    let subject = LoadSubject(journey: journey.fullName, file: journey.file, line: journey.line)
    recorder.prepare(subject, isMeasured: start.isMeasured)
    let row = clock.takeRow()
    defer { if let row { clock.giveBack(row: row.index) } }
    runs[index].row = row?.row
    let began = clock.now
    let measured = began - clock.warmUp
    clock.count { $0.begin(at: start.isMeasured ? measured : nil) }
    let end = await runs[index].attempt(journey, EventSource(journey: journey.id, attempt: 1))
    let now = clock.now
    let error = Self.error(of: end).map(recorder.clean)
    recorder.end(end.status)
    // An interrupted journey says nothing about the target.
    let wasInterrupted = end.status == .interrupted
    guard start.isMeasured, !wasInterrupted else {
      return clock.count { $0.leave(wasInterrupted: wasInterrupted) }
    }
    // In the closed model, nothing is due before the user is free.
    let lateness = clock.isOpen ? max(0, began - start.due) : 0
    clock.count {
      $0.end(
        subject, at: now - clock.warmUp, duration: now - began, lateness: lateness, error: error)
    }
    guard let samples = clock.samples else { return }
    let name = subject.name
    samples.add(
      "iteration_duration", now - began + lateness, journey: name, failed: error != nil)
    if clock.isOpen { samples.add("iteration_start_delay", lateness, journey: name) }
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

/// The order in which the users of a run take turns at journeys.
struct LoadTurns: Sendable {
  let files: [PlannedFile]
  private let order: [(file: Int, journey: Int)]

  init(_ files: [PlannedFile]) {
    self.files = files
    let journeys = files.indices.flatMap { file in
      files[file].journeys.indices.map { (file: file, journey: $0) }
    }
    order = Self.order(journeys.map { files[$0.file].journeys[$0.journey].weight })
      .map { journeys[$0] }
  }

  subscript(turn: Int) -> (file: Int, journey: PlannedJourney) {
    let (file, journey) = order[turn % order.count]
    return (file, files[file].journeys[journey])
  }

  /// Returns the indices of some weights, each as often as its weight and evenly spread.
  static func order(_ weights: [Int]) -> [Int] {
    weights.enumerated().flatMap { index, weight in
      (0..<weight).map { (at: (Double($0) + 0.5) / Double(weight), index: index) }
    }
    .sorted { ($0.at, $0.index) < ($1.at, $1.index) }.map(\.index)
  }
}
