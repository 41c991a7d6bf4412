import HTTP
import Host
import Synchronization
import System

/// Reads files to find the journeys that they declare.
///
/// A file that loops at its top level blocks its thread. If somebody watches the reading, the other files are then
/// read on another thread.
final class FileReading: Sendable {
  /// Receives what happens while files are read.
  struct Watcher: Sendable {
    /// Receives the names of the files that take long, whenever they change; and how to end their reading.
    let showSlow: @Sendable (_ files: [String], _ stop: @escaping @Sendable () -> Void) -> Void
    /// Receives the files that were read, when only slow ones are left, and the names of the others.
    let handleRest: @Sendable (_ read: [PlannedFile], _ rest: Set<String>) -> Void
  }

  private struct Current {
    let began: ContinuousClock.Instant
    let loop: EventLoop
    let file: CurrentFile
    var isSlow = false
  }

  private struct State {
    var next = 0
    var files: [PlannedFile?]
    /// The files that are being read, by their index.
    var current: [Int: Current] = [:]
    var stopped: Set<Int> = []
    var threads = 1
    var hasHandledRest = false
  }

  /// How long a file may take before the next ones are read on another thread.
  private static let patience = Duration.milliseconds(500)
  private static let pause = Duration.milliseconds(20)
  private static let mostThreads = 8

  private let scripts: [Script]
  private let state: Mutex<State>

  init(_ scripts: [Script]) {
    self.scripts = scripts
    state = Mutex(State(files: scripts.map { _ in nil }))
  }

  /// The files that were read, in order.
  var files: [PlannedFile] { state.withLock { $0.files.compactMap(\.self) } }

  // MARK: For the threads that read

  /// The next file for a thread; nil when none is left.
  func begin(_ file: CurrentFile, on loop: EventLoop) -> (index: Int, script: Script)? {
    state.withLock { state in
      guard state.next < scripts.count else { return nil }
      defer { state.next += 1 }
      state.current[state.next] = Current(began: .now, loop: loop, file: file)
      return (state.next, scripts[state.next])
    }
  }

  func end(_ index: Int, _ file: PlannedFile) {
    state.withLock { state in
      var file = file
      if state.stopped.contains(index), file.failure != nil {
        file.failure = Failure(
          kind: .stopped, message: "the file was stopped while luath read it",
          hint: "its top level declares journeys; what takes long belongs into them")
      }
      state.files[index] = file
      state.current[index] = nil
    }
  }

  func endThread() { state.withLock { $0.threads -= 1 } }

  /// Stops the files that are being read.
  func interrupt() {
    for current in state.withLock({ Array($0.current.values) }) {
      current.file.interrupt(on: current.loop)
    }
  }

  // MARK: For who watches

  /// Watches until no thread reads any more.
  ///
  /// - Parameter read: Reads files on a thread of its own until none is left.
  func watch(
    _ watcher: Watcher, _ read: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup { group in
      group.addTask { await read() }
      var slow: [String] = []
      while state.withLock({ $0.threads > 0 }) {
        try? await Task.sleep(for: Self.pause)
        let now = lookForSlow()
        if now != slow { watcher.showSlow(now) { [self] in stopSlow() } }
        slow = now
        if needsThread() { group.addTask { await read() } }
        if let rest = restToHandle() { watcher.handleRest(files, rest) }
      }
      if !slow.isEmpty { watcher.showSlow([]) {} }
    }
  }

  private func lookForSlow() -> [String] {
    state.withLock { state in
      let now = ContinuousClock.now
      for (index, current) in state.current where now - current.began > Self.patience {
        state.current[index]?.isSlow = true
      }
      return state.current.filter(\.value.isSlow).keys.sorted().map { scripts[$0].name }
    }
  }

  private func needsThread() -> Bool {
    state.withLock { state in
      let isBlocked =
        state.threads > 0 && state.current.count(where: \.value.isSlow) == state.threads
      guard isBlocked, state.next < scripts.count, state.threads < Self.mostThreads else {
        return false
      }
      state.threads += 1
      return true
    }
  }

