/// The folder for relative paths in a project file.
struct ProjectFolder: Sendable {
  private let path: String
  private let console: Console

  /// Creates the folder that contains a file.
  init(of file: String, _ console: Console) {
    let whole = console.whole(file)
    path = whole.lastIndex(of: "/").map { String(whole[..<$0]) } ?? ""
    self.console = console
  }

  init(_ path: String, _ console: Console) {
    self.path = path
    self.console = console
  }

  /// The path of a file in the folder; an absolute path stays unchanged.
  func whole(_ name: String) -> String { name.hasPrefix("/") ? name : "\(path)/\(name)" }

  func read(_ name: String) -> Result<[UInt8], FileProblem> { console.read(whole(name)) }
}
