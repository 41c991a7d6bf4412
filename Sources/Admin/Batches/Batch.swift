import Encoding
import IdentityToolkit

/// Sends rows in parts, and keeps account of what becomes of each.
struct Batch {
  /// How many rows one request may have.
  static let mostRows = 1000

  /// How many rows there are, those refused beforehand included.
  let count: Int
  /// The member of an answer that lists refused rows, with their positions within the part.
  let errors: String
  /// The uid of a row.
  let uid: (Int) -> String?
  /// The request for the rows at these positions.
  let request: (ArraySlice<Int>) -> AdminRequest
  /// The rows, with their faults, for which a request was refused as a whole.
  var culprits: (AdminError, ArraySlice<Int>) -> [(Int, String)] = { _, _ in [] }

  /// How long to wait between two requests, where the backend takes only so many.
  var pause: Duration?

  private(set) var result = BatchResult()

  init(
    count: Int, errors: String, uid: @escaping (Int) -> String?,
    request: @escaping (ArraySlice<Int>) -> AdminRequest
  ) {
    self.count = count
    self.errors = errors
    self.uid = uid
    self.request = request
  }

  /// Notes a row that is refused.
  mutating func refuse(_ index: Int, _ message: String) {
    result.errors.append(.init(index: index, uid: uid(index), message: message))
  }

  /// Sends the rows at these positions, part after part.
  ///
  /// When a part fails, the error tells what had become of all rows.
  mutating func send(
    _ positions: [Int], over admin: Admin
  ) async throws(AdminError) -> BatchResult {
    for start in stride(from: 0, to: positions.count, by: Self.mostRows) {
      let part = positions[start..<min(start + Self.mostRows, positions.count)]
      if start > 0, let pause {
        do { try await admin.pause(for: pause) } catch { throw cutOff(error, part) }
      }
      try await send(part: part, over: admin)
    }
    result.errors.sort { $0.index < $1.index }
    return result
  }

  private mutating func send(
    part: ArraySlice<Int>, over admin: Admin
  ) async throws(AdminError) {
    guard !part.isEmpty else { return }
    let answer: JSONObject
    do {
      answer = try await admin.call(request(part))
    } catch {
      let culprits = culprits(error, part)
      guard !culprits.isEmpty else { throw cutOff(error, part) }
      for (index, message) in culprits { refuse(index, message) }
      let refused = Set(culprits.map(\.0))
      return try await send(part: part.filter { !refused.contains($0) }[...], over: admin)
    }
    var refused: Set<Int> = []
    for entry in answer[errors]?.array ?? [] {
      // The first row's position is zero, which the wire leaves out.
      let offset = entry["index"]?.wholeNumber ?? 0
      guard (0..<Int64(part.count)).contains(offset) else {
        var error = AdminError(
          .internalError, "the backend refused a row that was not sent, so it is unknown which")
        error.isOutcomeUnknown = true
        throw cutOff(error, part)
      }
      let place = part.startIndex + Int(offset)
      guard refused.insert(place).inserted else { continue }
      let message = entry["message"]?.string ?? "the backend refused it without a word"
      refuse(part[place], Redaction().clean(message))
    }
    result.successCount += part.count - refused.count
  }

  /// Adds to an error what had become of the rows.
  private func cutOff(_ error: AdminError, _ part: ArraySlice<Int>) -> AdminError {
    let first = part[part.startIndex]
    let last = part[part.endIndex - 1]
    // A refusal of the whole request has changed nothing; without an answer nobody knows.
    let uncertain = error.isOutcomeUnknown ? first..<(last + 1) : first..<first
    let notDone = uncertain.upperBound..<count
    var ordered = result
    ordered.errors.sort { $0.index < $1.index }
    var words = "the batch was cut off: \(result.successCount) of \(count) rows were done"
    if !uncertain.isEmpty { words += ", rows \(first + 1) to \(last + 1) may have been" }
    if !notDone.isEmpty { words += ", rows \(notDone.lowerBound + 1) to \(count) were not" }
    var cut = AdminError(
      error.code, "\(error.message); \(words)",
      hint: "\(error.hint); then go on with the rows that err.batch names",
      serverName: error.serverName, details: error.details)
    cut.batch = CutOffBatch(result: ordered, uncertain: uncertain, notDone: notDone)
    return cut
  }
}
