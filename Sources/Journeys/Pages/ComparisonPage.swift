public import System

/// The page of `luath compare`.
public enum ComparisonPage {
  /// Returns the page for a report, as one self-contained HTML file.
  public static func bytes(of report: JSON) -> [UInt8] {
    let (head, tail) = HTMLPage.comparison.parts(title: "luath compare")
    return Array(head.utf8) + Array(HTMLPage.data(report).utf8) + Array(tail.utf8)
  }
}
