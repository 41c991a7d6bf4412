import IdentityToolkit
public import System

extension Admin {
  /// Creates an account and reads it back.
  public func createUser(_ user: NewUser) async throws(AdminError) -> UserRecord {
    let answer = try await call(AdminRequest("accounts", user.body))
    guard let uid = answer["localId"]?.string, !uid.isEmpty else {
      throw AdminError(.internalError, "the backend created an account and did not return its uid")
    }
    return try await readBack(uid, "made")
  }

  /// Changes an account and reads it back.
  public func updateUser(
    _ uid: String, _ changes: UserChanges
  ) async throws(AdminError) -> UserRecord {
    try Self.check(uid: uid)
    _ = try await call(AdminRequest("accounts:update", changes.body(uid: uid)))
    return try await readBack(uid, "changed")
  }

  /// Replaces the custom claims in an account's tokens.
  ///
  /// Tokens have them after their next renewal.
  public func setCustomUserClaims(_ uid: String, _ claims: JSON) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(
      AdminRequest(
        "accounts:update",
        ["localId": .string(uid), "customAttributes": .string(try CustomClaims.text(claims))]))
  }

  /// Deletes an account.
  public func deleteUser(_ uid: String) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(AdminRequest("accounts:delete", ["localId": .string(uid)]))
  }

  /// Revokes the current refresh tokens of an account.
  ///
  /// ID tokens stay valid until they expire, for verifiers that do not check revocation.
  public func revokeRefreshTokens(_ uid: String) async throws(AdminError) {
    try Self.check(uid: uid)
    _ = try await call(
      AdminRequest(
        "accounts:update", ["localId": .string(uid), "validSince": .string(String(clock.now))]))
  }

  /// Reads an account after a change; a failure reports that the change was made.
  private func readBack(_ uid: String, _ deed: String) async throws(AdminError) -> UserRecord {
    do {
      return try await getUser(uid)
    } catch {
      throw AdminError(
        error.code, "the account \(uid) was \(deed), but cannot be read: \(error.message)",
        hint: "do not repeat the call; read the account with admin:getUser",
        serverName: error.serverName, details: error.details)
    }
  }

  /// The maximum number of accounts per request.
  private static let mostIdentifiers = mostLookedUp

  /// Looks up any number of accounts, 100 per request.
  public func getUsers(_ identifiers: [UserIdentifier]) async throws(AdminError) -> FoundUsers {
    var found = FoundUsers()
    var seen: Set<ExactString> = []
    for start in stride(from: 0, to: identifiers.count, by: Self.mostIdentifiers) {
      let part = identifiers[start..<min(start + Self.mostIdentifiers, identifiers.count)]
      let answer = try await call(
        AdminRequest("accounts:lookup", Self.lookup(part), isRepeatable: true))
      var users: [UserRecord] = []
      for user in answer["users"]?.array ?? [] { users.append(try UserRecord(user)) }
      for (position, identifier) in zip(part.indices, part)
      where !users.contains(where: identifier.names) {
        found.notFound.append(position)
      }
      found.users += users.filter { seen.insert(ExactString($0.uid)).inserted }
    }
    return found
  }

  static func lookup(_ identifiers: ArraySlice<UserIdentifier>) -> JSONObject {
    var lists: [String: [JSON]] = [:]
    for identifier in identifiers {
      switch identifier {
      case .uid(let uid): lists["localId", default: []].append(.string(uid))
      case .email(let email): lists["email", default: []].append(.string(email))
      case .phoneNumber(let number): lists["phoneNumber", default: []].append(.string(number))
      case .provider(let id, let uid):
        lists["federatedUserId", default: []].append([
          "providerId": .string(id), "rawId": .string(uid),
        ])
      }
    }
    return JSONObject(lists.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value)) })
  }

  /// Lists the accounts in the order of their uids.
  public func listUsers(pageSize: Int64 = 1000) throws(AdminError) -> PagedList<UserRecord> {
    let accounts = try accounts(pageSize: pageSize)
    return PagedList { token throws(AdminError) in
      let page = try await accounts(token)
      var users: [UserRecord] = []
      for user in page.items { users.append(try UserRecord(user)) }
      return (users, page.nextToken)
    }
  }

  /// Lists the accounts as JSON from the backend.
  func listWireUsers(pageSize: Int64) throws(AdminError) -> PagedList<JSON> {
    PagedList(try accounts(pageSize: pageSize))
  }

  private func accounts(pageSize: Int64) throws(AdminError) -> PagedList<JSON>.Fetch {
    try Self.check(pageSize: pageSize)
    return { token throws(AdminError) in
      var query = [("maxResults", String(pageSize))]
      if let token { query.append(("nextPageToken", token)) }
      let answer = try await self.call(AdminRequest(get: "accounts:batchGet", query: query))
      return (answer["users"]?.array ?? [], answer["nextPageToken"]?.string)
    }
  }

  /// Returns the account with a uid.
  public func getUser(_ uid: String) async throws(AdminError) -> UserRecord {
    try Self.check(uid: uid)
    return try await single(
      ["localId": [.string(uid)]], "no account has the uid \(Self.brief(uid))")
  }

  /// Returns the account with an e-mail address.
  public func getUser(email: String) async throws(AdminError) -> UserRecord {
    try Self.check(email, "email")
    return try await single(
      ["email": [.string(email)]], "no account has the address \(Self.brief(email))")
  }

  /// Returns the account with a phone number in international form.
  public func getUser(phoneNumber: String) async throws(AdminError) -> UserRecord {
    try Self.check(phoneNumber, "phoneNumber")
    return try await single(
      ["phoneNumber": [.string(phoneNumber)]],
      "no account has the phone number \(Self.brief(phoneNumber))")
  }

  /// Returns the account linked to a user of an identity provider.
  ///
  /// As in the SDKs, the providers `email` and `phone` mean the e-mail address and the phone number.
  public func getUser(
    providerID: String, providerUID: String
  ) async throws(AdminError) -> UserRecord {
    try Self.check(providerID, "providerID")
    try Self.check(providerUID, "providerUID")
    switch providerID {
    case "email": return try await getUser(email: providerUID)
    case "phone": return try await getUser(phoneNumber: providerUID)
    default:
      return try await single(
        [
          "federatedUserId": [
            ["providerId": .string(providerID), "rawId": .string(providerUID)]
          ]
        ], "no account is linked with \(Self.brief(providerUID)) of \(Self.brief(providerID))")
    }
  }

  /// Shortens a text for a message.
  private static func brief(_ text: String) -> String {
    let most = 256
    return text.utf8.count <= most ? text : "\(text.prefix(most))…"
  }

  /// Returns the only account that a lookup finds.
  private func single(
    _ body: JSONObject, _ absence: String
  ) async throws(AdminError) -> UserRecord {
    let answer = try await call(AdminRequest("accounts:lookup", body, isRepeatable: true))
    guard let user = answer["users"]?.array?.first else {
      throw AdminError(
        .userNotFound, absence, hint: "check it, the target's project and the tenant")
    }
    return try UserRecord(user)
  }
}

