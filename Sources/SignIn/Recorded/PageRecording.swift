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

extension PageRecording {
  /// Creates a recording from the exchanges of a transport, with secrets removed.
  init(
    _ request: (providerID: String, url: WebURL, redirectURI: WebURL),
    _ exchanges: [RecordingTransport.Exchange], secrets: [Secret], answer: Answer
  ) {
    let mask = PageMask(secrets + Self.secrets(of: exchanges))
    providerID = request.providerID
    start = WebURL(mask.address(request.url.description)) ?? request.url.with(query: nil)
    redirectURI = request.redirectURI
    self.exchanges = exchanges.map { Exchange($0.request, $0.response, mask) }
    self.answer = answer
    if case .refusal(let error, let description, let isPosted, let isInFragment) = answer {
      self.answer = .refusal(
        error: mask.text(error), description: description.map { mask.text($0) },
        isPosted: isPosted, isInFragment: isInFragment)
    }
  }

  /// Returns the secrets in the exchanges: states and codes in URLs, and cookies.
  private static func secrets(of exchanges: [RecordingTransport.Exchange]) -> [Secret] {
    var found: [Secret] = []
    for exchange in exchanges {
      found += PageMask.secrets(in: exchange.request.url)
      let location = exchange.response.headers["Location"] ?? ""
      if let next = exchange.request.url.resolving(location) { found += PageMask.secrets(in: next) }
      for cookie in exchange.response.headers.all("Set-Cookie") {
        let pair = cookie.prefix { $0 != ";" }
        guard let equals = pair.firstIndex(of: "=") else { continue }
        let value = PageForm.trimmed(String(pair[pair.index(after: equals)...]))
        if value.utf8.count >= 8 { found.append(Secret(value)) }
      }
    }
    return found
  }
}

extension PageRecording.Exchange {
  fileprivate init(_ request: HTTPRequest, _ response: HTTPResponse, _ mask: PageMask) {
    method = request.method
    (address, fields) = Self.outline(of: request, mask)
    status = response.status
    let type = response.headers["Content-Type"]
    let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
    let document =
      SignInPage.isPage(response)
      ? HTMLDocument(parsing: response.body, charset: charset) : nil
    page = document.map { MaskedPage.html(of: $0, mask: mask, for: .replaying) } ?? ""
    headers = Self.kept(response.headers, isPage: document != nil, mask)
  }

  private static func kept(
    _ headers: HTTPHeaders, isPage: Bool, _ mask: PageMask
  ) -> [(name: String, value: String)] {
    var kept: [(name: String, value: String)] = []
    if let type = headers["Content-Type"] {
      kept.append(("Content-Type", isPage ? "text/html; charset=utf-8" : mask.text(type)))
    }
    if let location = headers["Location"] { kept.append(("Location", mask.landing(location))) }
    for name in ["Content-Disposition", "WWW-Authenticate"] {
      if let value = headers[name] { kept.append((name, mask.text(value))) }
    }
    if let refresh = headers["Refresh"] { kept.append(("Refresh", mask.refresh(refresh))) }
    for cookie in headers.all("Set-Cookie") {
      guard let equals = cookie.firstIndex(of: "=") else { continue }
      let attributes = cookie[equals...].drop { $0 != ";" }
      kept.append(
        (
          "Set-Cookie",
          mask.text(String(cookie[..<equals])) + "=masked" + mask.text(String(attributes))
        ))
    }
    return kept
  }
}

extension PageMask {
  /// Masks a URL, except for the error codes in it, which are not secret.
  fileprivate func landing(_ location: String) -> String {
    var masked = address(location)
    let shown: Set<String> = ["error", "error_subcode"]
    for part in [location.drop { $0 != "?" }, location.drop { $0 != "#" }] {
      for pair in FormFields(parsing: String(part.dropFirst())).pairs
      where shown.contains(pair.name) {
        let plain = FormFields([(pair.name, text(pair.value))]).encoded
        masked = masked.replacing("\(pair.name)=\(Self.inAddress)", with: plain)
      }
    }
    return masked
  }
}

