extension LoadReport {
  /// The report as one self-contained HTML file.
  var page: [UInt8] {
    let (head, tail) = HTMLPage.load.parts(title: "luath load")
    return Array(head.utf8) + Array(HTMLPage.data(json).utf8) + Array(tail.utf8)
  }
}
