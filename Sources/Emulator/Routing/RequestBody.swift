internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// Reads JSON and form bodies with the words of Google's front ends.
enum RequestBody {
  static func json(of request: HTTPRequest, takesForm: Bool = false) throws(Refusal) -> JSON {
    let kind = request.headers["Content-Type"].map(mediaType) ?? ""
    if takesForm, kind == "application/x-www-form-urlencoded" {
      var object = JSONObject()
      for pair in request.form.pairs { object[pair.name] = .string(pair.value) }
      return .object(object)
    }
    guard kind == "application/json" else {
      // Firebase's emulator breaks on a body without a type; no body at all is an empty message.
      guard !(kind.isEmpty && request.body.isEmpty) else { return .object(JSONObject()) }
      throw Refusal(
        message: "Invalid content-type: \(Backend.printable(kind))", status: 400,
        reason: "unknown")
    }
    guard !request.body.isEmpty else { return .object(JSONObject()) }
    let json: JSON
    do throws(JSONError) {
      json = try request.json()
    } catch {
      throw notJSON(error.description)
    }
    switch json {
    case .object, .array: return json
    default: throw notJSON("the body must be an object")
    }
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