extension PageRecording {
  /// Why a file cannot be replayed.
  enum Fault: Error, Equatable {
    case notJSON(String)
    case notARecording
    case otherVersion(Int64?)
    case damaged(String)
  }

  var encoded: [UInt8] {
    let exchanges = exchanges.map { exchange -> JSON in
      [
        "method": .string(exchange.method), "address": .string(exchange.address),
        "fields": .array(exchange.fields.map { .string($0) }),
        "status": .integer(Int64(exchange.status)),
        "headers": .array(
          exchange.headers.map { .array([.string($0.name), .string($0.value)]) }),
        "page": .string(exchange.page),
      ]
    }
    let whole: JSON = [
      "luath": .string(Self.kind), "version": .integer(Self.version),
      "provider": .string(providerID), "start": .string(start.description),
      "redirectURI": .string(redirectURI.description), "exchanges": .array(exchanges),
      "answer": .object(answer.json),
    ]
    return whole.encodedBytes(pretty: true) + [0x0A]
  }

  init(parsing bytes: [UInt8]) throws(Fault) {
    let json: JSON
    do throws(JSONError) { json = try JSON.parse(bytes) } catch { throw .notJSON("\(error)") }
    guard json["luath"]?.string == Self.kind else { throw .notARecording }
    guard json["version"] == .integer(Self.version) else {
      throw .otherVersion(json["version"]?.integer)
    }
    providerID = try Self.text("provider", json)
    guard let start = WebURL(try Self.text("start", json)),
      let redirectURI = WebURL(try Self.text("redirectURI", json))
    else { throw .damaged("an address in it is none") }
    self.start = start
    self.redirectURI = redirectURI
    guard let list = json["exchanges"]?.array, let ending = json["answer"] else {
      throw .damaged("it has no exchanges or no response")
    }
    var exchanges: [Exchange] = []
    for (index, entry) in list.enumerated() {
      guard let exchange = Exchange(entry) else {
        throw .damaged("exchange \(index + 1) is incomplete")
      }
      exchanges.append(exchange)
    }
    self.exchanges = exchanges
    guard let answer = Answer(ending) else { throw .damaged("its response is incomplete") }
    self.answer = answer
  }

  private static func text(_ key: String, _ json: JSON) throws(Fault) -> String {
    guard let text = json[key]?.string, !text.isEmpty else {
      throw .damaged("it has no '\(key)'")
    }
    return text
  }
}

extension PageRecording.Exchange {
  fileprivate init?(_ json: JSON) {
    guard let method = json["method"]?.string, let address = json["address"]?.string,
      let fields = json["fields"]?.array, let status = json["status"]?.integer,
      (100...999).contains(status), let headers = json["headers"]?.array,
      let page = json["page"]?.string
    else { return nil }
    let names = fields.compactMap(\.string)
    let lines = headers.compactMap { line -> (name: String, value: String)? in
      guard let name = line[0]?.string, let value = line[1]?.string else { return nil }
      return (name, value)
    }
    guard names.count == fields.count, lines.count == headers.count else { return nil }
    self.init(
      method: method, address: address, fields: names, status: Int(status), headers: lines,
      page: page)
  }
}

extension PageRecording.Answer {
  fileprivate var json: JSONObject {
    switch self {
    case .success: return ["kind": "success"]
    case .failure(let reason): return ["kind": "failure", "reason": .string(reason)]
    case .refusal(let error, let description, let isPosted, let isInFragment):
      var json: JSONObject = [
        "kind": "error", "error": .string(error),
        "place": isPosted ? "body" : isInFragment ? "fragment" : "query",
      ]
      json["description"] = description.map { .string($0) }
      return json
    }
  }

  fileprivate init?(_ json: JSON) {
    switch json["kind"]?.string {
    case "success": self = .success
    case "failure":
      guard let reason = json["reason"]?.string else { return nil }
      self = .failure(reason)
    case "error":
      guard let error = json["error"]?.string, !error.isEmpty else { return nil }
      let place = json["place"]?.string
      self = .refusal(
        error: error, description: json["description"]?.string, isPosted: place == "body",
        isInFragment: place == "fragment")
    default: return nil
    }
  }
}
