import Foundation
import Synchronization

/// The built `luath`, started as a process of its own.
///
/// What blocks does so on a thread of its own, because tests share few threads.
final class Luath: Sendable {
  /// How a process ended.
  struct Ending: Sendable {
    var output = ""
    var errors = ""
    /// The exit code, or 128 and the number of the signal that ended it, as a shell has it.
    var code: Int32 = -1
    var seconds = 0.0
    /// Whether the test gave it up.
    var wasKilled = false
  }

  /// The folder of the built products: that of the running test product.
  static let products: URL = {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { preconditionFailure("the system tells no path of the running program") }
    let beside = URL(fileURLWithPath: path).deletingLastPathComponent()
    if FileManager.default.isExecutableFile(atPath: beside.appending(path: "luath").path) {
      return beside
    }
    // A test runner that loads the bundle names it on its command line.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? path
    return URL(fileURLWithPath: bundle).deletingLastPathComponent()
  }()

  private let process = Process()
  private let started = ContinuousClock.now
  private let output = Pipe()
  private let errors = Pipe()
  private let errorText = Mutex("")
  private let errorsEnded = DispatchSemaphore(value: 0)

  /// Starts a program in a folder; without a path, `luath`.
  ///
  /// Without a pipe it has no input.
  init(
    _ arguments: [String], in folder: URL, program: String? = nil,
    environment changes: [String: String] = [:], input: Pipe? = nil
  ) throws {
    process.executableURL =
      program.map { URL(fileURLWithPath: $0) } ?? Self.products.appending(path: "luath")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      name != "CI" && !name.hasPrefix("LUATH_") && !name.hasPrefix("FIREBASE_")
        && !name.hasPrefix("LUA_")
        && !name.lowercased().hasSuffix("_proxy")
    }
    environment["PATH"] = "\(Self.products.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment["LC_ALL"] = "C"
    process.environment = environment.merging(changes) { $1 }
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    Thread.detachNewThread { [self] in
      let data = errors.fileHandleForReading.readDataToEndOfFile()
      errorText.withLock { $0 = String(decoding: data, as: UTF8.self) }
      errorsEnded.signal()
    }
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Reads what it prints until a line that holds `words`; nil when it ends before.
  func line(with words: String) async -> String? {
    await onThread { [self] in
      var line: [UInt8] = []
      while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
        if byte != UInt8(ascii: "\n") {
          line.append(byte)
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.contains(words) { return text }
        line = []
      }
      return nil
    }
  }

  /// Stops reading, as the end of `head` does.
  func closeOutput() { try? output.fileHandleForReading.close() }

  /// Waits for its end; a process that needs longer than `limit` is killed.
  func ending(within limit: Double = 100) async -> Ending {
    await onThread { [self] in
      let killed = Mutex(false)
      let killer = DispatchWorkItem { [self] in
        killed.withLock { $0 = true }
        // With all that it started: a process is started in a group of its own.
        kill(-process.processIdentifier, SIGKILL)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: killer)
      var ending = Ending()
      if let data = try? output.fileHandleForReading.readToEnd() {
        ending.output = String(decoding: data, as: UTF8.self)
      }
      process.waitUntilExit()
      killer.cancel()
      let time = (ContinuousClock.now - started).components
      ending.seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
      errorsEnded.wait()
      ending.errors = errorText.withLock { $0 }
      ending.code =
        process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
      ending.wasKilled = killed.withLock { $0 }
      return ending
    }
  }

  private func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
