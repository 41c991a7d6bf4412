/// The folder whose files a project file names.
struct ProjectFolder {
  private let path: String
  private let console: Console

  /// The folder of a file, whose own path starts from the console's folder.
  init(of file: String, _ console: Console) {
    let whole = console.whole(file)
    path = whole.lastIndex(of: "/").map { String(whole[..<$0]) } ?? ""
    self.console = console
  }

  /// The folder itself.
  init(_ path: String, _ console: Console) {
    self.path = path
    self.console = console
  }

  /// Where a file of the folder is.
  func whole(_ name: String) -> String { name.hasPrefix("/") ? name : "\(path)/\(name)" }

  /// Reads a file of the folder, or says why not.
  func read(_ name: String) -> Result<[UInt8], FileProblem> { console.read(whole(name)) }
}
