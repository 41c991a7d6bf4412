import System
import IdentityToolkit

/// Sends rows in several requests and records the result of each row.
struct AccountBatch {
  /// The maximum number of rows per request.
  static let mostRows = 1000

  /// The number of rows, including those rejected before sending.
  let count: Int
  /// The member of a response that lists rejected rows, with their positions in the request.
  let errors: String
  let uid: (Int) -> String?
  /// Returns the request for the rows at these positions.
  let request: (ArraySlice<Int>) -> AdminRequest
  /// Returns the rows, with messages, that caused a whole request to be rejected.
  var culprits: (AdminError, ArraySlice<Int>) -> [(Int, String)] = { _, _ in [] }

  /// The pause between two requests, if the backend limits their rate.
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

  /// Records a rejected row.
  mutating func refuse(_ index: Int, _ message: String) {
    result.errors.append(.init(index: index, uid: uid(index), message: message))
  }

  /// Sends the rows at these positions.
  ///
  /// When a request fails, the error contains the results of all rows so far.
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
      // Zero is omitted in the JSON.
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

  /// Adds the results so far to an error.
  private func cutOff(_ error: AdminError, _ part: ArraySlice<Int>) -> AdminError {
    let first = part[part.startIndex]
    let last = part[part.endIndex - 1]
    // A rejected request has changed nothing; without a response the result is unknown.
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
