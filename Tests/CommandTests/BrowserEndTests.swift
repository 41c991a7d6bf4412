import Foundation
import Testing

/// Whatever ends a script, its browser ends too.
///
/// Not under the thread sanitizer, which holds back the signals that stop scripts.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .disabled(if: ProcessInfo.processInfo.environment["LUATH_SANITIZER"] == "thread"))
struct BrowserEndTests {
  private static let opening = """
    local page = require "luath.webdriver".open()
    print "ready" io.flush()

    """

  private static let waiting = "require 'luath.task'.sleep(1000)"

  /// What a script does once its browser is open, and by what it ends.
  static let ends: [(name: String, script: String, options: [String], signals: [Int32])] = [
    ("its last line", "", [], []),
    ("an error", "error 'words'", [], []),
    ("os.exit", "os.exit(3)", [], []),
    ("os.exit without closing", "os.exit(3, false)", [], []),
    ("its time limit", waiting, ["--timeout", "3"], []),
    ("Ctrl-C in a wait", waiting, [], [SIGINT]),
    ("Ctrl-C in a loop", "while true do pcall(error) end", [], [SIGINT]),
    ("Ctrl-C in a script of the page", "page:eval 'while (true) {}'", [], [SIGINT]),
    ("Ctrl-C twice", waiting, [], [SIGINT, SIGINT]),
    ("SIGTERM", waiting, [], [SIGTERM]),
    ("SIGHUP", waiting, [], [SIGHUP]),
    ("SIGQUIT", waiting, [], [SIGQUIT]),
    ("kill -9", waiting, [], [SIGKILL]),
  ]

  @Test(arguments: ends.indices)
  func `nothing is left of a browser, whatever ends its script`(index: Int) async throws {
    let end = Self.ends[index]
    // Short, as Chromium has sockets in it.
    var template = Array("/tmp/end-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let temporary = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    func begin(_ options: [String]) throws -> (luath: Luath, folder: ScriptFolder) {
      try start(Self.opening + end.script, options, environment: ["TMPDIR": temporary])
    }
    var (luath, folder) = try begin(end.options)
    var isReady = await luath.line(with: "ready") != nil
    if !isReady, !end.options.isEmpty {
      // A busy machine may need longer than the limit to open the browser.
      _ = await luath.ending()
      (luath, folder) = try begin(["--timeout", "40"])
      isReady = await luath.line(with: "ready") != nil
    }
    #expect(isReady, "\(end.name)")
    // The other scripts may have ended by now.
    if !end.signals.isEmpty {
      #expect(try !FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }
    for signal in end.signals { luath.send(signal) }
    let ending = await luath.ending()
    #expect(!ending.wasKilled, "\(end.name) \(ending.errors)")
    _ = folder
    // The warden works on after luath has ended, and tells nobody: one can only look again.
    let deadline = ContinuousClock.now + .seconds(60)
    while !Self.isClean(temporary), ContinuousClock.now < deadline { usleep(5000) }
    #expect(Self.isClean(temporary), "\(end.name) left something")
  }

  /// Whether the folder is empty and no process was started with it.
  private static func isClean(_ folder: String) -> Bool {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.isEmpty && !processes(with: Data(folder.utf8))
  }

  private static func processes(with text: Data) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.contains { name in
      guard Int(name) != nil else { return false }
      return ["cmdline", "environ"].contains { file in
        let contents = FileManager.default.contents(atPath: "/proc/\(name)/\(file)")
        return contents?.range(of: text) != nil
      }
    }
  }
}
