import CShims
import Glibc

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
      return .failure(PromptProblem("cannot write to \(start): \(NewFile.words(errno))"))
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
      return .failure(PromptProblem("cannot write \(path): \(NewFile.words(errno))"))
    }
    let editor = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard run(editor ?? "vi", path) else {
      return .failure(
        PromptProblem(
          "the editor \(editor ?? "vi") did not end well", hint: "set VISUAL or EDITOR"))
    }
    return read(path)
  }

  private func run(_ editor: String, _ path: String) -> Bool {
    let arguments = ["sh", "-c", "exec \(editor) \"$1\"", "sh", path]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { (text: String) in strdup(text) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    let terminal: [Int32] = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    guard luath_child_start("/bin/sh", words, terminal, false, &child) == 0 else { return false }
    return luath_child_status(child) == 0
  }

  private func read(_ path: String) -> Result<String, PromptProblem> {
    guard let file = fopen(path, "rb") else {
      return .failure(PromptProblem("the editor took the file away"))
    }
    defer { fclose(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      text += buffer[..<count]
    }
    guard let text = String(validating: text, as: UTF8.self) else {
      return .failure(PromptProblem("what the editor left is no text in UTF-8"))
    }
    return .success(text)
  }
}
