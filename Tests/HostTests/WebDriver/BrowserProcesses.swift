import Glibc

/// The processes of a browser that was opened with a window size nobody else uses.
struct BrowserProcesses {
  let width: Int

  /// How many there are now.
  var count: Int {
    guard let folder = opendir("/proc") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.allSatisfy(\.isNumber), let words = Self.commandLine(of: name) else { continue }
      if words.contains("--window-size=\(width),") { count += 1 }
    }
    return count
  }

  /// Waits until there are none; the time limit of the test bounds it.
  func end() async throws {
    while count > 0 { try await Task.sleep(for: .milliseconds(10)) }
  }

  private static func commandLine(of process: String) -> String? {
    guard let file = fopen("/proc/\(process)/cmdline", "rb") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
