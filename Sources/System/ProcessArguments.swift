import CShims

/// The arguments of the process, also where there is no /proc, from which `CommandLine` reads them.
public enum ProcessArguments {
  /// The name of the program and its arguments; invalid UTF-8 is replaced by U+FFFD.
  public static let all: [String] = indices.compactMap {
    luath_argument($0).map(String.init(cString:))
  }

  /// Whether an argument had invalid UTF-8, which was replaced.
  public static func isRepaired(_ word: String) -> Bool {
    guard word.contains("\u{FFFD}") else { return false }
    return indices.contains { index in
      guard let bytes = luath_argument(index) else { return false }
      return String(validatingCString: bytes) == nil && String(cString: bytes) == word
    }
  }

  private static var indices: Range<Int32> { 0..<luath_argument_count() }
}
