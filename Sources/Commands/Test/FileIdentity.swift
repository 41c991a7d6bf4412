import Glibc

/// Which file a path leads to, whether or not it is there yet; so that no file is written twice, or
/// written where it is read.
struct FileIdentity: Hashable {
  private let name: String

  /// - Parameter path: A whole path.
  /// - Returns: nil for what is no plain file, such as `/dev/null`, and cannot be overwritten.
  init?(_ path: String) {
    var facts = stat()
    if stat(path, &facts) == 0 {
      guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
      name = "\(facts.st_dev):\(facts.st_ino)"
    } else {
      name = Self.resolved(path, links: 8)
    }
  }

  /// The path without links, `.` and `..`; what is not there yet is taken at its word.
  private static func resolved(_ path: String, links: Int) -> String {
    if let whole = realpath(path, nil) {
      defer { free(whole) }
      return String(cString: whole)
    }
    let parts = path.split(separator: "/")
    guard let last = parts.last else { return "/" }
    let parent = "/" + parts.dropLast().joined(separator: "/")
    if links > 0, let target = target(of: path) {
      return resolved(target.hasPrefix("/") ? target : "\(parent)/\(target)", links: links - 1)
    }
    let folder = resolved(parent, links: links)
    switch last {
    case ".": return folder
    case "..": return "/" + folder.split(separator: "/").dropLast().joined(separator: "/")
    default: return folder == "/" ? "/\(last)" : "\(folder)/\(last)"
    }
  }

  /// Where a link leads; nil when the path is none.
  private static func target(of path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map {
        readlink(path, $0.assumingMemoryBound(to: CChar.self), buffer.count)
      } ?? -1
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
