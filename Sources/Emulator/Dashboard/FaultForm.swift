internal import System
internal import IdentityToolkit

/// The form for one fault, and faults in the words of its fields.
enum FaultForm {
  private static let texts = ["operation", "project", "error"]
  private static let numbers = ["latency", "after", "count", "retryAfter", "advanceSeconds"]
  private static let boxes = ["drop", "carriedOut", "revokeTokens"]

  private static let labels = [
    "operation": "Operation", "error": "Error", "latency": "Delay in milliseconds",
    "rate": "Probability in percent", "count": "Maximum number of failures", "project": "Project",
    "after": "Number of requests before the first failure",
    "retryAfter": "Retry-After header in seconds",
    "advanceSeconds": "Move the clock forward by seconds", "drop": "Lose the response",
    "cutAfter": "Cut the response after bytes",
    "carriedOut": "Carry out the operation although the response is an error",
    "revokeTokens": "End all sessions of the account",
  ]

  /// The label of a field.
  static func label(_ name: String) -> String { labels[name] ?? name }

  /// The fields of the form for a fault.
  static func fields(_ fault: JSON) -> FormFields {
    var pairs = [("action", "change"), ("fault", fault.encoded())]
    for name in texts + numbers {
      guard let value = fault[name], !(name == "operation" && value == "*") else { continue }
      pairs.append((name, value.string ?? value.encoded()))
    }
    if let rate = fault["rate"]?.number, rate != 1 { pairs.append(("rate", percent(rate))) }
    pairs += boxes.filter { fault[$0] == true }.map { ($0, "on") }
    return FormFields(pairs)
  }

  /// The fault that the form describes; empty fields are left out.
  ///
  /// - Parameter old: The fault before; what the form has no field for is kept.
  static func fault(_ form: FormFields, changing old: JSON?) -> JSON {
    var fault = old?.object ?? JSONObject()
    for name in texts { fault[name] = filled(form[name]).map { .string($0) } }
    // A field that is not a number stays text, which `problem` names.
    for name in numbers {
      fault[name] = filled(form[name]).map { text in
        Int64(text).map { .integer($0) } ?? table(text) ?? .string(text)
      }
    }
    fault["rate"] = filled(form["rate"]).map { text in
      Double(text).map { .number($0 / 100) } ?? .string(text)
    }
    for name in boxes { fault[name] = form[name] == nil ? nil : true }
    // Of the two, the emulator would carry out the other one.
    if fault["drop"] == true { fault["cutAfter"] = nil }
    return .object(fault)
  }

  private static func filled(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A delay such as `{"min": 50, "max": 200}`.
  private static func table(_ text: String) -> JSON? {
    guard text.hasPrefix("{") else { return nil }
    return try? JSON.parse(Array(text.utf8))
  }

  /// What is wrong with a fault, in the words of the form; nil if nothing is.
  static func problem(with fault: JSON) -> String? {
    do throws(ConfigurationError) {
      _ = try Fault(json: fault, at: [])
      return nil
    } catch {
      guard let name = error.path.last else {
        return
          "The fault does nothing: fill in an error or a delay, or tick one of the boxes under “More”."
      }
      let message = name == "rate" ? "must be a number from 0 to 100" : error.message
      let hint = name == "latency" ? nil : error.hint
      return "\(label(name)): \(message)" + (hint.map { " (\($0))" } ?? "")
    }
  }

  private static func percent(_ rate: Double) -> String {
    let text = String((rate * 100_000).rounded() / 1000)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A fault in words: `QUOTA_EXCEEDED, 5 % of the requests`.
  static func words(_ fault: JSON) -> String {
    var parts: [String] = []
    func add(_ name: String, _ words: (String) -> String) {
      guard let value = fault[name] else { return }
      parts.append(words(value.string ?? value.encoded()))
    }
    add("error") { "error \($0)" }
    add("latency") { "delay of \(delay(fault["latency"]) ?? $0)" }
    if fault["drop"] == true { parts.append("the response is lost") }
    add("cutAfter") { "the response is cut after \($0) bytes" }
    if fault["revokeTokens"] == true { parts.append("all sessions of the account end") }
    add("advanceSeconds") { "the clock moves forward by \($0) s" }
    add("retryAfter") { "Retry-After \($0) s" }
    if let isCarriedOut = fault["carriedOut"]?.bool {
      parts.append(
        isCarriedOut ? "the operation is carried out" : "the operation is not carried out")
    }
    if let rate = fault["rate"]?.number, rate != 1 {
      parts.append("\(percent(rate)) % of the requests")
    }
    add("after") { "after \($0) requests" }
    add("count") { "at most \($0) times" }
    add("project") { "in the project \($0)" }
    return parts.joined(separator: ", ")
  }

  private static func delay(_ latency: JSON?) -> String? {
    if let number = latency?.number { return "\(plain(number)) ms" }
    guard let members = latency?.object?.entries, members.count == 2 else { return nil }
    let parts = members.compactMap { member in
      member.value.number.map { "\(member.key) \(plain($0)) ms" }
    }
    return parts.joined(separator: ", ")
  }

  private static func plain(_ number: Double) -> String {
    let text = String(number)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
