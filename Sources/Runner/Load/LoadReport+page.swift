internal import Encoding

extension LoadReport {
  /// The report as one self-contained HTML file with plots.
  public var page: String {
    let (head, tail) = HTMLPage.load.parts(title: "luath load")
    return head + HTMLPage.data(json) + tail
  }
}
