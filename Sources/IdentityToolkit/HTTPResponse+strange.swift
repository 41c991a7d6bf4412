import Encoding
import HTTP

extension HTTPResponse {
  /// What is strange about an answer that should be a JSON object; quotes nothing of it.
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

  /// What to say of a failure whose JSON describes none.
  var lackOfError: String { withWait("the answer has status \(status) and no error") }

  private func withWait(_ words: String) -> String {
    askedWait.map { "\(words); it asks to wait \($0)" } ?? words
  }

  /// What Retry-After asks for, for a person.
  var askedWait: String? {
    headers.retryAfter().map { "\($0.components.seconds) s" }
  }
}
