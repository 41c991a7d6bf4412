import Foundation
import Synchronization
import Testing

/// What a person at a terminal is asked before a real project is changed.
@Suite(.timeLimit(.minutes(1))) struct RealProjectQuestionTests {
  private static let files = [
    "luath.lua": """
    local nowhere = { ["identitytoolkit.googleapis.com"] = "127.0.0.1:9" }
    return { targets = { staging = { projectId = "shop-staging", apiKey = "k", resolve = nowhere } } }
    """,
    "twice.lua": """
    local auth, luath = require("luath.auth").auth(), require "luath"
    for _ = 1, 2 do print(select(2, luath.try(auth.signInAnonymously, auth)).code) end
    """,
  ]

  /// Runs the script at a terminal where these lines are typed; gives what it prints and what is shown.
  private func run(typing lines: String) async throws -> (output: String, shown: String) {
    let folder = try ScriptFolder(Self.files)
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    let output = Pipe()
    let process = Process()
    process.executableURL = Luath.products.appending(path: "luath")
    process.arguments = ["run", "--target", "staging", "twice.lua"]
    process.currentDirectoryURL = folder.url
    process.standardInput = terminal
    process.standardError = terminal
    process.standardOutput = output
    try process.run()
    try? terminal.close()
    // The line discipline keeps what is typed ahead.
    _ = lines.utf8CString.withUnsafeBytes { write(master, $0.baseAddress, $0.count - 1) }
    let screen = master
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(screen, &buffer, buffer.count), count > 0 {
          shown += buffer[..<count]
        }
        close(screen)
        withExtendedLifetime(folder) {}
        continuation.resume(
          returning: (
            String(decoding: printed, as: UTF8.self), String(decoding: shown, as: UTF8.self)
          ))
      }
    }
  }

  @Test func `yes lets the whole run change the project, and only yes does`() async throws {
    let (output, shown) = try await run(typing: "yes\n")
    #expect(output == "networkError\nnetworkError\n")
    let question =
      "luath: this run is going to change the real project shop-staging (accounts:signUp)"
    #expect(shown.components(separatedBy: question).count == 2, "\(shown)")
    for answer in ["\n", "y\n", "no\n"] {
      let (output, shown) = try await run(typing: answer)
      #expect(output == "changeNotAllowed\nchangeNotAllowed\n")
      #expect(shown.components(separatedBy: question).count == 2, "\(shown)")
    }
  }
}
