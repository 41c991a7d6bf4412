import Foundation

/// Programs that tests start: the built `luath` and others, each waited for on a thread of its own.
enum Program {
  struct Ending: Sendable {
    var output = ""
    var errors = ""
    var code: Int32 = -1
  }

  /// The built `luath`, beside the running tests.
  static let luath: URL = {
    let path =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/"
    let beside = URL(fileURLWithPath: path).deletingLastPathComponent()
    if FileManager.default.isExecutableFile(atPath: beside.appending(path: "luath").path) {
      return beside.appending(path: "luath")
    }
    // A test runner that loads the bundle names it on its command line.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? path
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "luath")
  }()

  /// The folder of the repository.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Where a program is, or nil.
  static func path(of name: String) -> URL? {
    ["/usr/bin", "/usr/local/bin", "/bin"].map { URL(fileURLWithPath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  static func run(
    _ arguments: [String], in folder: URL, program: URL = luath,
    environment changes: [String: String] = [:]
  ) async throws -> Ending {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try runHere(program, arguments, in: folder, changes) })
      }
    }
  }

  private static func runHere(
    _ program: URL, _ arguments: [String], in folder: URL, _ changes: [String: String]
  ) throws -> Ending {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    // Files, since two pipes would have to be read at once.
    let files = ["output", "errors"].map { scratch.appending(path: $0) }
    for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      name != "CI" && !name.hasPrefix("LUATH_") && !name.hasPrefix("FIREBASE_")
        && !name.hasPrefix("LUA_")
        && !name.lowercased().hasSuffix("_proxy")
    }
    let products = luath.deletingLastPathComponent().path
    environment["PATH"] = "\(products):\(environment["PATH"] ?? "/usr/bin:/bin")"
    process.environment = environment.merging(changes) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Ending(output: texts[0], errors: texts[1], code: process.terminationStatus)
  }

  /// A folder that lasts as long as the body.
  static func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "luath-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }
}
