internal import CShims
internal import Glibc
public import HTTP

/// Opens pages in the browser named by the desktop or the variable BROWSER.
public struct SystemOpener: PageOpener {
  private let finder: BrowserFinder

  /// Creates an opener that reads these environment variables.
  public init(environment: [String: String]) {
    finder = BrowserFinder(environment: environment)
  }

  /// Tries the programs in order until one succeeds.
  ///
  /// A browser may run for days, so it is only watched for a failure.
  public func open(_ page: WebURL) async throws(PageOpeningFailure) {
    let commands = finder.commands(for: page.description)
    for command in commands {
      guard let process = start(command) else { continue }
      if await end(of: process) { return }
    }
    throw .unavailable(
      commands.isEmpty
        ? finder.absence ?? "no program that opens a browser was found in PATH"
        : "the programs that open a browser failed")
  }

  private func start(_ command: BrowserFinder.Command) -> pid_t? {
    var arguments = ([command.path] + command.arguments).map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    // No output, and detached: the user's own browser outlives this process.
    let nothing = [Int32](repeating: Int32(LUATH_NO_DESCRIPTOR), count: 3)
    let problem = luath_child_start(command.path, arguments, nothing, true, &process)
    return problem == 0 ? process : nil
  }

  /// Returns whether a program succeeded, or true when the wait is canceled.
  private func end(of process: pid_t) async -> Bool {
    let ending = Ending()
    // A thread, because the program must be reaped even when nothing awaits it any more.
    var thread = pthread_t()
    let watch = Unmanaged.passRetained(Watch(process: process, ending: ending))
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let watch = Unmanaged<Watch>.fromOpaque(context).takeRetainedValue()
        watch.ending.give(isGood(luath_child_status(watch.process)))
        return nil
      }, watch.toOpaque())
    guard status == 0 else {
      watch.release()
      return true
    }
    pthread_detach(thread)
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { ending.wait($0) }
    } onCancel: {
      ending.give(true)
    }
  }

  private final class Watch: Sendable {
    let process: pid_t
    let ending: Ending

    init(process: pid_t, ending: Ending) {
      self.process = process
      self.ending = ending
    }
  }
}

/// Whether a program succeeded.
///
/// -1 means that another part of the process reaped it; that is no sign of failure.
private func isGood(_ status: Int32) -> Bool { status == -1 || luath_exit_code(status) == 0 }

/// The first result of a program, from any thread.
private final class Ending: Sendable {
  private struct State {
    var isGood: Bool?
    var waiter: UnsafeContinuation<Bool, Never>?
  }

  private let state = Guarded(State())

  func give(_ isGood: Bool) {
    let waiter = state.withLock { state in
      if state.isGood == nil { state.isGood = isGood }
      return state.waiter.take()
    }
    waiter?.resume(returning: isGood)
  }

  func wait(_ continuation: UnsafeContinuation<Bool, Never>) {
    let known = state.withLock { state in
      if state.isGood == nil { state.waiter = continuation }
      return state.isGood
    }
    if let known { continuation.resume(returning: known) }
  }
}
