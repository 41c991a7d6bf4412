internal import Encoding
internal import HTTP

/// The exchange of pages of one sign-in, as it is kept in a file: no secret is in it.
struct Recording: Sendable {
  /// One request and what came back.
  struct Exchange: Sendable {
    var method: String
    /// The address with names of parameters and without their values.
    var address: String
    /// The names of the fields sent, in order.
    var fields: [String]
    var status: Int
    /// What the form driver reads of the headers.
    var headers: [(name: String, value: String)]
    /// The page, masked; empty when there was none.
    var page: String
  }

  /// How the sign-in ended.
  enum Answer: Sendable, Equatable {
    case success
    /// The provider sent the browser back with an error.
    case refusal(error: String, description: String?, isPosted: Bool, isInFragment: Bool)
    /// It never came back; the driver's word for why.
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

extension Recording.Exchange {
  /// What a request must have in common with a recorded one.
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
