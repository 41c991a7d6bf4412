import Host
import System
import HTTP
import IdentityToolkit

/// The requests of a comparison outside scenarios.
extension Peer {
  /// The largest number of accounts that a real project may have without a consent that names the project.
  static let handful = 20

  /// Reads what all scenarios need, and returns the number of accounts, at most `handful` plus one.
  func examine() async throws(PeerFailure) -> Int {
    let client = try await send(
      "GET", "/identitytoolkit.googleapis.com/v1/projects",
      query: [("key", target.apiKey.reveal())])
    let known = try object(
      of: client, "its configuration for apps", hint: "check the API key")
    guard known["projectId"] != nil else {
      throw PeerFailure(
        "\(name) sent no projectId: this is no backend of Firebase Auth",
        hint: "check host and port of the target")
    }
    if let time = client.headers["Date"].flatMap(HTTPDate.seconds(parsing:)) {
      belongings.began = (time + secondsAhead) * 1000
    }
    settings = .object(try await readSettings())
    if ProjectSettings.hasFunctions(settings) { waitForFunctions() }
    let page = try await administrate(
      "GET", "v1", "accounts:batchGet", query: [("maxResults", String(Self.handful + 1))])
    let users = try object(of: page, "its accounts", hint: Self.role)["users"]?.array ?? []
    belongings.strangers = Set(users.compactMap { $0["localId"]?.string })
    return users.count
  }

  /// The requests of `examine`, for a dry run.
  static let examination = [
    "GET identitytoolkit.googleapis.com/v1/projects",
    "GET identitytoolkit.googleapis.com/v2/projects/PROJECT/config",
    "GET identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchGet?maxResults=\(handful + 1)",
  ]

  /// The requests of `cleanUp`, for a dry run.
  static let deletion = [
    "POST identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:lookup",
    "  {\"localId\":[\"luath-compare-…\"],\"email\":[\"luath-compare-…@example.com\"]}",
    "POST identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchDelete",
    "  {\"localIds\":[\"luath-compare-…\"],\"force\":true}",
    "POST identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:lookup",
    "  {\"localId\":[\"luath-compare-…\"],\"email\":[\"luath-compare-…@example.com\"]}",
  ]

  private static let role = "the service account needs the role Firebase Authentication Admin"

  private func object(
    of response: HTTPResponse, _ words: String, hint: String
  ) throws(PeerFailure) -> JSONObject {
    guard let body = try? response.json(), let object = body.object else {
      throw PeerFailure(
        "\(name) sent no JSON (status \(response.status)) when it was asked for \(words)",
        hint: "check host and port of the target, and what stands between")
    }
    guard response.status == 200 else {
      let text = body["error"]?["message"]?.string ?? ""
      throw PeerFailure(
        "\(name) refused to send \(words): status \(response.status) \(text)",
        hint: target.isEmulated ? "check what listens at host and port of the target" : hint)
    }
    return object
  }

  /// Reads the project's settings as an administrator.
  func readSettings() async throws(PeerFailure) -> JSONObject {
    let config = try await administrate("GET", "v2", "config")
    return try object(of: config, "its settings", hint: Self.role)
  }

  /// Whether it keeps settings of any name without effect and cannot remove them, as Firebase's emulator.
  ///
  /// Settings with the rules of Google's servers have a name.
  var keepsSettings: Bool { target.isEmulated && settings["name"] == nil }

  func administrate(
    _ method: String, _ version: String, _ call: String, query: [(String, String)] = [],
    body: JSON? = nil
  ) async throws(PeerFailure) -> HTTPResponse {
    var headers: HTTPHeaders = ["Authorization": Step.administrator]
    if body != nil { headers.set("Content-Type", "application/json") }
    let project = PercentEncoding.encode(target.projectID)
    return try await send(
      method, "/identitytoolkit.googleapis.com/\(version)/projects/\(project)/\(call)",
      query: query, headers: headers, body: body?.encodedBytes() ?? [])
  }

  /// Changes fields of an emulator's settings; fields without a value are reset.
  func change(settings fields: JSONObject, of names: [String]) async throws(PeerFailure) {
    precondition(target.isEmulated, "the settings of a real project are never changed")
    let response = try await administrate(
      "PATCH", "v2", "config", query: [("updateMask", names.joined(separator: ","))],
      body: .object(fields))
    guard response.status == 200 else {
      let text = (try? response.json())?["error"]?["message"]?.string ?? ""
      throw PeerFailure(
        "\(name) refused the settings \(names.joined(separator: ", ")): \(text)",
        hint: "")
    }
  }

  /// Deletes the accounts that the comparison created, and checks that they are gone.
  ///
  /// - Parameter isLast: Whether it is the last time, so that failures are repeated, and then reported.
  func cleanUp(isLast: Bool = false) async {
    var left: [String] = []
    for attempt in 0..<(isLast ? Self.cleaningAttempts : 1)
    where !belongings.isEmpty && !isSilent {
      do throws(PeerFailure) {
        if attempt > 0 { try await wait(for: .milliseconds(500 << (attempt - 1))) }
        left = try await deleteAccounts()
        if left.isEmpty { belongings.forget() }
      } catch {
        // Keep the names for the next attempt.
        left = []
        cleaningFailure = error.message
      }
    }
    guard isLast, !left.isEmpty else { return }
    for line in left { belongings.note(left: line) }
    belongings.forget()
  }

  /// The number of times that the last deletion is tried.
  private static let cleaningAttempts = 4

  /// Deletes the accounts, and returns descriptions of those that still exist.
  private func deleteAccounts() async throws(PeerFailure) -> [String] {
    let uids = try await ownAccounts()
    guard !uids.isEmpty else { return [] }
    belongings.note(deleting: uids)
    let response = try await administrate(
      "POST", "v1", "accounts:batchDelete",
      body: ["localIds": .array(uids.map(JSON.string)), "force": true])
    return try await ownAccounts().map {
      "the account \($0) (batchDelete: status \(response.status))"
    }
  }

  private func ownAccounts() async throws(PeerFailure) -> [String] {
    var uids: Set<String> = []
    for lookup in belongings.lookups {
      let response = try await administrate("POST", "v1", "accounts:lookup", body: lookup)
      guard response.status == 200, let body = try? response.json() else {
        throw PeerFailure("accounts:lookup returned status \(response.status)", hint: "")
      }
      for account in body["users"]?.array ?? [] where belongings.isOwn(account) {
        if let uid = account["localId"]?.string { uids.insert(uid) }
      }
    }
    belongings.note(remaining: uids.sorted())
    return uids.sorted()
  }

  /// Descriptions of what was not deleted or undone.
  var leftovers: [String] {
    guard !isTemporary else { return [] }
    var words = belongings.left
    if !belongings.isEmpty {
      words += belongings.names.map { "perhaps the account of \($0) (\(cleaningFailure))" }
    }
    if belongings.lostSignUps > 0 {
      words.append(
        "perhaps \(belongings.lostSignUps) anonymous accounts: the responses to their sign-ups were lost"
      )
    }
    return words
  }
}
