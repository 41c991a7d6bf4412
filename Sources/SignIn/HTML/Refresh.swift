/// A `<meta http-equiv=refresh>` or Refresh header (HTML, "shared declarative refresh steps").
struct Refresh {
  /// The delay in seconds.
  let seconds: Int
  /// The target; nil for the same page.
  let reference: String?

  /// Pages with a longer delay are treated as pages to read.
  static let longestDelay = 30

  init?(_ value: String) {
    let text = PageForm.trimmed(value)
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty || text.hasPrefix(".") else { return nil }
    seconds = digits.isEmpty ? 0 : Int(digits) ?? Int.max
    let rest = text.drop { ($0.isASCII && $0.isNumber) || $0 == "." }
    var target = PageForm.trimmed(String(rest.drop { $0 == ";" || $0 == "," || $0.isWhitespace }))
    if target.lowercased().hasPrefix("url") {
      let behind = PageForm.trimmed(String(target.dropFirst(3)))
      if behind.hasPrefix("=") { target = PageForm.trimmed(String(behind.dropFirst())) }
    }
    if let quote = target.first, quote == "\"" || quote == "'" {
      target = String(target.dropFirst().prefix { $0 != quote })
    }
    reference = target.isEmpty ? nil : target
  }
}