/// The result of looking up many accounts.
public struct FoundUsers: Sendable {
  /// The found accounts, each once, even if several identifiers name it.
  public var users: [UserRecord] = []
  /// The positions, from 0, of identifiers without an account.
  public var notFound: [Int] = []
}

/// An identifier of an account.
public enum UserIdentifier: Sendable {
  case uid(String)
  case email(String)
  case phoneNumber(String)
  case provider(id: String, uid: String)

  /// The allowed fields of its table.
  public static let names = ["uid", "email", "phoneNumber", "providerID", "providerUID"]

  /// Parses `{ uid }`, `{ email }`, `{ phoneNumber }` or `{ providerID, providerUID }`.
  public init(_ json: JSON, _ position: Int) throws(AdminError) {
    let place = "identifiers[\(position)]"
    let reader = try RecordReader(json, at: [place], names: Self.names)
    let uid = try reader.textIfAny("uid")
    let email = try reader.textIfAny("email")
    let number = try reader.textIfAny("phoneNumber")
    let provider = try reader.textIfAny("providerID")
    let providerUID = try reader.textIfAny("providerUID")
    switch (uid, email, number, provider, providerUID) {
    case (let uid?, nil, nil, nil, nil):
      try Admin.check(uid: uid)
      self = .uid(uid)
    case (nil, let email?, nil, nil, nil): self = .email(email)
    case (nil, nil, let number?, nil, nil): self = .phoneNumber(number)
    case (nil, nil, nil, let provider?, let uid?): self = .provider(id: provider, uid: uid)
    default:
      throw AdminError(
        .invalidArgument,
        "\(place) must have uid, email, phoneNumber, or providerID with providerUID")
    }
  }

  /// The table that `init` parses.
  public var json: JSON {
    switch self {
    case .uid(let uid): ["uid": .string(uid)]
    case .email(let email): ["email": .string(email)]
    case .phoneNumber(let number): ["phoneNumber": .string(number)]
    case .provider(let id, let uid):
      ["providerID": .string(id), "providerUID": .string(uid)]
    }
  }

  /// Whether it identifies this account.
  public func names(_ user: UserRecord) -> Bool {
    switch self {
    case .uid(let uid): ExactString(uid) == ExactString(user.uid)
    // The backend stores e-mail addresses in lower case.
    case .email(let email):
      user.email.map { ExactString($0.lowercased()) == ExactString(email.lowercased()) } ?? false
    case .phoneNumber(let number):
      user.phoneNumber.map { ExactString($0) == ExactString(number) } ?? false
    case .provider(let id, let uid):
      user.providerData.contains {
        ExactString($0.providerID) == ExactString(id) && ExactString($0.uid) == ExactString(uid)
      }
    }
  }
}
