import Encoding
import HTTP

/// What a comparison made at a server and has not deleted yet.
///
/// It grows with each request that is sent, so that an answer that was lost hides nothing.
struct Belongings {
  let run: RunName
  /// Uids that scenarios chose, or that answers had.
  private(set) var uids: Set<String> = []
  private(set) var emails: Set<String> = []
  private(set) var phones: Set<String> = []
  /// Those of them that no answer says were not made.
  private var likely: Set<String> = []
  /// The accounts that were there before: never ours, whatever an answer says.
  var strangers: Set<String> = []
  /// When the comparison began, in milliseconds since 1970, by the clock of the server.
  var began: Int64 = 0
  /// Sign-ups without an e-mail address whose answer was lost: nothing finds their accounts.
  private(set) var lostSignUps = 0
  /// What could not be taken back, in words.
  private(set) var left: [String] = []
  /// How many accounts were deleted.
  private(set) var deleted = 0
  /// Accounts that a request deletes whose answer nobody has seen yet.
  private var deleting: Set<String> = []

  init(run: RunName) { self.run = run }

  /// How many uids, addresses and numbers there are.
  var count: Int { uids.count + emails.count + phones.count }
  var isEmpty: Bool { count == 0 }
  /// Whether numbers are taken that the next scenario needs.
  var hasPhones: Bool { !phones.isEmpty }

  /// Notes what a request may make, before it is sent.
  ///
  /// - Returns: The uids, addresses and numbers that it names.
  mutating func note(sending body: JSON, to path: String) -> Set<String> {
    guard !Self.onlyReads(path) else { return [] }
    switch body {
    case .object(let object):
      return object.entries.reduce(into: []) { $0.formUnion(note(sending: $1.value, to: path)) }
    case .array(let items):
      return items.reduce(into: []) { $0.formUnion(note(sending: $1, to: path)) }
    case .string(let text):
      if run.phones.contains(text) {
        phones.insert(text)
        return [text]
      }
      guard let start = text.firstRange(of: run.prefix) else { return [] }
      // An address may stand inside of a form, a token or JSON.
      let word = String(
        text[start.lowerBound...].prefix { $0.isLetter || $0.isNumber || "@.-_+".contains($0) })
      guard word.contains("@") else {
        uids.insert(word)
        return [word]
      }
      emails.insert(word.lowercased())
      return [word.lowercased()]
    default: return []
    }
  }

  private static func onlyReads(_ path: String) -> Bool {
    ["lookup", "query", "batchGet"].contains { path.hasSuffix(":\($0)") }
  }

  /// Notes the answer to a request that named some accounts.
  mutating func note(answer response: HTTPResponse, to path: String, naming names: Set<String>) {
    let body = try? response.json()
    let message = body?["error"]?["message"]?.string ?? ""
    // A function that refuses the sign-in after the sign-up leaves the account.
    let isOfFunction = message.hasPrefix("BLOCKING_FUNCTION") || message.hasPrefix("Error code: ")
    if response.status < 400 || isOfFunction { likely.formUnion(names) }
    guard !Self.onlyReads(path), let uid = body?["localId"]?.string, !uid.isEmpty else { return }
    uids.insert(uid)
    likely.insert(uid)
  }

  /// Notes that a request had no answer that says whether these were made.
  mutating func note(unsettled names: Set<String>) { likely.formUnion(names) }

  /// Notes that no answer came to a request.
  mutating func note(lost path: String, body: JSON?) {
    let name = path.split(separator: ":").last.map(String.init) ?? path
    let signsUp = ["signUp", "accounts"].contains(name) || path.hasSuffix("/accounts")
    guard signsUp, body?["email"] == nil, body?["localId"] == nil, body?["idToken"] == nil else {
      return
    }
    lostSignUps += 1
  }

  /// Notes what could not be taken back.
  mutating func note(left words: String) { left.append(words) }

  /// Whether an account is the comparison's own; only such a one is deleted.
  func isOwn(_ account: JSON) -> Bool {
    guard let uid = account["localId"]?.string, !strangers.contains(uid) else { return false }
    if uid.hasPrefix(run.prefix) { return true }
    if account["email"]?.string?.lowercased().hasPrefix(run.prefix) == true { return true }
    // Seconds may be rounded, and two machines of one server need not agree on the time.
    guard let made = account["createdAt"]?.string.flatMap(Int64.init), made >= began - 5000 else {
      return false
    }
    return uids.contains(uid) || account["phoneNumber"]?.string.map(phones.contains) == true
  }

  /// Notes that a request is going to delete accounts.
  mutating func note(deleting uids: [String]) { deleting.formUnion(uids) }

  /// Counts the accounts that are gone since a deletion, as those that are still there show.
  mutating func note(remaining uids: [String]) {
    deleted += deleting.subtracting(uids).count
    deleting.formIntersection(uids)
  }

  /// Forgets everything that a look at the server has settled.
  mutating func forget() {
    uids = []
    emails = []
    phones = []
    likely = []
    deleting = []
  }

  /// The most uids, addresses and numbers that one request may look for.
  static let lookupLimit = 100

  /// The bodies of requests that find the accounts.
  var lookups: [JSON] {
    let names =
      uids.sorted().map { ("localId", $0) } + emails.sorted().map { ("email", $0) }
      + phones.sorted().map { ("phoneNumber", $0) }
    return stride(from: 0, to: names.count, by: Self.lookupLimit).map { start in
      var members = JSONObject()
      for (key, value) in names[start..<min(start + Self.lookupLimit, names.count)] {
        members[key] = .array((members[key]?.array ?? []) + [.string(value)])
      }
      return .object(members)
    }
  }

  /// The uids, addresses and numbers of accounts that may exist.
  var names: [String] {
    [uids, emails, phones].flatMap { $0.intersection(likely).sorted() }
  }
}
