public import HTTP
internal import CShims
internal import Glibc
internal import System

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
    do throws(SystemError) {
      try SystemThread.start { ending.give(isGood(luath_child_status(process))) }
    } catch {
      return true
    }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { ending.wait($0) }
    } onCancel: {
      ending.give(true)
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

/// Finds programs that open a page in the user's own browser.
struct BrowserFinder {
  struct Command: Equatable {
    let path: String
    let arguments: [String]
  }

  let environment: [String: String]
  var isProgram: (String) -> Bool = { path in
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// Programs of desktops and subsystems; each takes one URL.
  private static let usual = ["xdg-open", "open", "wslview", "sensible-browser", "gio open"]

  /// Returns the commands to try for a URL, those in BROWSER first.
  ///
  /// Without a display, only those in BROWSER.
  func commands(for address: String) -> [Command] {
    let chosen = environment["BROWSER"]?.split(separator: ":").map(String.init) ?? []
    return (chosen + (absence == nil ? Self.usual : [])).compactMap { command($0, address) }
  }

  /// Why the user cannot see a browser of this machine; nil when they can.
  var absence: String? {
    if has("SSH_CONNECTION") || has("SSH_TTY") { return "this is a session over ssh" }
    if has("DISPLAY") || has("WAYLAND_DISPLAY") || has("WSL_DISTRO_NAME") { return nil }
    return "this machine has no display (DISPLAY and WAYLAND_DISPLAY are not set)"
  }

  private func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }

  /// Splits words at spaces and replaces `%s` by the URL, as other programs read BROWSER.
  ///
  /// No shell is involved.
  private func command(_ text: String, _ address: String) -> Command? {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first, let path = path(of: name) else { return nil }
    var arguments = Array(words.dropFirst())
    if !arguments.contains(where: { $0.contains("%s") }) { arguments.append("%s") }
    return Command(path: path, arguments: arguments.map { replaced($0, address) })
  }

  private func replaced(_ word: String, _ address: String) -> String {
    var parts: [Substring] = []
    var rest = Substring(word)
    while let mark = rest.indices.first(where: { rest[$0...].hasPrefix("%s") }) {
      parts.append(rest[..<mark])
      rest = rest[mark...].dropFirst(2)
    }
    return (parts + [rest]).joined(separator: address)
  }

  private func path(of name: String) -> String? {
    if name.contains("/") { return isProgram(name) ? name : nil }
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first(where: isProgram)
  }
}
