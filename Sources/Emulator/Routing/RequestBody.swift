internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// Reads JSON and form bodies with the words of Google's front ends.
enum RequestBody {
  static func json(of request: HTTPRequest, takesForm: Bool = false) throws(Refusal) -> JSON {
    let kind = request.headers["Content-Type"].map(mediaType) ?? ""
    if takesForm, kind == "application/x-www-form-urlencoded" {
      return .object(members(of: request.form))
    }
    guard !request.body.isEmpty else { return .object(JSONObject()) }
    guard kind == "application/json" else { throw wrongType(request) }
    let json: JSON
    do throws(JSONError) {
      // A mark of the byte order is no part of the text (RFC 8259 section 8.1).
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      json = try JSON.parse(
        request.body.starts(with: mark) ? Array(request.body.dropFirst(3)) : request.body)
    } catch {
      throw notJSON(error.description)
    }
    switch json {
    case .object, .array: return json
    default: throw notJSON("the body must be an object")
    }
  }

  /// The fields of a form as members of a message.
  ///
  /// A repeated name becomes a list, which no field of a form takes. The lists grow in place: a copy for
  /// each repetition would let a body of 300 KB keep the emulator busy for a minute.
  private static func members(of form: FormFields) -> JSONObject {
    var places: [ExactString: Int] = [:]
    var names: [String] = []
    var values: [[JSON]] = []
    for pair in form.pairs {
      if let place = places[ExactString(pair.name)] {
        values[place].append(.string(pair.value))
      } else {
        places[ExactString(pair.name)] = names.count
        names.append(pair.name)
        values.append([.string(pair.value)])
      }
    }
    return JSONObject(
      uniqueKeys: names, values: values.map { $0.count == 1 ? $0[0] : .array($0) })
  }

  /// Refuses a body of a type that the route does not read, before the credentials are checked.
  ///
  /// Without a body the type does not matter: SDKs send `application/json` with every GET.
  static func checkType(of request: HTTPRequest, of route: Route) throws(Refusal) {
    guard announcesBody(request), let header = request.headers["Content-Type"], !header.isEmpty
    else { return }
    // Server SDKs send a body with their deletions, which is ignored.
    guard request.method != "DELETE" else { return }
    let kind = mediaType(header)
    let isForm = route.service == .secureToken && kind == "application/x-www-form-urlencoded"
    guard route.message != nil else { return try refuseTypedBody(of: request) }
    guard isForm || kind == "application/json" else { throw wrongType(request) }
  }

  /// Refuses a body that names its type, where no body is read.
  static func refuseTypedBody(of request: HTTPRequest) throws(Refusal) {
    guard !announcesBody(request) || request.headers["Content-Type"]?.isEmpty != false else {
      throw wrongType(request)
    }
  }

  /// Whether the headers announce a body (RFC 9112 section 6.3).
  private static func announcesBody(_ request: HTTPRequest) -> Bool {
    if request.headers["Transfer-Encoding"] != nil { return true }
    return request.headers["Content-Length"].flatMap { Int($0) } ?? 0 > 0
  }

  private static func wrongType(_ request: HTTPRequest) -> Refusal {
    let header = request.headers["Content-Type"] ?? ""
    return Refusal(
      message: "Invalid content-type: \(Backend.printable(header))", status: 400,
      reason: "unknown")
  }

  private static func notJSON(_ words: String) -> Refusal {
    Refusal(
      message: "Invalid JSON payload received. \(words)", status: 400, reason: "parseError",
      canonicalStatus: "INVALID_ARGUMENT")
  }

  /// The media type of a header, without parameters and in lower case.
  private static func mediaType(_ header: String) -> String {
    if header == "application/json" { return header }
    return String(header.prefix { $0 != ";" }).filter { $0 != " " }.asciiLowercased
  }
}
