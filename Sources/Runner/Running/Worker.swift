import Encoding
import HTTP
import Lua
import Scripting
import Synchronization

/// Runs files of journeys one after the other, on a loop and a target of its own.
final class Worker: Sendable {
  private let number: Int
  let loop: EventLoop
  private let place: WorkerPlace
  private let hub: EventHub
  private let tally: RunTally
  private let settings: RunSettings
  private let recorder: any JourneyRecorder
  private let read: @Sendable (String) -> [UInt8]?

  convenience init(
    number: Int, loop: EventLoop, place: WorkerPlace, hub: EventHub, board: RunBoard,
    tally: RunTally, settings: RunSettings, read: @escaping @Sendable (String) -> [UInt8]?
  ) {
    let options: JSON = [
      "seed": .integer(settings.seed), "worker": .integer(Int64(number)),
      "accounts": .array(settings.accounts), "isInside": .bool(place.isInside),
    ]
    self.init(
      number: number, loop: loop, place: place, hub: hub, tally: tally, settings: settings,
      read: read,
      recorder: AttemptRecorder(
        hub, board: board, trace: settings.trace, options: options))
  }

  init(
    number: Int, loop: EventLoop, place: WorkerPlace, hub: EventHub, tally: RunTally,
    settings: RunSettings, read: @escaping @Sendable (String) -> [UInt8]?,
    recorder: any JourneyRecorder
  ) {
    self.number = number
    self.loop = loop
    self.place = place
    self.hub = hub
    self.tally = tally
    self.settings = settings
    self.read = read
    self.recorder = recorder
  }

  /// Runs files until none is left.
  ///
  /// A file that made something for the whole run is ended when all workers have come so far.
  func run(_ queue: FileQueue, _ current: CurrentFile, _ finishLine: FinishLine) async {
    await LoopActor(loop).run { actor in
      var kept: [FileRun] = []
      while !self.tally.isOver, let file = queue.next() {
        let run = FileRun(self, file, actor, current)
        if await run.run() { kept.append(run) }
      }
      await finishLine.arrive()
      for run in kept.reversed() { await run.end() }
    }
  }

  /// Ends its target.
  func leavePlace() async { await place.close() }

  /// Ends its target and its thread.
  func end() async {
    await leavePlace()
    loop.stop()
    loop.join()
  }

  // MARK: What a run of one file uses

  var context: ScriptContext { place.context(recorder) }
  var limit: Duration { settings.timeout }
  var tries: Int { settings.retries + 1 }
  var isDry: Bool { settings.isDry }
  var id: Int { number }
  var isOver: Bool { tally.isOver }
  var wasInterrupted: Bool { tally.wasInterrupted }
  var now: Double { hub.now }

  func duration(since time: Double) -> Double { hub.duration(since: time) }

  func renewPlace() async { await place.renew() }

  func record(_ place: EventPlace?) { recorder.begin(place) }

  /// Tells what was exchanged in the attempt that has ended.
  func recorded(_ status: AttemptStatus) { recorder.end(status) }

  var lastExchanges: [Int] { recorder.lastExchanges }

  func post(_ kind: RunEvent.Kind, at place: EventPlace? = nil) { hub.post(kind, at: place) }

  func count(_ outcome: JourneyOutcome) { tally.count(outcome) }

  func countFile(isLoaded: Bool) { tally.countFile(isLoaded: isLoaded) }

  func showing(_ failure: Failure) -> Failure { failure.showing(read) }
}

/// The file a worker has open, for whoever must interrupt it.
///
/// Unchecked, because `OpenFile` is touched from its loop's thread but for `interrupt`, which is safe.
final class CurrentFile: @unchecked Sendable {
  private let file = Mutex<Int>(0)
  private var open: OpenFile?

  func set(_ open: OpenFile?) { file.withLock { _ in self.open = open } }

  /// Makes what the file waits for fail, and stops it when that is not enough.
  func interrupt(on loop: EventLoop) {
    file.withLock { _ in open?.interrupt() }
    loop.perform { [self] in file.withLock { _ in open }?.interpreter.cancelCall() }
  }
}
