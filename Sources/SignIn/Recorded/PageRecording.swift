internal import System
internal import HTTP

/// The recorded page exchanges of one sign-in, without secrets.
struct PageRecording: Sendable {
  /// One request and its response.
  struct Exchange: Sendable {
    var method: String
    /// The URL with parameter names but no values.
    var address: String
    /// The names of the sent fields, in order.
    var fields: [String]
    var status: Int
    /// The response headers that the form driver reads.
    var headers: [(name: String, value: String)]
    /// The masked page; empty when the response has none.
    var page: String
  }

  enum Answer: Sendable, Equatable {
    case success
    /// The provider redirected back with an error.
    case refusal(error: String, description: String?, isPosted: Bool, isInFragment: Bool)
    /// The sign-in failed in the driver, with this error code.
    case failure(String)
  }

  static let version: Int64 = 1
  static let kind = "recorded sign-in"

  var providerID: String
  var start: WebURL
  var redirectURI: WebURL
  var exchanges: [Exchange]
  var answer: Answer
}

extension PageRecording.Exchange {
  /// Returns the parts of a request that must equal the recorded ones.
  static func outline(of request: HTTPRequest, _ mask: PageMask) -> (String, [String]) {
    let address = mask.address(request.url.with(fragment: nil).description)
    return (address, fieldNames(of: request).map { mask.text($0) })
  }

  private static func fieldNames(of request: HTTPRequest) -> [String] {
    guard !request.body.isEmpty else { return [] }
    let text = String(decoding: request.body, as: UTF8.self)
    let type = request.headers["Content-Type"] ?? ""
    if type.hasPrefix("multipart/") {
      return text.split(separator: "; name=\"").dropFirst().map { part in
        String(part.prefix { $0 != "\"" })
      }
    }
    if type.hasPrefix("text/plain") {
      return text.split(whereSeparator: \.isNewline).map { line in
        String(line.prefix { $0 != "=" })
      }
    }
    return FormFields(parsing: text).pairs.map(\.name)
  }
}
