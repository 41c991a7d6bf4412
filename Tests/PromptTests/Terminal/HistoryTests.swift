import Foundation
import Testing

@testable import Prompt

@Suite struct HistoryTests {
  /// A folder that is removed with the test.
  private final class Folder {
    let path = NSTemporaryDirectory() + "luath-history-\(UUID())"
    var file: String { path + "/deep/history" }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var content: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
    func mode(_ path: String) -> Int? {
      try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
  }

  @Test func `texts come back as they were, and the file is its user's alone`() {
    let folder = Folder()
    let texts = ["one", "do\n  \"\\n\"\nend", "tab\t esc\u{1B} ä漢", "back\\"]
    let history = History(file: folder.file)
    for text in texts + ["back\\", "  ", ""] { history.add(text) }
    #expect(history.takeWarning() == nil)
    #expect(History(file: folder.file).entries == texts)
    #expect(folder.mode(folder.file) == 0o600)
    #expect(folder.mode(folder.path) == 0o700)
    #expect(!folder.content.contains("\u{1B}"))
    #expect(folder.content.split(separator: "\n").count == 4)
  }

  @Test func `secrets are taken out of what the file gets, and stay in what was typed`() {
    let folder = Folder()
    let history = History(file: folder.file) { text in
      text.contains("drop") ? nil : text.replacingOccurrences(of: "hunter2", with: "…")
    }
    history.add("login('hunter2')")
    history.add("drop hunter2")
    history.add("login('hunter2')")
    #expect(history.entries == ["login('hunter2')", "drop hunter2", "login('hunter2')"])
    // The second time nothing else was kept in between.
    #expect(folder.content == "login('…')\n")
    #expect(History(file: folder.file).entries == ["login('…')"])
  }

  @Test func `a file that others can read is refused once, and texts are kept in memory`() throws {
    let folder = Folder()
    History(file: folder.file).add("one")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file)
    let history = History(file: folder.file)
    let warning = history.takeWarning()
    #expect(
      warning == """
        the history file \(folder.file) can be read or written by others; what is typed is not kept: \
        run chmod 600 on it
        """)
    #expect(history.takeWarning() == nil)
    history.add("two")
    #expect(history.entries == ["two"])
    #expect(folder.content == "one\n")
  }

  @Test func `a link, a pipe and a folder are refused, and so is another user's file`() throws {
    let folder = Folder()
    History(file: folder.file).add("one")
    let link = folder.path + "/link"
    symlink(folder.file, link)
    let ofLink = History(file: link).takeWarning() ?? ""
    #expect(ofLink.contains("is a symbolic link"))
    #expect(ofLink.hasSuffix(": name the file that it leads to in LUATH_HISTORY, or move it away"))
    let pipe = folder.path + "/pipe"
    mkfifo(pipe, 0o600)
    #expect(History(file: pipe).takeWarning()?.contains("is no ordinary file") == true)
    let ofFolder = History(file: folder.path).takeWarning() ?? ""
    #expect(ofFolder.contains("is a folder"))
    #expect(ofFolder.hasSuffix(": name a file in LUATH_HISTORY"))
    let below = History(file: folder.file + "/below").takeWarning() ?? ""
    #expect(below.contains("is below something that is no folder"))
    // Only root can give files away.
    if geteuid() == 0 {
      chown(folder.file, 12_345, 0)
      let warning = History(file: folder.file).takeWarning()
      #expect(
        warning?.hasSuffix(
          "belongs to another user; what is typed is not kept: move it away, or name another file "
            + "in LUATH_HISTORY") == true)
      #expect(folder.content == "one\n")
    }
  }

  @Test func `several prompts add to one file`() async {
    let folder = Folder()
    await withTaskGroup { group in
      for prompt in 0..<8 {
        group.addTask { [file = folder.file] in
          let history = History(file: file)
          for text in 0..<50 { history.add("prompt \(prompt)\ntext \(text)") }
        }
      }
    }
    let entries = History(file: folder.file).entries
    #expect(Set(entries).count == 400)
    for prompt in 0..<8 {
      let own = entries.filter { $0.hasPrefix("prompt \(prompt)\n") }
      #expect(own == (0..<50).map { "prompt \(prompt)\ntext \($0)" })
    }
  }

  @Test func `a line that was cut off does not take the next with it`() throws {
    let folder = Folder()
    History(file: folder.file).add("one")
    let file = try #require(FileHandle(forWritingAtPath: folder.file))
    try file.seekToEnd()
    try file.write(contentsOf: Data("tw\\".utf8))
    try file.close()
    History(file: folder.file).add("three")
    #expect(History(file: folder.file).entries == ["one", "tw\\", "three"])
  }

  @Test func `a file that is too long is cut to its newer half at a line`() throws {
    let folder = Folder()
    History(file: folder.file).add("first")
    let lines = (0..<1000).map { "line \($0)" }
    let path = folder.file
    try Data(("first\n" + lines.joined(separator: "\n") + "\n").utf8).write(
      to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    let kept = try HistoryFile(path: path).read(most: 10_000, longest: 2000)
    #expect(kept.count < 250 && kept.count > 50)
    #expect(kept == Array(lines.suffix(kept.count)))
    #expect(folder.mode(path) == 0o600)
    #expect(try HistoryFile(path: path).read(most: 10_000, longest: 2000) == kept)
    #expect(try HistoryFile(path: path).read(most: 10, longest: 2000) == lines.suffix(10))
  }

  @Test func `bytes that are no text are read all the same`() {
    #expect(HistoryFile.text(of: [0x61, 0xFF, 0x5C, 0x78, 0x5A]) == "a\u{FFFD}\\xZ")
  }
}
