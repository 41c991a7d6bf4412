public import Encoding

extension WebURL {
  /// The query read as form fields; empty when there is none.
  public var fields: FormFields { FormFields(parsing: query ?? "") }

  /// The fragment read as form fields, as implicit sign-in flows send it.
  public var fragmentFields: FormFields { FormFields(parsing: fragment ?? "") }

  /// The same URL with these fields as its whole query.
  public func with(fields: FormFields) -> WebURL { with(query: fields.encoded) }
}

extension HTTPRequest {
  /// The body read as form fields, whatever the content type says.
  public var form: FormFields { FormFields(parsing: String(decoding: body, as: UTF8.self)) }

  /// The body read as JSON.
  public func json() throws(JSONError) -> JSON { try JSON.parse(body) }

  /// A POST of a form.
  public static func post(
    _ url: WebURL, form: FormFields, headers: HTTPHeaders = [:]
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, body: Array(form.encoded.utf8))
    request.headers.set("Content-Type", "application/x-www-form-urlencoded")
    return request
  }

  /// A POST of JSON.
  public static func post(_ url: WebURL, json: JSON, headers: HTTPHeaders = [:]) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, body: json.encodedBytes())
    request.headers.set("Content-Type", "application/json")
    return request
  }
}

extension HTTPResponse {
  /// The body read as JSON.
  public func json() throws(JSONError) -> JSON { try JSON.parse(body) }
}

extension ServerResponse {
  /// Creates an answer of JSON.
  public init(status: Int = 200, json: JSON, headers: HTTPHeaders = [:]) {
    self.init(status: status, headers: headers, body: json.encodedBytes())
    self.headers.set("Content-Type", "application/json; charset=utf-8")
  }
}
