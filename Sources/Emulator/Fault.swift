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
    let reader = try ConfigurationReader(json, at: path, names: Self.keys)
    if let name = try reader.textIfAny("operation"), name != "*" {
      guard let found = APIOperation(rawValue: name) else {
        let near = nearestName(to: name, among: APIOperation.allCases.map(\.rawValue))
        throw reader.fault(
          "operation", "there is no operation '\(name)'",
          hint: near.map { "did you mean '\($0)'?" } ?? "use a name such as signUp, or *")
      }
      operation = found
    }
    project = try reader.textIfAny("project")
    if let value = reader.value("rate") {
      guard let number = value.number, (0...1).contains(number) else {
        throw reader.fault("rate", "must be a number from 0.0 to 1.0")
      }
      rate = number
    }
    after = try reader.integerIfAny("after", in: 0...1_000_000_000) ?? 0
    count = try reader.integerIfAny("count", in: 1...1_000_000_000)
    if let value = reader.value("latency") {
      do throws(ConfigurationError) { latency = try Latency(json: value) } catch {
        throw ConfigurationError(
          path: path + error.path, message: error.message, hint: error.hint)
      }
    }
    if let value = reader.value("error") {
      guard let text = value.string ?? value.integer.map(String.init), let read = FaultError(text)
      else {
        throw reader.fault(
          "error", "is neither a name of the backend nor a status",
          hint: "such as QUOTA_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE or 503")
      }
      error = read
    }
    retryAfter = try reader.integerIfAny("retryAfter", in: 0...86_400)
    if try reader.boolIfAny("drop") == true { delivery = .drop }
    if let bytes = try reader.integerIfAny("cutAfter", in: 0...1_000_000) {
      delivery = .cut(bytes: bytes)
    }
    isCarriedOut = try reader.boolIfAny("carriedOut")
    revokesTokens = try reader.boolIfAny("revokeTokens") ?? false
    advancesClock = try reader.integerIfAny("advanceSeconds", in: 0...3_155_760_000)
    guard
      latency != nil || error != nil || delivery != nil || revokesTokens || advancesClock != nil
    else {
      throw ConfigurationError(
        path: path, message: "the fault does nothing",
        hint: "give it latency, error, drop, cutAfter, revokeTokens or advanceSeconds")
    }
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

/// An error response, in the format of Google's servers.
enum FaultError: Sendable, Equatable {
  /// An error by its name on the wire, such as `QUOTA_EXCEEDED`.
  case named(ServerError)
  /// A bare status, as from a load balancer in front of the service.
  case status(Int)

  /// Reads `QUOTA_EXCEEDED` or `503`.
  init?(_ text: String) {
    if let error = ServerError(rawValue: text) {
      self = .named(error)
    } else if let status = Int(text), (400...599).contains(status) {
      self = .status(status)
    } else {
      return nil
    }
  }

  var text: String {
    switch self {
    case .named(let error): error.rawValue
    case .status(let status): String(status)
    }
  }

  func response(for call: Call, retryAfter: Int?) -> ServerResponse {
    var response: ServerResponse
    switch self {
    case .named(let error):
      response = RequestRouter.response(Self.refusal(error, call.operation), call.errors)
    case .status(let status):
      // Load balancers send HTML, which clients that expect JSON must handle.
      response = ServerResponse(
        status: status,
        text: "<!doctype html>\n<title>Error \(status)</title>\n<p>That is an error.</p>\n",
        type: "text/html; charset=utf-8")
    }
    if let retryAfter { response.headers.set("Retry-After", String(retryAfter)) }
    return response
  }

  /// The error with the status and message that production uses.
  private static func refusal(_ error: ServerError, _ operation: APIOperation) -> Refusal {
    let name = error.rawValue
    func canonical(_ status: Int, _ reason: String, _ words: String) -> Refusal {
      Refusal(message: words, status: status, reason: reason, canonicalStatus: name)
    }
    switch error {
    case .quotaExceeded where operation == .token:
      // The token service reports an exceeded quota as an invalid argument.
      return Refusal(
        message: "QUOTA_EXCEEDED : Exceeded quota for exchanging tokens.", status: 400,
        reason: "invalid", canonicalStatus: "INVALID_ARGUMENT")
    case .quotaExceeded: return Refusal(error, "Exceeded quota for \(quota(of: operation)).")
    case .tooManyAttemptsTryLater:
      return Refusal(
        error,
        "Access to this account has been temporarily disabled due to many failed login attempts. "
          + "You can immediately restore it by resetting your password or you can try again later.")
    case .resourceExhausted:
      return canonical(429, "rateLimitExceeded", "Quota exceeded for quota metric.")
    case .unavailable:
      return canonical(503, "backendError", "The service is currently unavailable.")
    case .deadlineExceeded:
      return canonical(504, "deadlineExceeded", "Deadline exceeded.")
    case .internalFailure, .internalError:
      return Refusal(
        message: "Internal error encountered.", status: 500, reason: "backendError",
        canonicalStatus: "INTERNAL")
    case .permissionDenied:
      return canonical(403, "forbidden", "The caller does not have permission")
    case .unauthenticated: return .wrongBearer
    default: return Refusal(error)
    }
  }

