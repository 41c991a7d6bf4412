public import System
import HTTP
import IdentityToolkit

/// The calls that change accounts, with the API's own JSON. Each is sent once, and its result is reported.
extension Admin {
  /// The maximum number of accounts per import or deletion.
  public static let mostChanged = 1000

  /// Calls `accounts:update` for one account to set the members of the body.
  public func updateWire(uid: String, _ body: JSONObject) async throws(AdminError) {
    try Self.check(uid: uid)
    var body = body
    body["localId"] = .string(uid)
    _ = try await call(AdminRequest("accounts:update", body))
  }

  /// Calls `accounts:batchCreate` for up to `mostChanged` accounts; returns errors by row position, from 0.
  ///
  /// - Parameters:
  ///   - hash: The members that describe how passwords were hashed.
  ///   - overwrites: Whether a row replaces an existing account with its uid.
  public func createWire(
    _ accounts: [JSONObject], hash: JSONObject?, overwrites: Bool
  ) async throws(AdminError) -> [Int: String] {
    var body: JSONObject = [
      "users": .array(accounts.map(JSON.object)), "allowOverwrite": .bool(overwrites),
      "sanityCheck": true,
    ]
    for (name, value) in hash?.entries ?? [] { body[name] = value }
    return try refusals(
      try await call(AdminRequest("accounts:batchCreate", body))["error"], of: accounts.count)
  }

  /// Calls `accounts:batchDelete` for up to `mostChanged` accounts; returns errors by position, from 0.
  ///
  /// A missing account counts as deleted. Without `force`, accounts that are not disabled are rejected.
  public func deleteWire(
    _ uids: [String], force: Bool = true
  ) async throws(AdminError) -> [Int: String] {
    let answer = try await call(
      AdminRequest(
        "accounts:batchDelete",
        ["localIds": .array(uids.map(JSON.string)), "force": .bool(force)]))
    return try refusals(answer["errors"], of: uids.count)
  }

  /// Signs in as the user with a custom token and links a credential, because only users can do that.
  ///
  /// The credential has `providerId`, and `idToken`, `accessToken`, `nonce` or `pendingToken`.
  public func linkAsUser(uid: String, credential: JSONObject) async throws(AdminError) {
    let token = try await createCustomToken(uid)
    let client = IdentityToolkitClient(target: target, transport: transport)
    do throws(BackendError) {
      var request: JSONObject = ["token": .string(token.reveal()), "returnSecureToken": true]
      if let tenantID { request["tenantId"] = .string(tenantID) }
      let session = try await client.call(.signInWithCustomToken, request)
      request["token"] = nil
      request["idToken"] = session["idToken"]
      request["requestUri"] = "http://localhost"
      if let pending = credential["pendingToken"]?.string {
        request["pendingToken"] = .string(pending)
      } else {
        request["postBody"] = .string(Self.form(of: credential).encoded)
      }
      _ = try await client.call(.signInWithIdp, request)
    } catch {
      throw AdminError(error, of: serviceAccount, on: target)
    }
  }

  /// Returns the project's own password hash parameters, in the form of an import.
  ///
  /// They are needed to import accounts that the project exported. Empty when the backend does not return them.
  public func ownPasswordHash() async throws(AdminError) -> JSONObject {
    var answer: JSON?
    if tenantID != nil {
      var request = AdminRequest(get: "")
      request.version = "v2"
      answer = try await call(request)["hashConfig"]
    }
    if answer == nil {
      var request = AdminRequest(get: "config")
      request.version = "v2"
      request.isInTenant = false
      answer = try await call(request)["signIn"]?["hashConfig"]
    }
    guard var hash = answer?.object, let algorithm = hash["algorithm"] else { return [:] }
    hash["algorithm"] = nil
    hash["hashAlgorithm"] = algorithm
    return hash
  }

  private static func form(of credential: JSONObject) -> FormFields {
    let names = [
      ("id_token", "idToken"), ("access_token", "accessToken"), ("nonce", "nonce"),
      ("providerId", "providerId"),
    ]
    return FormFields(
      names.compactMap { wire, name in credential[name]?.string.map { (wire, $0) } })
  }

  /// Returns the rejected rows of a response.
  private func refusals(_ list: JSON?, of count: Int) throws(AdminError) -> [Int: String] {
    var refused: [Int: String] = [:]
    for entry in list?.array ?? [] {
      // Zero is omitted in the JSON.
      let index = entry["index"]?.wholeNumber ?? 0
      guard (0..<Int64(count)).contains(index) else {
        var error = AdminError(
          .internalError, "the backend refused a row that was not sent, so it is unknown which")
        error.isOutcomeUnknown = true
        throw error
      }
      let words = entry["message"]?.string ?? "the backend refused it without a word"
      if refused[Int(index)] == nil { refused[Int(index)] = Redaction().clean(words) }
    }
    return refused
  }
}

extension UserChanges {
  /// The body of `accounts:update`, without the account's uid.
  public var wire: JSONObject {
    var body = body(uid: "")
    body["localId"] = nil
    return body
  }
}

extension ImportRow {
  /// The account's JSON for `accounts:batchCreate`.
  public var wire: JSONObject { body }

  /// Returns why the account's password hash cannot be imported; nil when it can.
  public func problem(hashed kind: PasswordHashKind?) -> String? {
    guard let hash else { return nil }
    guard let kind else { return "there is a passwordHash without its algorithm" }
    return kind.problem(of: hash)
  }
}

extension PasswordHashKind {
  /// The members of `accounts:batchCreate` that describe the password hashes.
  public var members: JSONObject { wire }
}
