import Glibc
import Host
import SignIn
import System

/// Finds the files that differ from a commit of git, and those that git does not track.
struct GitChanges: Sendable {
  static let option = Option(
    "changed", "REF",
    "run the journeys of files that differ from git's REF (without REF: HEAD) or are untracked",
    default: "all files", isValueAttached: true)

  /// How long one git command may take.
  private static let limit = Duration.seconds(60)
  private static let script = "exec git \"$@\" 2>/dev/null"
  /// The same command for its error messages.
  private static let scriptOfErrors = "exec git \"$@\" 2>&1 >/dev/null"

  private let reference: String
  private let console: Console

  /// Reads `--changed`; nil if it is not given.
  init?(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    guard arguments.flags.contains("changed") || arguments.values["changed"] != nil else {
      return nil
    }
    reference = arguments.values["changed"] ?? "HEAD"
    self.console = console
    guard !reference.isEmpty, !reference.hasPrefix("-") else {
      throw UsageError(
        "--changed takes a commit, branch or tag, not '\(reference.printable)'",
        hint: "such as --changed=main; --changed alone compares with HEAD")
    }
  }

  /// The scripts whose files have changed.
  func only(_ scripts: [Script]) async throws(CommandFailure) -> [Script] {
    let changed = try await paths()
    let chosen = scripts.filter { script in
      guard let path = realpath(console.whole(script.name), nil) else { return false }
      defer { free(path) }
      return changed.contains(String(cString: path))
    }
    guard chosen.isEmpty else { return chosen }
    throw CommandFailure(
      .nothing, "no journey file has changed since \(reference.printable)",
      hint: "leave --changed out to run all journeys; files that journeys require do not count")
  }

  /// The absolute paths of the changed and untracked files.
  private func paths() async throws(CommandFailure) -> Set<String> {
    let top = try await git(["rev-parse", "--show-toplevel"], in: console.folder)
    var root = String(decoding: top, as: UTF8.self)
    while root.last == "\n" { root.removeLast() }
    let changed = try await git(
      ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", reference, "--"], in: root)
    let untracked = try await git(
      ["ls-files", "--others", "--exclude-standard", "-z"], in: root)
    return Set(
      (changed + untracked).split(separator: 0).map {
        "\(root)/\(String(decoding: $0, as: UTF8.self))"
      })
  }

  private func git(_ arguments: [String], in folder: String) async throws(CommandFailure) -> [UInt8]
  {
    let (code, output) = try await run(Self.script, arguments, in: folder)
    if code == 0 { return output }
    guard code != 127 else {
      throw CommandFailure(
        .unavailable, "--changed needs git, which is not in PATH", hint: "install git")
    }
    let (_, errors) = try await run(Self.scriptOfErrors, arguments, in: folder)
    let text = String(decoding: errors, as: UTF8.self)
    let line = text.split(separator: "\n").first.map(String.init) ?? "it exits with \(code)"
    let message = line.hasPrefix("fatal: ") ? String(line.dropFirst(7)) : line
    if message.hasPrefix("not a git repository") || message.contains("run in a work tree") {
      throw CommandFailure(
        .usage, "--changed needs a git work tree, and \(folder.printable) is in none",
        hint: "leave --changed out, or run luath in a clone of the repository")
    }
    if arguments.first == "diff" {
      throw CommandFailure(
        .usage, "git cannot compare with \(reference.printable): \(message.printable)",
        hint: "--changed=REF takes a commit, branch or tag of this repository")
    }
    throw CommandFailure(
      .unavailable, "git cannot list the changed files: \(message.printable)",
      hint: "run git status in \(folder.printable) to see the cause")
  }

  /// Runs a shell script with these arguments, and returns its exit code and output.
  private func run(
    _ script: String, _ arguments: [String], in folder: String
  ) async throws(CommandFailure) -> (Int32, [UInt8]) {
    let file: Int32
    do throws(SystemError) {
      file = try TemporaryFile.open(in: console.environment["TMPDIR"])
    } catch {
      throw CommandFailure(
        .unavailable, "cannot create a temporary file for git: \(error.message)",
        hint: "check TMPDIR, and the free space there")
    }
    defer { close(file) }
    var environment = console.environment
    // Messages in English, so that they can be recognized.
    environment["LC_ALL"] = "C"
    let process: ProcessSupervisor
    do throws(SystemError) {
      // A monitor named in the repository's settings must not be started.
      process = try ProcessSupervisor(
        program: "/bin/sh",
        arguments: [
          "-c", script, "sh", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", folder,
        ] + arguments,
        environment: environment.map { "\($0.key)=\($0.value)" }, output: file, folder: nil)
    } catch {
      throw CommandFailure(.unavailable, "git cannot be started: \(error.message)")
    }
    defer { process.close() }
    let start = ContinuousClock.now
    while true {
      switch process.state {
      case .running: break
      case .ended(let code): return (code, TemporaryFile.read(file))
      case .notStarted(let error):
        throw CommandFailure(.unavailable, "git cannot be started: \(error.message)")
      case .gone: throw CommandFailure(.unavailable, "git was killed")
      }
      if Interrupts.hasCome { throw CommandFailure(.interrupted, "interrupted") }
      guard start.duration(to: .now) < Self.limit else {
        throw CommandFailure(
          .timedOut, "git did not end within 60 s", hint: "run git status to see whether it works")
      }
      // A process has no event for the loop.
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}