  private static func quota(of operation: APIOperation) -> String {
    switch operation {
    case .signInWithPassword: "verifying passwords"
    case .update: "updating account information"
    case .delete, .batchDelete: "deleting accounts"
    case .lookup: "getting account information"
    case .sendOobCode: "email sending"
    case .sendVerificationCode: "sending verification codes"
    default: "\(operation)"
    }
  }
}

/// The faults that are active from the start, from a project file or from `--fault`.
public struct FaultPlan: Sendable {
  var faults: [Fault] = []
  /// The seed of all random decisions.
  public var seed: UInt64 = 0

  /// A plan without faults.
  public init() {}

  /// Reads the value of `--fault`: `[OPERATION:]WHAT[=VALUE]`, separated by commas.
  ///
  /// `latency=200ms` and `latency=50ms-2s` delay responses. `503=5%` and `QUOTA_EXCEEDED=10%` return errors.
  /// `drop=1%` and `cut=1%` lose the response after the operation was performed.
  public init(words: String, seed: UInt64) throws(ConfigurationError) {
    self.seed = seed
    for word in words.split(separator: ",", omittingEmptySubsequences: false) {
      faults.append(try Self.fault(String(word)))
    }
  }

  private static func fault(_ word: String) throws(ConfigurationError) -> Fault {
    let unknown = ConfigurationError(
      path: [], message: "'\(word)' is no fault",
      hint: "such as latency=200ms, signUp:503=5%, QUOTA_EXCEEDED=10%, drop=1% or cut=1%")
    var fault = Fault()
    var rest = word[...]
    if let colon = rest.firstIndex(of: ":") {
      guard let operation = APIOperation(rawValue: String(rest[..<colon])) else { throw unknown }
      fault.operation = operation
      rest = rest[rest.index(after: colon)...]
    }
    let parts = rest.split(separator: "=", maxSplits: 1)
    guard let name = parts.first.map(String.init) else { throw unknown }
    let value = parts.count > 1 ? String(parts[1]) : nil
    if name == "latency" {
      guard let value, let latency = latency(value) else { throw unknown }
      fault.latency = latency
      return fault
    }
    guard let rate = value.map(percentage) ?? 1 else { throw unknown }
    fault.rate = rate
    switch name {
    case "drop": fault.delivery = .drop
    case "cut": fault.delivery = .cut(bytes: 20)
    default:
      guard let error = FaultError(name) else { throw unknown }
      fault.error = error
    }
    return fault
  }

  private static func percentage(_ text: String) -> Double? {
    guard text.utf8.last == UInt8(ascii: "%"), let number = Double(text.dropLast()),
      (0...100).contains(number)
    else { return nil }
    return number / 100
  }

  private static func latency(_ text: String) -> Latency? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map {
      milliseconds(String($0))
    }
    switch ends.count {
    case 1: return ends[0].map { .fixed($0) }
    case 2:
      guard let low = ends[0], let high = ends[1], low <= high else { return nil }
      return .uniform(low, high)
    default: return nil
    }
  }

  private static func milliseconds(_ text: String) -> Double? {
    for (unit, factor) in [("ms", 1.0), ("s", 1000)] where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), (0...600_000).contains(number * factor)
      else { continue }
      return number * factor
    }
    return nil
  }
}

extension FaultPlan {
  private static let keys = ["seed", "faults"]

  /// Reads `{ seed = …, faults = { … } }`, or a bare list of faults.
  init(json: JSON) throws(ConfigurationError) {
    if case .array(let items) = json {
      faults = try Self.read(items)
      return
    }
    let reader = try ConfigurationReader(json, names: Self.keys)
    faults = try Self.read(try reader.listIfAny("faults") ?? [])
    seed = try Self.seed(reader.value("seed"))
  }

  private static func read(_ items: [JSON]) throws(ConfigurationError) -> [Fault] {
    var faults: [Fault] = []
    for (index, item) in items.enumerated() {
      faults.append(try Fault(json: item, at: ["faults", String(index + 1)]))
    }
    return faults
  }

  private static func seed(_ json: JSON?) throws(ConfigurationError) -> UInt64 {
    guard let json else { return 0 }
    if let number = json.integer, number >= 0 { return UInt64(number) }
    if let text = json.string, let number = UInt64(text) { return number }
    throw ConfigurationError(path: ["seed"], message: "must be a whole number from 0 on")
  }
}
