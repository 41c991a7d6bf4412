import Glibc
import Scripting

/// Files that are made where there are none; what is there already is never touched.
struct NewFiles {
  /// Why they were not made.
  enum Problem: Error {
    /// These paths are taken.
    case inTheWay([String])
    /// A path, and the system's words.
    case refused(path: String, words: String)
  }

  /// The folder, by its whole path.
  let folder: String
  let files: [(path: String, text: String)]

  /// Makes the folder and all files, or nothing.
  func make() throws(Problem) {
    let taken = files.map(\.path).compactMap(obstacle)
    guard taken.isEmpty else { throw .inTheWay(Set(taken).sorted()) }
    var made: [() -> Void] = []
    do throws(Problem) {
      try makeFolder(folder, &made)
      for (path, text) in files {
        if let slash = path.lastIndex(of: "/") {
          try makeFolder("\(folder)/\(path[..<slash])", &made)
        }
        try write(Array(text.utf8), to: "\(folder)/\(path)", &made)
      }
    } catch {
      for undo in made.reversed() { undo() }
      throw error
    }
  }

  /// What stands where the file would be: itself, or something on the way that is no folder.
  private func obstacle(_ path: String) -> String? {
    var facts = stat()
    var place = ""
    let parts = path.split(separator: "/")
    for (index, part) in parts.enumerated() {
      place += (index == 0 ? "" : "/") + part
      guard lstat("\(folder)/\(place)", &facts) == 0 else { return nil }
      if index == parts.count - 1 { return place }
      // A link to a folder leads somewhere else, where nothing was asked for.
      if facts.st_mode & S_IFMT != S_IFDIR { return place }
    }
    return nil
  }

  /// Makes a folder and those above it that are missing.
  private func makeFolder(_ path: String, _ made: inout [() -> Void]) throws(Problem) {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolder(String(path[..<slash]), &made)
    }
    guard mkdir(path, 0o777) == 0 else {
      throw .refused(path: path, words: FileProblem(errno).words)
    }
    made.append { rmdir(path) }
  }

  private func write(
    _ bytes: [UInt8], to path: String, _ made: inout [() -> Void]
  ) throws(Problem) {
    // O_EXCL fails too when somebody else was faster, or for a link that leads nowhere (open(2)).
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .refused(path: path, words: FileProblem(errno).words) }
    made.append { unlink(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let words = FileProblem(errno).words
        close(file)
        throw .refused(path: path, words: words)
      }
      rest = rest.dropFirst(count)
    }
    guard close(file) == 0 else { throw .refused(path: path, words: FileProblem(errno).words) }
  }
}
