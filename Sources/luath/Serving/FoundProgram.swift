import Glibc
import Host
import SignIn
import System

/// A program that the command line names.
struct FoundProgram {
  /// The path to execute.
  let path: String
  private let name: String

  /// Searches a program as shells do: a name without a slash in the folders of PATH.
  init(_ name: String, _ console: Console) throws(CommandFailure) {
    self.name = name
    switch ProgramSearch(name, path: console.environment["PATH"], from: console.folder) {
    case .found(let path): self.path = path
    case .notExecutable(let path):
      let isFolder = FileAccess(path: console.whole(path))?.isFolder == true
      throw CommandFailure(
        .notExecutable,
        "\(path.printable) cannot be executed\(isFolder ? ": it is a folder" : "")",
        hint: isFolder
          ? "name a program in it"
          : "make it executable with chmod +x, or name the program that runs it")
    case .missing: throw Self.missing(name, console)
    }
  }

  private static func missing(_ name: String, _ console: Console) -> CommandFailure {
    let isPath = name.utf8.contains(UInt8(ascii: "/"))
    let isLine = name.contains(" ")
    let isHere = FileAccess(path: console.whole(name))?.isFile == true
    return CommandFailure(
      .notFound,
      isPath
        ? "there is no program \(name.printable)" : "there is no program \(name.printable) in PATH",
      hint: isLine
        ? "a command line needs a shell: luath exec -- sh -c \(ShellWord.quoted(name))"
        : isPath
          ? "check the path; it starts from \(console.folder.printable)"
          : isHere
            ? "a program of this folder needs its path: luath exec -- \(ShellWord.quoted("./\(name)"))"
            : "check the name, and PATH"
    )
  }

  /// Whether a shell may run the file as a script: its first line is text.
  var isText: Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    return !bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }.contains(0)
  }

  /// The exit status for the end of the program, after printing why it was not started.
  func status(of ending: ForegroundCommand.Ending, _ console: Console) -> ExitStatus {
    switch ending {
    case .exited(let code): return .script(code)
    case .killed(let signal):
      console.writeError(
        "luath: the command did not end after \(SignalName.text(signal)) and was killed\n")
      return .script(128 + signal)
    case .notStarted(let error):
      let isInterpreter = error.code == ENOENT
      return CommandFailure(
        .notExecutable,
        isInterpreter
          ? "\(name.printable) cannot be executed: the interpreter in its first line does not exist"
          : "\(name.printable) cannot be executed: \(error.words)",
        hint: isInterpreter
          ? "install the interpreter, or name it: luath exec -- INTERPRETER \(ShellWord.quoted(path))"
          : "try to run it without luath"
      ).report(console)
    }
  }
}