  /// The names of the files that are left, once, when all of those being read are slow.
  private func restToHandle() -> Set<String>? {
    state.withLock { state in
      guard !state.hasHandledRest, !state.current.isEmpty,
        state.current.allSatisfy(\.value.isSlow), state.current.count == state.threads
      else { return nil }
      state.hasHandledRest = true
      return Set(scripts.indices.filter { state.files[$0] == nil }.map { scripts[$0].name })
    }
  }

  private func stopSlow() {
    let slow = state.withLock { state in
      let slow = state.current.filter(\.value.isSlow)
      state.stopped.formUnion(slow.keys)
      return Array(slow.values)
    }
    for current in slow { current.file.interrupt(on: current.loop) }
  }
}

extension TestRun {
  /// Reads each script and collects the journeys that it declares.
  ///
  /// - Throws: `RunProblem` when nothing can be read at all.
  func collect(
    _ scripts: [Script], watchedBy watcher: FileReading.Watcher? = nil
  ) async throws(RunProblem) -> [PlannedFile] {
    let reading = FileReading(scripts)
    self.reading.withLock { $0 = reading }
    defer { self.reading.withLock { $0 = nil } }
    if let watcher {
      let problem = Mutex<RunProblem?>(nil)
      await reading.watch(watcher) { [self] in
        do throws(RunProblem) { try await read(reading) } catch { problem.withLock { $0 = error } }
      }
      // Without another thread, the first one reads all files.
      if let problem = problem.withLock(\.self), reading.files.count < scripts.count {
        throw problem
      }
    } else {
      try await read(reading)
    }
    if tally.wasInterrupted {
      throw RunProblem("the run was interrupted before it began", hint: nil, exit: 130)
    }
    return Self.withUniqueIDs(reading.files)
  }

  /// Reads files on a thread of its own until none is left.
  private func read(_ reading: FileReading) async throws(RunProblem) {
    defer { reading.endThread() }
    let place = try await makePlace()
    let loop: EventLoop
    do throws(RunProblem) {
      loop = try Self.loop("collect")
    } catch {
      await place.close()
      throw error
    }
    let recorder = AttemptRecorder(
      hub, board: board, options: ["seed": .integer(settings.seed), "isCollecting": true])
    hub.secrets.hide(place.context(recorder))
    hub.secrets.mark(settings.accounts.compactMap { $0["password"]?.string }, kind: .password)
    let current = CurrentFile()
    await LoopActor(loop).run { actor in
      while !self.tally.isOver, let (index, script) = reading.begin(current, on: loop) {
        let context = place.context(recorder)
        reading.end(index, await self.read(script, context, current, actor))
      }
    }
    await place.close()
    loop.stop()
    loop.join()
  }

  private func read(
    _ script: Script, _ context: ScriptContext, _ current: CurrentFile, _ actor: LoopActor
  ) async -> PlannedFile {
    var file = PlannedFile(script: script)
    if let problem = script.problem {
      file.failure = Failure(kind: .error, message: problem)
      return file
    }
    let limit = settings.timeout
    do throws(Failure) {
      let open = try await OpenFile.open(
        script, context: context, actor: actor, within: limit, current: current,
        stuck: { self.giveUp(nil) })
      do throws(Failure) {
        file.journeys = try await open.collect(script, within: limit)
        file.load = open.load
      } catch {
        file.failure = error
      }
      current.set(nil)
      await open.close()
    } catch {
      file.failure = error
    }
    return file
  }

  /// Gives journeys of the same name a number.
  private static func withUniqueIDs(_ files: [PlannedFile]) -> [PlannedFile] {
    var seen: [String: Int] = [:]
    return files.map { file in
      var file = file
      let lines = Dictionary(file.journeys.map { ($0.line, 1) }, uniquingKeysWith: +)
      for index in file.journeys.indices {
        file.journeys[index].sharesLine = lines[file.journeys[index].line, default: 1] > 1
        let id = file.journeys[index].id
        seen[id, default: 0] += 1
        if let count = seen[id], count > 1 { file.journeys[index].id += " #\(count)" }
      }
      return file
    }
  }
}
