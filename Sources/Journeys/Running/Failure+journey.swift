import Host
import System

/// Failures that the host reports when it ends a journey, its hooks or its tasks.
extension Failure {
  static func overdue(_ limit: Duration) -> Failure {
    Failure(
      kind: .timeout, message: "the journey did not end within \(limit / .seconds(1)) s",
      hint: "allow more time with --timeout or { timeout = … }, or look for what it waits for")
  }

  static func overdueEnd(_ limit: Duration, _ label: String? = nil) -> Failure {
    Failure(
      kind: .hook,
      message: (label ?? "hooks and fixtures") + " did not end within \(limit / .seconds(1)) s",
      hint: "look for what their cleaning up waits for")
  }

  static func interruptedEnd(_ label: String?) -> Failure {
    Failure(kind: .hook, message: (label ?? "the end of hooks and fixtures") + " was interrupted")
  }

  static var silent: Failure {
    Failure(
      kind: .error, message: "the journey ended without a result",
      hint: "something in the file has changed luath's own modules")
  }

  /// Returns the failure with the label of a hook or fixture in front.
  func named(_ label: String?) -> Failure {
    guard let label else { return self }
    var failure = self
    failure.message = "\(label): \(message)"
    return failure
  }

  /// A task that was never awaited and did not end in time, at the line that spawned it.
  static func unfinished(_ tasks: UnfinishedTasks, within limit: Duration) -> Failure {
    let which = tasks.count == 1 ? "a task" : "\(tasks.count) tasks of this line"
    return Failure(
      kind: .task, message: "\(which) did not end within \(limit / .seconds(1)) s",
      hint: "await or cancel what task.spawn returns, or allow more time with --timeout"
    ).spawned(by: tasks)
  }

  /// A task that did not end after it was canceled, at the line that spawned it.
  static func endless(_ tasks: UnfinishedTasks) -> Failure {
    let which = tasks.count == 1 ? "a task" : "\(tasks.count) tasks of this line"
    return Failure(
      kind: .task, message: "\(which) did not end when cancelled",
      hint: "a task that catches errors in a loop must end on the code cancelled"
    ).spawned(by: tasks)
  }

  private func spawned(by tasks: UnfinishedTasks) -> Failure {
    var placed = placed(by: tasks.traceback)
    guard let place = tasks.origin.flatMap(SourceLine.init) else { return placed }
    placed.file = place.file
    placed.line = place.line
    return placed
  }
}

extension Failure {
  /// Reads a failure from the engine's JSON.
  init(_ json: JSON) {
    let place = json["where"]?.string.flatMap(SourceLine.init)
    self.init(
      kind: json["kind"]?.string.flatMap(Kind.init) ?? .error,
      message: json["message"]?.string ?? "the journey failed without a message",
      code: json["code"]?.string, hint: json["hint"]?.string, file: place?.file, line: place?.line,
      expression: json["expression"]?.string, expected: json["expected"]?.string,
      actual: json["actual"]?.string, diff: Self.texts(json["diff"]),
      steps: Self.texts(json["steps"]),
      traceback: Traceback(json["traceback"]?.string ?? "").calls.map(\.printable))
  }

  /// Creates a failure from an uncaught Lua error.
  init(_ failure: ScriptFailure, kind: Kind) {
    let traceback = Traceback(failure.traceback)
    let place = (failure.place ?? traceback.place?.printable).flatMap(SourceLine.init)
    self.init(
      kind: kind, message: failure.message, code: failure.code, hint: failure.hint,
      file: place?.file, line: place?.line, expression: failure.check?.expression,
      expected: failure.check?.expected, actual: failure.check?.actual,
      diff: failure.check?.diff ?? [], steps: failure.check?.steps ?? [],
      traceback: traceback.calls.map(\.printable))
  }

  /// Creates a failure from what stopped the Lua state during a journey.
  ///
  /// - Parameter limit: The time limit of what was stopped.
  init(_ stop: ScriptOutcome, within limit: Duration) {
    switch stop {
    case .exited(let status):
      self.init(
        kind: .stopped, message: "the journey called os.exit(\(status))",
        hint: "return from the journey, or raise an error")
    case .stopped(.memory):
      self.init(
        kind: .stopped, message: "the journey took more memory than --memory allows",
        hint: "raise --memory, or look for a table that grows without end")
    case .failed(let failure), .notLoaded(let failure): self.init(failure, kind: .error)
    default:
      self.init(
        kind: .timeout,
        message:
          "the journey computed without end, or waited for a program, and was stopped after its time limit "
          + "of \(limit / .seconds(1)) s",
        hint:
          "look for a loop that does not wait for anything, or for a program that does not end, or raise --timeout"
      )
    }
  }

  /// Returns the failure with the innermost script line of a traceback as its place.
  func placed(by traceback: String) -> Failure {
    var placed = self
    let traceback = Traceback(traceback)
    placed.traceback = traceback.calls.map(\.printable)
    let place = (traceback.place?.printable).flatMap(SourceLine.init)
    placed.file = place?.file
    placed.line = place?.line
    return placed
  }

  private static func texts(_ json: JSON?) -> [String] { json?.array?.compactMap(\.string) ?? [] }

  /// Returns the failure with the value of `--memory` where its message names the option.
  func naming(memory: String?) -> Failure {
    var named = self
    if let memory {
      named.message = message.replacing(
        "more memory than --memory allows", with: "more memory than --memory \(memory) allows")
    }
    return named
  }

  /// Returns the failure with the source line it names.
  ///
  /// - Parameter source: Returns the content of a file.
  func showing(_ source: (String) -> ShownSource?) -> Failure {
    guard let file, let text = source(file), self.source == nil, let line,
      let excerpt = SourceExcerpt(line, of: text), !excerpt.isBlank
    else { return self }
    var shown = self
    shown.source = String(excerpt.line.drop { $0 == " " })
    return shown
  }
}
