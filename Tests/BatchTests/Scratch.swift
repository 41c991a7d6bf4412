import Glibc

/// A folder for the files of one test, which goes when the value goes.
final class Scratch: Sendable {
  let folder: String

  init() throws {
    guard let template = strdup("/tmp/luath-batch-XXXXXX") else { throw Failure(errno: errno) }
    defer { free(template) }
    guard mkdtemp(template) != nil else { throw Failure(errno: errno) }
    folder = String(cString: template)
  }

  deinit {
    for name in names { unlink(path(name)) }
    rmdir(folder)
  }

  struct Failure: Error { let errno: Int32 }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// The names of the files that are there, in order.
  var names: [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @discardableResult
  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let bytes = Array(bytes)
    let path = path(name)
    guard let file = fopen(path, "w") else { throw Failure(errno: errno) }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failure(errno: errno) }
    return path
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

  func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw Failure(errno: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }
}
