import System
import CShims
import Glibc
import Host

/// The user's editor: `VISUAL`, `EDITOR`, or vi.
struct OwnEditor: Sendable {
  let environment: [String: String]

  /// Opens a text in the editor and waits for it; blocks the calling thread.
  func edit(_ text: String) -> Result<String, PromptProblem> {
    let start = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var name = Array("\(start)/luath-XXXXXX.lua".utf8CString)
    // Only the user may read the file (mkstemps(3)).
    let file = mkstemps(&name, 4)
    guard file >= 0 else {
      return .failure(PromptProblem("cannot write to \(start): \(SystemError(errno).words)"))
    }
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // It may contain secrets, so a signal that ends luath removes it too, until it is deleted here.
    return TerminalDevice.passing(path) {
      defer { unlink(path) }
      return edit(text, file, path)
    }
  }

  private func edit(
    _ text: String, _ file: Int32, _ path: String
  ) -> Result<String, PromptProblem> {
    let bytes = Array(text.utf8)
    let isWritten = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count
    close(file)
    guard isWritten else {
      return .failure(PromptProblem("cannot write \(path): \(SystemError(errno).words)"))
    }
    let editor = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard TerminalProgram.run("exec \(editor ?? "vi") \"$1\"", [path]) == 0 else {
      return .failure(
        PromptProblem(
          "the editor \(editor ?? "vi") failed", hint: "set VISUAL or EDITOR"))
    }
    return read(path)
  }

  private func read(_ path: String) -> Result<String, PromptProblem> {
    guard let text = try? WholeFile.read(path) else {
      return .failure(PromptProblem("the editor deleted the file"))
    }
    guard let text = String(validating: text, as: UTF8.self) else {
      return .failure(PromptProblem("the edited text is not UTF-8"))
    }
    return .success(text)
  }
}

/// Programs of the user's choice at the terminal, such as an editor.
public enum TerminalProgram {
  /// Runs a line of the shell and waits for its end; blocks the calling thread.
  ///
  /// - Parameters:
  ///   - arguments: the values of `$1`, `$2` and so on.
  ///   - input: the descriptor of the program's standard input.
  /// - Returns: the exit code; 127 if the program cannot start.
  public static func run(_ line: String, _ arguments: [String] = [], input: Int32 = 0)
    -> Int32
  {
    var words: [UnsafeMutablePointer<CChar>?] = (["sh", "-c", line, "sh"] + arguments).map {
      (text: String) in strdup(text)
    }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    let streams: [Int32] = [input, STDOUT_FILENO, STDERR_FILENO]
    guard luath_child_start("/bin/sh", words, streams, false, &child) == 0 else { return 127 }
    return luath_exit_code(luath_child_status(child))
  }
}

/// Creates files without overwriting any.
enum NewFile {
  /// Writes a text to a new file that only its owner may read.
  ///
  /// - Returns: the system's error message; nil on success.
  static func write(_ text: String, to path: String) -> String? {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return SystemError(errno).words }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let problem = SystemError(errno).words
        close(file)
        unlink(path)
        return problem
      }
      rest = rest.dropFirst(count)
    }
    return close(file) == 0 ? nil : SystemError(errno).words
  }
}

/// The script that runs before the first entry of a session.
enum StartFile {
  /// Why the file must not run, as other users who can write it could run code as this user; nil when it may run.
  static func problem(of path: String) -> PromptProblem? {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      return PromptProblem("cannot read \(path.printable): \(SystemError(errno).words)")
    }
    guard facts.st_uid == getuid() || facts.st_uid == 0 else {
      return PromptProblem(
        "\(path.printable) is not run, as it belongs to another user", hint: "chown or remove it")
    }
    guard facts.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      return PromptProblem(
        "\(path.printable) is not run, as others can write it", hint: "chmod go-w it")
    }
    return nil
  }

  /// The path of the first start file that exists; nil when there is none.
  static func find(_ environment: [String: String]) -> String? {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    // The XDG Base Directory Specification requires that relative paths are ignored.
    let settings =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.config" }
    let places = [settings.map { "\($0)/luath/init.lua" }, home.map { "\($0)/.luathrc.lua" }]
    return places.compactMap(\.self).first { access($0, F_OK) == 0 }
  }
}
