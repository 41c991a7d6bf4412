import HTTP
import Lua

extension Interpreter {
  /// Runs a Lua function as a job on behalf of another job, and waits for its results.
  ///
  /// When the other job is cancelled, this one is cancelled too.
  func call(
    _ function: LuaReference, _ arguments: [LuaValue] = [], for caller: Job?
  ) async throws(LuaError) -> [LuaReference] {
    let job = try spawn(function, arguments)
    if let caller { job.lifetime = caller.lifetime }
    caller?.awaited = [job]
    await end(of: job)
    job.observed = true
    if Task.isCancelled {
      cancel(job)
      throw TaskErrors.cancelled
    }
    return try await outcome(of: job)
  }

  func call(
    _ function: LuaReference, _ arguments: [LuaValue], within limit: Duration
  ) async throws(LuaError) -> [LuaReference] {
    let job = try spawn(function, arguments)
    let timer = actor.loop.schedule(after: limit) { [unowned self] in
      job.timedOut = true
      cancel(job)
    }
    await end(of: job)
    job.observed = true
    actor.loop.cancel(timer)
    if Task.isCancelled {
      cancel(job)
      throw TaskErrors.cancelled
    }
    if job.timedOut { throw TaskErrors.timedOut(limit / .seconds(1)) }
    return try await outcome(of: job)
  }

  /// Waits for a job and returns its results, or throws its error.
  func outcome(of job: Job) async throws(LuaError) -> [LuaReference] {
    await end(of: job)
    job.observed = true
    switch job.state {
    case .finished(let values): return values
    case .failed(let value, _): throw .value(value)
    default: throw .message("the task did not end")
    }
  }

  /// Waits until the job has ended, or until the waiting task is cancelled.
  func end(of job: Job) async {
    if job.ended { return }
    let gate = OneShot()
    job.whenEnded { gate.open() }
    await wait(for: gate)
  }

  /// Waits until the gate is open, or until the waiting task is cancelled.
  func wait(for gate: OneShot) async {
    let box = OnLoop(value: gate)
    let loop = actor.loop
    await withTaskCancellationHandler {
      await withUnsafeContinuation { gate.wait($0) }
    } onCancel: {
      loop.perform { box.value.open() }
    }
  }
}
