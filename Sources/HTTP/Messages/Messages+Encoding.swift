public import System

extension WebURL {
  /// The query parsed as form fields; empty when there is none.
  public var fields: FormFields { FormFields(parsing: query ?? "") }

  /// The fragment parsed as form fields, as implicit sign-in flows send it.
  public var fragmentFields: FormFields { FormFields(parsing: fragment ?? "") }

  /// Returns the URL with these fields as its query.
  public func with(fields: FormFields) -> WebURL { with(query: fields.encoded) }
}

extension HTTPRequest {
  /// The body parsed as form fields, whatever its Content-Type.
  public var form: FormFields { FormFields(parsing: String(decoding: body, as: UTF8.self)) }

  /// Parses the body as JSON.
  public func json() throws(JSONError) -> JSON { try JSON.parse(body) }

  /// Creates a POST request with a form.
  public static func post(
    _ url: WebURL, form: FormFields, headers: HTTPHeaders = [:]
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, body: Array(form.encoded.utf8))
    request.headers.set("Content-Type", "application/x-www-form-urlencoded")
    return request
  }

  /// Creates a POST request with JSON.
  public static func post(_ url: WebURL, json: JSON, headers: HTTPHeaders = [:]) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url, headers: headers, body: json.encodedBytes())
    request.headers.set("Content-Type", "application/json")
    return request
  }
}

extension HTTPResponse {
  /// Parses the body as JSON.
  public func json() throws(JSONError) -> JSON { try JSON.parse(body) }
}

extension ServerResponse {
  /// Creates a JSON response.
  public init(status: Int = 200, json: JSON, headers: HTTPHeaders = [:]) {
    self.init(status: status, headers: headers, body: json.encodedBytes())
    self.headers.set("Content-Type", "application/json; charset=utf-8")
  }
}
