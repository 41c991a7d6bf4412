import System
import Glibc

/// The identity of a file, existing or not, to prevent writing a file twice or overwriting an input.
public struct FileIdentity: Hashable {
  private let name: String

  /// - Parameter path: An absolute path.
  /// - Returns: nil for what is not a regular file, such as `/dev/null`, and cannot be overwritten.
  init?(_ path: String) {
    var facts = stat()
    if stat(path, &facts) == 0 {
      guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
      name = "\(facts.st_dev):\(facts.st_ino)"
    } else {
      name = Self.resolved(path, links: 8)
    }
  }

  /// Throws if two reports have the same file, or a report would overwrite an input.
  ///
  /// - Parameters:
  ///   - files: The paths of the reports.
  ///   - inputs: The paths of the files that the command reads.
  public static func requireDistinct(
    _ files: [String], inputs: [String], _ console: Console
  ) throws(CommandFailure) {
    var taken: [Self: String] = [:]
    for input in inputs {
      if let file = FileIdentity(console.whole(input)) { taken[file] = input }
    }
    for name in files {
      guard let file = FileIdentity(console.whole(name)) else { continue }
      if let other = taken.updateValue(name, forKey: file) {
        throw CommandFailure(
          .usage, "the report \(name.printable) would overwrite \(other.printable)",
          hint: "name another file for the report")
      }
    }
  }

  /// The path with links, `.` and `..` resolved, also if its last parts do not exist yet.
  private static func resolved(_ path: String, links: Int) -> String {
    if let whole = FileAccess.realPath(of: path) { return whole }
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

  /// The target of a symbolic link; nil if the path is not a link.
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

/// Lists folders.
public enum FolderListing {
  /// The names in a folder, sorted by bytes; empty if it cannot be read.
  public static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
