import CShims
import Glibc
import SignIn
import Synchronization
public import System

/// A program that runs in place of luath: with its streams, its terminal and its signals, as a shell runs a job.
///
/// The program leads a process group. When it has ended, all its descendants are ended too, also those that have left
/// the group; likewise when luath is killed.
public final class ForegroundCommand: Sendable {
  /// How the program ended.
  public enum Ending: Sendable {
    /// By itself, with this exit code: 128 plus the number of a signal.
    case exited(Int32)
    /// By SIGKILL, because it had not ended in time after this signal.
    case killed(after: Int32)
    /// The program does not exist, or cannot be executed.
    case notStarted(SystemError)
  }

  /// How long two signals count as one: npm sends SIGINT twice, and `timeout` signals luath and its group.
  private static let oneKeystroke = Duration.milliseconds(500)
  /// How long descendants that are left have between SIGTERM and SIGKILL.
  private static let grace = Duration.seconds(1)
  /// The signals that ask a program to end.
  private static let ends: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let others: [Int32] = [SIGUSR1, SIGUSR2]

  private struct Progress {
    /// The first signal that asked the program to end, and when it came.
    var asked: (signal: Int32, at: ContinuousClock.Instant)?
    var isKilled = false
  }

  private let supervisor: ProcessSupervisor
  private let terminal: Int32
  private let patience: Duration
  private let progress = Mutex(Progress())
  private let report: @Sendable (String) -> Void

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: The arguments, with the program's name.
  ///   - environment: The whole environment.
  ///   - patience: How long the program may run after it was asked to end by a signal to luath.
  ///   - report: Receives sentences for the user.
  public init(
    path: String, arguments: [String], environment: [String: String], patience: Duration,
    report: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    terminal = luath_job_terminal()
    self.patience = patience
    self.report = report
    var program = SupervisedProgram(
      path: path, arguments: arguments,
      environment: environment.map { "\($0.key)=\($0.value)" })
    program.hasGroup = true
    program.isForeground = true
    program.grace = Self.grace
    // In a pipeline, another program of it may need the terminal, such as a pager.
    if terminal >= 0, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
      program.terminal = terminal
    }
    do throws(SystemError) {
      supervisor = try ProcessSupervisor(program)
    } catch {
      if terminal >= 0 { close(terminal) }
      throw error
    }
  }

  deinit {
    if terminal >= 0 { close(terminal) }
  }

  /// Waits until the program and all its descendants have ended.
  public func run() async -> Ending {
    Interrupts.forward(
      Self.ends.filter { $0 != SIGINT && $0 != SIGTERM } + Self.others
        + (terminal >= 0 ? [SIGTSTP] : [])
    ) { [self] in receive($0) }
    return await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try SystemThread.start(name: "command") { continuation.resume(returning: self.watch()) }
      } catch {
        continuation.resume(returning: .notStarted(error))
      }
    }
  }

  /// Ends this process as Ctrl-C ends all programs of a terminal, if it has ended the program.
  ///
  /// Without this, a shell script that runs luath would go on after Ctrl-C, because only the program received it.
  public static func endByInterrupt() { luath_job_interrupt() }

  /// Whether Ctrl-C at the terminal has ended the program, and luath has not received it.
  public var wasInterruptedAtTerminal: Bool { interrupted.withLock(\.self) }

  /// Whether a signal to luath has asked the program to end.
  public var wasAskedToEnd: Bool {
    wasInterruptedAtTerminal || progress.withLock { $0.asked != nil }
  }

  private let interrupted = Mutex(false)

  // MARK: Signals

  private func receive(_ signal: Int32) {
    guard Self.ends.contains(signal) else { return supervisor.send(signal: signal) }
    let isSecond = progress.withLock { progress -> Bool? in
      guard let asked = progress.asked else {
        progress.asked = (signal, .now)
        return false
      }
      return asked.at.duration(to: .now) > Self.oneKeystroke ? true : nil
    }
    switch isSecond {
    case nil: break
    case true?: kill()
    case false?:
      supervisor.send(signal: signal)
      // A stopped program handles the signal only when it continues.
      supervisor.send(signal: SIGCONT)
      Task.detached { [weak self, patience] in
        try? await Task.sleep(for: patience)
        self?.kill()
      }
    }
  }

  private func kill() {
    progress.withLock { $0.isKilled = true }
    supervisor.kill()
  }

  // MARK: The program's reports

  private func watch() -> Ending {
    var ending = Ending.exited(128 + SIGKILL)
    var group: Int32 = -1
    while true {
      switch supervisor.nextReport() {
      case .started(let process): group = process
      case .stopped(let signal): stopped(by: signal, group)
      case .notStarted(let error): ending = .notStarted(error)
      case .ended(let code, let signal):
        // A program that could not be started ends, too.
        if case .exited = ending { ending = .exited(code) }
        let hadTerminal = takeTerminal(from: group)
        if hadTerminal, signal == SIGINT { interrupted.withLock { $0 = true } }
      case .gone:
        _ = takeTerminal(from: group)
        let (asked, isKilled) = progress.withLock { ($0.asked, $0.isKilled) }
        if isKilled, let asked, case .exited = ending { return .killed(after: asked.signal) }
        return ending
      }
    }
  }

  /// Handles a stop of the program, by Ctrl-Z or because it is in the background and needs the terminal.
  private func stopped(by signal: Int32, _ group: Int32) {
    guard terminal >= 0 else {
      report(
        "the command has stopped (\(SignalName.text(signal))); kill -CONT -\(group) continues it")
      return
    }
    let own = getpgrp()
    let isWaiting = signal == SIGTTIN || signal == SIGTTOU
    if !isWaiting || !luath_job_is_foreground(terminal, own) {
      _ = takeTerminal(from: group)
      luath_job_stop()
    }
    // In the background, after the command `bg` of the shell, the shell keeps the terminal.
    if luath_job_is_foreground(terminal, own), isWaiting || isatty(STDOUT_FILENO) == 1 {
      luath_job_bring_forward(terminal, group)
    }
    supervisor.send(signal: SIGCONT)
  }

  /// Makes luath's own process group the foreground group again; false if the program did not have the terminal.
  private func takeTerminal(from group: Int32) -> Bool {
    guard terminal >= 0, group > 0, luath_job_is_foreground(terminal, group) else { return false }
    luath_job_bring_forward(terminal, getpgrp())
    return true
  }
}
