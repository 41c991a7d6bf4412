import HTTP
import Lua

enum TaskErrors {
  static var cancelled: LuaError {
    .object([
      ("code", .string("cancelled")), ("message", .string("the task was cancelled")),
      ("hint", .string("a call of cancel ended it, or another task won the race")),
    ])
  }

  /// A plain message, as an error object would need an open Lua state.
  static var closed: LuaError {
    .message("no task can start any more: the script has ended, and only its finalizers run")
  }

  static func timedOut(_ seconds: Double) -> LuaError {
    .object([
      ("code", .string("timeout")),
      ("message", .string("the function did not end within \(seconds) seconds")),
      ("hint", .string("allow more time, or look for what it waits for")),
    ])
  }
}

enum TaskModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let taskClass = interpreter.classes.task
    var methods = Declarations(interpreter, owner: "task", type: taskClass)
    methods.wait(
      "await", "Waits until the task has ended; raises what it raised.",
      returns: "the function's results"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let job = call.object(1, as: Job.self) else {
        return { () async throws(LuaError) in [] }
      }
      try interpreter.awaiting([job])
      return { () async throws(LuaError) in
        try await interpreter.outcome(of: job).map(LuaValue.reference)
      }
    }
    methods.add(
      "cancel", "Makes what the task waits for, now or later, raise an error with code cancelled."
    ) { [unowned interpreter] call in
      if let job = call.object(1, as: Job.self) {
        // The cancellation is not reported as a failed task.
        job.observed = true
        interpreter.cancel(job)
      }
      return .results(0)
    }
    taskClass.methods = methods.members
    taskClass.properties = [
      .computed("status", .string, "running, waiting, done or failed.") { call in
        call.push(call.object(1, as: Job.self)?.words ?? "done")
        return .results(1)
      }
    ]
    taskClass.describe = { "Task(\(($0 as? Job)?.words ?? "done"))" }
    return Module(
      "luath.task", "Many coroutines that wait at once.", functions(interpreter),
      classes: [(taskClass, methods.list)])
  }

  private static func functions(_ interpreter: Interpreter) -> [Declaration] {
    var task = Declarations(interpreter, owner: "task")
    task.add(
      "spawn", "Starts a function beside the caller; its arguments follow.",
      [LuaParameter("f", .function)], variadic: true, returns: "Task"
    ) { [unowned interpreter] call throws(LuaError) in
      let arguments = (1..<max(1, call.count)).map { LuaValue.reference(call.reference($0 + 1)) }
      let job = try interpreter.spawn(call.reference(1), arguments)
      job.origin = call.place
      call.push(interpreter.classes.task, job)
      return .results(1)
    }
    task.wait(
      "sleep", "Waits for a time.", [LuaParameter("seconds", .number, "0 lets others go on once")]
    ) { [unowned interpreter] (call) throws(LuaError) -> Wait in
      sleep(try duration(call, 1, "sleep"), interpreter)
    }
    task.wait(
      "all", "Runs functions side by side until all have ended; the first error ends the others.",
      [LuaParameter("functions", .list(.function))], returns: "a list of their first results"
    ) { [unowned interpreter] call throws(LuaError) in
      let jobs = try spawn(call, interpreter)
      try interpreter.awaiting(jobs)
      return { () async throws(LuaError) in try await all(jobs, interpreter) }
    }
    task.wait(
      "race",
      "Runs functions side by side until one has ended, and cancels the others without waiting for them.",
      [LuaParameter("functions", .list(.function))], returns: "the results of the first"
    ) { [unowned interpreter] call throws(LuaError) in
      guard call.length(1) > 0 else {
        throw .message("bad argument #1 to 'race' (a race needs at least one function)")
      }
      let jobs = try spawn(call, interpreter)
      try interpreter.awaiting(jobs)
      return { () async throws(LuaError) in try await race(jobs, interpreter) }
    }
    task.wait(
      "timeout", "Runs a function for at most a time; an error with code timeout when it is over.",
      [LuaParameter("seconds", .number), LuaParameter("f", .function)], variadic: true,
      returns: "the function's results"
    ) { [unowned interpreter] call throws(LuaError) in
      let time = try duration(call, 1, "timeout")
      let seconds = call.number(1) ?? 0
      let arguments = (2..<max(2, call.count)).map { LuaValue.reference(call.reference($0 + 1)) }
      let job = try interpreter.spawn(call.reference(2), arguments)
      try interpreter.awaiting([job])
      return { () async throws(LuaError) in
        let timer = TimeLimit(time, interpreter) {
          job.timedOut = !job.ended
          interpreter.cancel(job)
        }
        await wait(for: [job], interpreter)
        timer.cancel()
        job.observed = true
        if job.timedOut { throw TaskErrors.timedOut(seconds) }
        return try await interpreter.outcome(of: job).map(LuaValue.reference)
      }
    }
    return task.list
  }

  // MARK: Waiting

  static func sleep(_ time: Duration, _ interpreter: Interpreter) -> Wait {
    let loop = interpreter.actor.loop
    return .event { done in
      let timer = loop.beginSleep(for: time) { isRested in
        done(isRested ? .success([]) : .failure(TaskErrors.cancelled))
      }
      let waiter = OnLoop(value: done)
      return {
        loop.perform {
          if loop.cancel(timer) { waiter.value(.failure(TaskErrors.cancelled)) }
        }
      }
    }
  }

  private static func duration(
    _ call: LuaCall, _ index: Int, _ name: String
  ) throws(LuaError) -> Duration {
    let seconds = call.number(index) ?? 0
    guard seconds >= 0, seconds < 1e9 else {
      throw .message(
        "bad argument #\(index) to '\(name)' (seconds must be between 0 and a thousand million)")
    }
    return .microseconds(Int64(seconds * 1e6))
  }

  private static func spawn(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> [Job] {
    var jobs: [Job] = []
    for position in 0..<call.length(1) {
      jobs.append(try interpreter.spawn(call.item(1, position + 1) { $0.reference($1) }))
    }
    return jobs
  }

  private static func all(
    _ jobs: [Job], _ interpreter: Interpreter
  ) async throws(LuaError) -> [LuaValue] {
    // The first failure in time, not in list order, cancels the others.
    var first: Job?
    for job in jobs {
      job.whenEnded {
        guard case .failed = job.state, first == nil else { return }
        first = job
        for other in jobs where other !== job { interpreter.cancel(other) }
      }
    }
    await wait(for: jobs, interpreter)
    for job in jobs { job.observed = true }
    if Task.isCancelled { throw TaskErrors.cancelled }
    if let first { return try await interpreter.outcome(of: first).map(LuaValue.reference) }
    var results: [LuaValue] = []
    for job in jobs {
      if case .finished(let values) = job.state {
        results.append(values.first.map(LuaValue.reference) ?? .nil)
      }
    }
    return [.list(results)]
  }

  private static func race(
    _ jobs: [Job], _ interpreter: Interpreter
  ) async throws(LuaError) -> [LuaValue] {
    var first: Job?
    let finish = OneShot()
    for job in jobs {
      job.whenEnded {
        guard first == nil else { return }
        first = job
        for other in jobs where other !== job { interpreter.cancel(other) }
        finish.open()
      }
    }
    await interpreter.wait(for: finish)
    // The losers may still clean up. `race` does not wait for them, and their errors are not reported.
    for job in jobs { job.observed = true }
    guard let first, !Task.isCancelled else {
      for job in jobs { interpreter.cancel(job) }
      throw TaskErrors.cancelled
    }
    return try await interpreter.outcome(of: first).map(LuaValue.reference)
  }

  /// Waits for all jobs; cancels them when the waiting task is cancelled.
  private static func wait(for jobs: [Job], _ interpreter: Interpreter) async {
    for job in jobs {
      await interpreter.end(of: job)
      if Task.isCancelled { for job in jobs { interpreter.cancel(job) } }
    }
  }
}

extension Job {
  var words: String {
    switch state {
    case .ready, .running: "running"
    case .waiting: "waiting"
    case .finished: "done"
    case .failed: "failed"
    }
  }
}

extension Interpreter {
  /// Records the jobs that the current job waits for; raises an error for a cycle, which would never end.
  func awaiting(_ jobs: [Job?]) throws(LuaError) {
    guard let current = currentJob else { return }
    let jobs = jobs.compactMap { $0 }
    for job in jobs where job.waitsFor(current) {
      throw .object([
        ("code", .string("deadlock")),
        ("message", .string("these tasks wait for each other and would never end")),
        ("hint", .string("let one of them return before the other awaits it")),
      ])
    }
    current.awaited = jobs
  }
}
