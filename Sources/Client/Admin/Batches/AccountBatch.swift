import IdentityToolkit
public import System

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

/// The API calls that batches use, with the API's own JSON.
extension Admin {
  /// The maximum number of accounts per lookup; the documented limit of `accounts:lookup`.
  public static let mostLookedUp = 100

  /// Looks up accounts by up to `mostLookedUp` identifiers and returns the backend's JSON.
  ///
  /// The accounts are in no particular order, each once; missing accounts are left out.
  ///
  /// - Parameter repeats: False for callers with their own retries.
  public func lookUpWire(
    _ identifiers: [UserIdentifier], repeats: Bool = true
  ) async throws(AdminError) -> [JSON] {
    guard !identifiers.isEmpty else { return [] }
    let request = AdminRequest(
      "accounts:lookup", Self.lookup(identifiers[...]), isRepeatable: repeats)
    return try await call(request)["users"]?.array ?? []
  }

  /// Whether an account has a password whose hash the lookup hides.
  public static func hidesHash(_ account: JSON) -> Bool {
    account["passwordHash"]?.string == ExportedUser.redacted
  }

  /// Returns the account of a lookup with its password hash from `accounts:batchGet`, the only call
  /// for which Google's servers return hashes.
  ///
  /// The hash stays hidden if the administrator may not see it.
  public func withHash(_ account: JSON) async throws(AdminError) -> JSON {
    guard var shown = account.object, let uid = account["localId"]?.string,
      let last = uid.unicodeScalars.last, let before = Unicode.Scalar(max(1, last.value) - 1)
    else { return account }
    // Pages are ordered by uid and begin after the token, which need not be an existing uid.
    let token = String(uid.unicodeScalars.dropLast()) + String(before) + "\u{FFFD}"
    let query = [("maxResults", "1"), ("nextPageToken", token)]
    let page = try await call(AdminRequest(get: "accounts:batchGet", query: query))
    guard let found = page["users"]?[0], found["localId"]?.string == uid else { return account }
    for name in ["passwordHash", "salt"] { shown[name] = found[name] }
    return .object(shown)
  }

  /// Deletes any number of accounts, 1000 per request.
  ///
  /// Without `force`, accounts that are not disabled are rejected individually. A uid without an
  /// account counts as done.
  public func deleteUsers(
    _ uids: [String], force: Bool = true
  ) async throws(AdminError) -> BatchResult {
    var batch = AccountBatch(count: uids.count, errors: "errors", uid: { uids[$0] }) { part in
      AdminRequest(
        "accounts:batchDelete",
        ["localIds": .array(part.map { .string(uids[$0]) }), "force": .bool(force)])
    }
    // Google's documented limit is one batch deletion per second.
    if !target.isEmulated { batch.pause = .seconds(1) }
    var positions: [Int] = []
    for (index, uid) in uids.enumerated() {
      do {
        try Self.check(uid: uid)
        positions.append(index)
      } catch {
        batch.refuse(index, error.message)
      }
    }
    return try await batch.send(positions, over: self)
  }
}

extension UserRecord {
  /// Parses an account in a lookup's JSON.
  public init(wire: JSON) throws(AdminError) { try self.init(wire) }

  /// Parses an account in a file of `firebase auth:export`.
  public init(exported entry: JSON) throws(AdminError) {
    try self.init(ExportedUser.wire(entry))
  }
}

extension ExportedUser {
  /// Converts a file's entry to a lookup's JSON.
  static func wire(_ entry: JSON) -> JSON {
    guard var user = entry.object else { return entry }
    user["lastLoginAt"] = user["lastLoginAt"] ?? user["lastSignedInAt"]
    user["lastSignedInAt"] = nil
    var identities = user["providerUserInfo"]?.array ?? []
    // Files omit what follows from the account's own fields.
    func add(_ id: String, _ field: String) {
      guard let value = user[field], value.string?.isEmpty == false,
        !identities.contains(where: { $0["providerId"]?.string == id })
      else { return }
      identities.append(["providerId": .string(id), "rawId": value, field: value])
    }
    if user["passwordHash"]?.string?.isEmpty == false { add("password", "email") }
    add("phone", "phoneNumber")
    user["providerUserInfo"] = .array(identities)
    return .object(user)
  }
}

/// The result of a batch.
public struct BatchResult: Sendable {
  /// A row that the backend or luath rejected.
  public struct RowError: Sendable {
    /// The row's position, from 0.
    public let index: Int
    /// The uid of the account, if the row has one.
    public let uid: String?
    /// Why it was rejected.
    public let message: String
  }

  /// The number of successful rows.
  public internal(set) var successCount = 0
  /// The rejected rows, in order.
  public internal(set) var errors: [RowError] = []

  /// The number of rejected rows.
  public var failureCount: Int { errors.count }
}

/// The progress of an interrupted batch.
public struct CutOffBatch: Sendable {
  /// The results of the rows with a response.
  public let result: BatchResult
  /// The rows, from 0, with an unknown result, because there was no response.
  public let uncertain: Range<Int>
  /// The rows, from 0, that were not sent.
  public let notDone: Range<Int>
}
