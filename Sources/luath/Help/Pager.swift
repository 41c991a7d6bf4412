import Glibc
import Host
import Prompt

/// Shows long texts at a terminal with the user's pager, as git does.
struct Pager {
  /// The line of the shell that shows its standard input; nil to write texts to standard output.
  let line: String?

  /// Chooses `PAGER`, or else less if `PATH` has it.
  ///
  /// An empty `PAGER` and `cat` turn paging off, as does an output that is no terminal or cannot move its cursor.
  init(_ console: Console) {
    let environment = console.environment
    let isUsable = console.outputColumns != nil && environment["TERM"] != "dumb"
    let less = Self.hasLess(environment["PATH"] ?? "") ? "less" : ""
    let program = environment["PAGER"] ?? less
    guard isUsable, program.contains(where: { $0 != " " }), program != "cat" else {
      line = nil
      return
    }
    // less then leaves short texts alone (F), shows bold type (R), and keeps the text on the screen (X).
    line = "LESS=${LESS-FRX}; export LESS; exec \(program)"
  }

  private static func hasLess(_ path: String) -> Bool {
    path.split(separator: ":").contains { access("\($0)/less", X_OK) == 0 }
  }

  /// Shows a text and waits until the user leaves the pager; without a pager, writes it to the console.
  func show(_ text: String, _ console: Console) {
    if line.map({ Self.run($0, text) }) != true { console.writeOutput(text) }
  }

  /// Whether the pager could be started.
  private static func run(_ line: String, _ text: String) -> Bool {
    // A file without a name, because the pager may end before it has read a pipe.
    guard let file = tmpfile() else { return false }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else {
      return false
    }
    rewind(file)
    // Ctrl-C and Ctrl-\ are for the pager, which has these signals' usual handling.
    let handlers = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
    defer { for (number, handler) in handlers { signal(number, handler) } }
    // The shell exits with 126 or 127 for a program that it cannot run.
    return ![126, 127].contains(TerminalProgram.run(line, input: fileno(file)))
  }
}
