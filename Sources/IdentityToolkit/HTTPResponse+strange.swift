import System
import HTTP

extension HTTPResponse {
  /// Describes what is wrong with a response that should be a JSON object, without quoting it.
  func strangeness(_ problem: JSONError?) -> String {
    let start = body.first { $0 > 0x20 }
    let isPage =
      start == UInt8(ascii: "<")
      || headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    let what: String
    if start == nil {
      what = "is empty"
    } else if isPage {
      what = "is a web page instead of JSON"
    } else if let problem, start == UInt8(ascii: "{") {
      what =
        problem.offset >= body.count
        ? "is JSON that ends too early" : "is damaged JSON: \(problem)"
    } else {
      what = problem == nil ? "is not a JSON object" : "is not JSON"
    }
    return withWait("the answer, with status \(status), \(what)")
  }

  /// The message for an error response whose JSON has no error.
  var lackOfError: String { withWait("the answer has status \(status) and no error") }

  private func withWait(_ words: String) -> String {
    askedWait.map { "\(words); it asks to wait \($0)" } ?? words
  }

  /// The Retry-After time as text.
  var askedWait: String? {
    headers.retryAfter().map { "\($0.components.seconds) s" }
  }
}
