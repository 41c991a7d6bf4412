internal import System
internal import HTTP

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
      throw .damaged("it has no exchanges or no answer")
    }
    var exchanges: [Exchange] = []
    for (index, entry) in list.enumerated() {
      guard let exchange = Exchange(entry) else {
        throw .damaged("exchange \(index + 1) is not whole")
      }
      exchanges.append(exchange)
    }
    self.exchanges = exchanges
    guard let answer = Answer(ending) else { throw .damaged("its answer is not whole") }
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
