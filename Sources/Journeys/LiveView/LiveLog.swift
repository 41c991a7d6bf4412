import Synchronization
import System

/// What pages of the live view show: the events of the runs, and messages of the view, as JSON in order.
///
/// An entry has a number, and a page asks for the entries after the last number that it has. Of each journey, file
/// and message only the latest run's entries are kept, so the log does not grow when journeys run again.
final class LiveLog: Sendable {
  /// The approximate maximum size of one response in bytes; a page then asks for the rest.
  private static let mostBytes = 4 << 20

  fileprivate struct Entry {
    let number: Int
    let subject: String
    let text: String
  }

  /// What entries are about: a journey, a file, the run or a kind of message.
  fileprivate struct Subject {
    var run: Int
    /// The number of the first entry that is still valid.
    var first: Int
    var count = 0
  }

  fileprivate struct State {
    var entries: [Entry] = []
    var newest = 0
    var run = 0
    var subjects: [String: Subject] = [:]
    /// The number of entries that are still valid.
    var valid = 0
    var failed: Set<String> = []
    var failedFiles: Set<String> = []
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func add(_ text: String, about name: String, replacesOlder: Bool) {
      newest += 1
      var subject = subjects[name] ?? Subject(run: run, first: newest)
      if replacesOlder || subject.run != run {
        valid -= subject.count
        subject = Subject(run: run, first: newest)
      }
      subject.count += 1
      valid += 1
      subjects[name] = subject
      entries.append(Entry(number: newest, subject: name, text: text))
      // Removed only now and then, so that each entry is moved once on average.
      if entries.count > 64 + 2 * valid { entries = entries.filter { !isOutdated($0) } }
    }

    func isOutdated(_ entry: Entry) -> Bool {
      entry.number < subjects[entry.subject]?.first ?? 0
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(State())

  /// The journeys that failed in their latest run, and the files that did, by their names.
  var failed: (journeys: Set<String>, files: Set<String>) {
    state.withLock { ($0.failed, $0.failedFiles) }
  }

  /// Begins a run of these journeys.
  func begin(_ journeys: [String]) {
    add { state in
      state.run += 1
      let message: JSON = [
        "run": .integer(Int64(state.run)), "journeys": .array(journeys.map(JSON.string)),
      ]
      state.add(Self.message("selected", message), about: "message selected", replacesOlder: true)
    }
  }

  /// Adds an event of the current run.
  func add(_ event: RunEvent) {
    let (name, json) = (event.subject, event.json.encoded())
    add { state in
      state.note(event)
      state.add(
        "{\"about\":\(JSON.string(name).encoded()),\"run\":\(state.run),\"event\":\(json)}",
        about: name, replacesOlder: false)
    }
  }

  /// Removes the events of files, because they load again.
  func forget(files: [String]) {
    add { state in
      for file in files {
        let name = "file \(file)"
        state.failedFiles.remove(file)
        guard let subject = state.subjects[name], subject.count > 0 else { continue }
        state.add(
          Self.message("forgotten", .string(name)), about: "message forgotten \(file)",
          replacesOlder: true)
        state.valid -= subject.count
        state.subjects[name] = Subject(run: subject.run, first: state.newest + 1)
      }
    }
  }

  /// Adds a message, which replaces the last one of its name.
  func post(_ name: String, _ value: JSON) {
    let text = Self.message(name, value)
    add { $0.add(text, about: "message \(name)", replacesOlder: true) }
  }

  private static func message(_ name: String, _ value: JSON) -> String {
    JSON.object(JSONObject([("message", .string(name)), ("value", value)])).encoded()
  }

  private func add(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state in
      change(&state)
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for an entry after a number, or for `wake`.
  func wait(after number: Int) async {
    await withCheckedContinuation { waiter in
      let isThere = state.withLock { state in
        if state.newest <= number { state.waiters.append(waiter) }
        return state.newest > number
      }
      if isThere { waiter.resume() }
    }
  }

  /// Ends every `wait`, so that no response takes longer than a browser's patience.
  func wake() {
    for waiter in state.withLock({ $0.takeWaiters() }) { waiter.resume() }
  }

  /// The entries after a number, as JSON: `newest` is the last of them, and with `more` others follow.
  func entries(after number: Int) -> String {
    state.withLock { state in
      let begin = state.entries.partitioningIndex { $0.number > number }
      var (texts, size, newest, hasMore) = ([String](), 0, state.newest, false)
      for entry in state.entries[begin...] where !state.isOutdated(entry) {
        guard size < Self.mostBytes else {
          hasMore = true
          break
        }
        texts.append(entry.text)
        size += entry.text.utf8.count
        newest = entry.number
      }
      if !hasMore { newest = state.newest }
      return
        "{\"newest\":\(newest),\"more\":\(hasMore),\"entries\":[\(texts.joined(separator: ",\n"))]}"
    }
  }
}

extension LiveLog.State {
  /// Records what failed, for the next run of what failed.
  fileprivate mutating func note(_ event: RunEvent) {
    switch event.kind {
    case .journeyResult(let result):
      guard let id = event.place?.journey else { return }
      if result.outcome == .failed { failed.insert(id) } else { failed.remove(id) }
    case .fileStart(let start): failedFiles.remove(start.file)
    case .fileEnd(let end): if !end.failures.isEmpty { failedFiles.insert(end.file) }
    default: break
    }
  }
}

extension RunEvent {
  /// What the event is about: its journey, its file, or the run.
  fileprivate var subject: String {
    if let place { return place.journey }
    switch kind {
    case .fileStart(let start): return "file \(start.file)"
    case .fileEnd(let end): return "file \(end.file)"
    default: return ""
    }
  }
}

extension Array {
  /// The index of the first element for which the condition holds, in an array sorted by it.
  fileprivate func partitioningIndex(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Passes the events of a run to the live view.
final class LiveSink: EventSink {
  let wantsExchanges = true
  private let log: LiveLog

  init(_ log: LiveLog) { self.log = log }

  func take(_ event: RunEvent) { log.add(event) }

  func end() {}
}
