internal import System
internal import HTTP
internal import IdentityToolkit

/// One injected fault: where, how often, and what.
struct Fault: Sendable, Equatable {
  /// How the response fails during transfer.
  enum Delivery: Sendable, Equatable {
    case drop
    case cut(bytes: Int)
  }

  /// The affected operation; nil for all.
  var operation: APIOperation?
  /// The affected project; nil for all.
  var project: String?
  /// The probability, from 0 to 1.
  var rate = 1.0
  /// How many matching requests pass before the fault becomes active.
  var after = 0
  /// How often the fault occurs in total; nil for no limit.
  var count: Int?

  var latency: Latency?
  var error: FaultError?
  /// Seconds for the `Retry-After` header of the error.
  var retryAfter: Int?
  var delivery: Delivery?
  /// Whether the operation is performed even though its response is an error or is lost.
  var isCarriedOut: Bool?
  /// Ends all sessions of the account whose token the request carries.
  var revokesTokens = false
  /// Moves the emulator's clock forward by this many seconds.
  var advancesClock: Int64?

  private static let keys = [
    "operation", "project", "rate", "after", "count", "latency", "error", "retryAfter", "drop",
    "cutAfter", "carriedOut", "revokeTokens", "advanceSeconds",
  ]

  init() {}

  /// Reads a fault in the format of the project file and of `/emulator/v1/faults`.
  ///
  /// The counters of a listing are ignored, so that its JSON can be sent back.
  init(json: JSON, at path: [String]) throws(ConfigurationError) {
    var json = json
    if var object = json.object {
      for counted in ["seen", "struck"] { object[counted] = nil }
      json = .object(object)
    }
    let reader = try ConfigurationReader(json, at: path, known: Self.keys)
    if let name = try reader.string("operation"), name != "*" {
      guard let found = APIOperation(rawValue: name) else {
        let near = nearestName(to: name, among: APIOperation.allCases.map(\.rawValue))
        throw ConfigurationError(
          path: path + ["operation"], message: "there is no operation '\(name)'",
          hint: near.map { "did you mean '\($0)'?" } ?? "use a name such as signUp, or *")
      }
      operation = found
    }
    project = try reader.string("project")
    rate = try Self.number(reader, "rate", 0...1, path) ?? 1
    after = Int(try reader.integer("after", in: 0...1_000_000_000) ?? 0)
    count = try reader.integer("count", in: 1...1_000_000_000).map(Int.init)
    if let value = reader.value("latency") {
      do throws(ConfigurationError) { latency = try Latency(json: value) } catch {
        throw ConfigurationError(
          path: path + error.path, message: error.message, hint: error.hint)
      }
    }
    if let value = reader.value("error") {
      guard let text = value.string ?? value.integer.map(String.init), let read = FaultError(text)
      else {
        throw ConfigurationError(
          path: path + ["error"], message: "is neither a name of the backend nor a status",
          hint: "such as QUOTA_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE or 503")
      }
      error = read
    }
    retryAfter = try reader.integer("retryAfter", in: 0...86_400).map(Int.init)
    if try reader.bool("drop") == true { delivery = .drop }
    if let bytes = try reader.integer("cutAfter", in: 0...1_000_000) {
      delivery = .cut(bytes: Int(bytes))
    }
    isCarriedOut = try reader.bool("carriedOut")
    revokesTokens = try reader.bool("revokeTokens") ?? false
    advancesClock = try reader.integer("advanceSeconds", in: 0...3_155_760_000)
    guard
      latency != nil || error != nil || delivery != nil || revokesTokens || advancesClock != nil
    else {
      throw ConfigurationError(
        path: path, message: "the fault does nothing",
        hint: "give it latency, error, drop, cutAfter, revokeTokens or advanceSeconds")
    }
  }

  private static func number(
    _ reader: ConfigurationReader, _ key: String, _ range: ClosedRange<Double>, _ path: [String]
  ) throws(ConfigurationError) -> Double? {
    guard let value = reader.value(key) else { return nil }
    guard let number = value.number, range.contains(number) else {
      throw ConfigurationError(
        path: path + [key],
        message: "must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  var json: JSON {
    var object = JSONObject()
    object["operation"] = .string(operation?.rawValue ?? "*")
    object.set("project", project)
    object["rate"] = .number(rate)
    if after > 0 { object["after"] = .integer(Int64(after)) }
    if let count { object["count"] = .integer(Int64(count)) }
    if let latency { object["latency"] = latency.json }
    object.set("error", error?.text)
    if let retryAfter { object["retryAfter"] = .integer(Int64(retryAfter)) }
    switch delivery {
    case .drop: object["drop"] = true
    case .cut(let bytes): object["cutAfter"] = .integer(Int64(bytes))
    case nil: break
    }
    object.set("carriedOut", isCarriedOut)
    if revokesTokens { object["revokeTokens"] = true }
    if let advancesClock { object["advanceSeconds"] = .integer(advancesClock) }
    return .object(object)
  }
}
