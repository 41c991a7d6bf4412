public import Encoding
import HTTP
import IdentityToolkit

/// The calls that change accounts, in the wire's own names: each is sent once, and what came of it is told.
extension Admin {
  /// How many accounts one import or deletion may have.
  public static let mostChanged = 1000

  /// `accounts:update` of one account: sets the members of the body.
  public func updateWire(uid: String, _ body: JSONObject) async throws(AdminError) {
    try Self.check(uid: uid)
    var body = body
    body["localId"] = .string(uid)
    _ = try await call(AdminRequest("accounts:update", body))
  }

  /// `accounts:batchCreate` of up to `mostChanged` accounts; gives why rows were refused, by position from 0.
  ///
  /// - Parameters:
  ///   - hash: The members that say how passwords were hashed.
  ///   - overwrites: Whether a row takes the place of an account with its uid.
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

  /// `accounts:batchDelete` of up to `mostChanged` accounts; gives why some were refused, by position from 0.
  ///
  /// An account that there is not counts as deleted. Without `force` those that are not disabled are refused.
  public func deleteWire(
    _ uids: [String], force: Bool = true
  ) async throws(AdminError) -> [Int: String] {
    let answer = try await call(
      AdminRequest(
        "accounts:batchDelete",
        ["localIds": .array(uids.map(JSON.string)), "force": .bool(force)]))
    return try refusals(answer["errors"], of: uids.count)
  }

  /// Signs in as a person by a custom token and links a credential, which is the person's own way.
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

  /// How the project itself hashes passwords, as the members of an import.
  ///
  /// What accounts that it exported need to come back. Empty where it does not tell.
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

  /// The rows that an answer says were refused.
  private func refusals(_ list: JSON?, of count: Int) throws(AdminError) -> [Int: String] {
    var refused: [Int: String] = [:]
    for entry in list?.array ?? [] {
      // The first row's position is zero, which the wire leaves out.
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
  /// The body of `accounts:update`, without the account's id.
  public var wire: JSONObject {
    var body = body(uid: "")
    body["localId"] = nil
    return body
  }
}

extension ImportRow {
  /// The account as `accounts:batchCreate` takes it.
  public var wire: JSONObject { body }

  /// Why the account's password hash cannot be imported; nil when it may.
  public func problem(hashed kind: PasswordHashKind?) -> String? {
    guard let hash else { return nil }
    guard let kind else { return "there is a passwordHash, and nothing says how it was made" }
    return kind.problem(of: hash)
  }
}

extension PasswordHashKind {
  /// The members of `accounts:batchCreate` that say how passwords were hashed.
  public var members: JSONObject { wire }
}
