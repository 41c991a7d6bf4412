import Foundation

/// Another program whose answers ours are compared with.
struct OracleCommand {
  static let python = OracleCommand("/usr/bin/python3")
  static let argon2 = OracleCommand("/usr/bin/argon2")
  static let htpasswd = OracleCommand("/usr/bin/htpasswd")
  static let oathtool = OracleCommand("/usr/bin/oathtool")

  private let path: String

  private init(_ path: String) { self.path = path }

  var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Runs the program with this for its standard input and gives the lines it printed; nil when it
  /// failed.
  func run(_ arguments: [String], input: String = "") throws -> [String]? {
    // A file, as a pipe would raise a signal when the program ends without reading it.
    let file = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString)")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
