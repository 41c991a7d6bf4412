import IdentityToolkit
public import System

/// One account of an import, in the API's JSON.
public struct ImportRow: Sendable {
  /// The allowed fields of its table, the same as in an account's record.
  static let names = [
    "uid", "email", "emailVerified", "displayName", "photoURL", "phoneNumber", "disabled",
    "metadata", "customClaims", "tenantID", "providerData", "multiFactor", "tokensValidAfterTime",
    "passwordHash", "passwordSalt",
  ]

  let uid: String
  let body: JSONObject
  /// The decoded hash; nil when there is none, or only an emulator's placeholder.
  let hash: [UInt8]?
  /// Whether there is a password, hashed or as an emulator's placeholder.
  var hasPassword: Bool { body["passwordHash"] != nil }

  /// Parses an account with the names of Firebase's Admin SDKs.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, names: Self.names)
    let uid = try reader.text("uid")
    try Admin.check(uid: uid)
    var body: JSONObject = ["localId": .string(uid)]
    for (wire, name) in [
      ("email", "email"), ("displayName", "displayName"), ("photoUrl", "photoURL"),
      ("phoneNumber", "phoneNumber"), ("tenantId", "tenantID"), ("passwordHash", "passwordHash"),
      ("salt", "passwordSalt"),
    ] {
      body[wire] = try reader.textIfAny(name).map(JSON.string)
    }
    body["emailVerified"] = try reader.boolIfAny("emailVerified").map(JSON.bool)
    body["disabled"] = try reader.boolIfAny("disabled").map(JSON.bool)
    if let claims = reader.value("customClaims") {
      body["customAttributes"] = .string(try CustomClaims.text(claims))
    }
    body["validSince"] = try reader.whole("tokensValidAfterTime").map {
      .string(String($0 / 1000))
    }
    if let times = try reader.readerIfAny(
      "metadata", names: ["creationTime", "lastSignInTime", "lastRefreshTime"])
    {
      body["createdAt"] = try times.whole("creationTime").map { .string(String($0)) }
      body["lastLoginAt"] = try times.whole("lastSignInTime").map { .string(String($0)) }
      body["lastRefreshAt"] = try times.textIfAny("lastRefreshTime").map(JSON.string)
    }
    if let ways = try reader.listIfAny("providerData") {
      body["providerUserInfo"] = .array(try Self.identities(ways))
    }
    if let factors = try EnrolledFactor.list(reader), !factors.isEmpty {
      body["mfaInfo"] = .array(factors.map(\.wire))
    }
    try self.init(uid: uid, body)
  }

  init(uid: String, _ body: JSONObject) throws(AdminError) {
    self.uid = uid
    self.body = body
    guard let text = body["passwordHash"]?.string, !Self.isReadable(text) else {
      hash = nil
      return
    }
    guard let bytes = Base64.decodeAnyAlphabet(text) else {
      throw Self.notBase64("passwordHash")
    }
    if let salt = body["salt"]?.string, Base64.decodeAnyAlphabet(salt) == nil {
      throw Self.notBase64("passwordSalt")
    }
    hash = bytes
  }

  /// Returns the provider identities, without password and phone, which follow from the account's fields.
  private static func identities(_ ways: [JSON]) throws(AdminError) -> [JSON] {
    var identities: [JSON] = []
    for (index, way) in ways.enumerated() {
      let reader = try RecordReader(
        way, at: ["providerData[\(index + 1)]"], names: ProviderLink.names)
      let link = try ProviderLink(reader)
      if link.providerID != "password", link.providerID != "phone" { identities.append(link.wire) }
    }
    return identities
  }

  /// Whether this is the placeholder of Firebase's emulator for a hash.
  private static func isReadable(_ hash: String) -> Bool {
    hash.utf8.starts(with: "fakeHash:".utf8)
  }

  private static func notBase64(_ name: String) -> AdminError {
    AdminError(
      .invalidArgument, "\(name) is not in base 64", hint: "pass crypto.base64(bytes)")
  }
}

/// The options of an import.
public struct ImportOptions: Sendable {
  /// The password hash algorithm; nil when no row has a hash.
  public var hash: PasswordHashKind?
  /// Whether a row replaces an existing account with its uid, including all its data.
  public var allowsOverwrite = false
  /// Whether the backend rejects e-mail addresses and identities of other accounts.
  public var checksSanity = true

  /// Creates the defaults: no hashes, no overwriting, all checks.
  public init() {}
}

extension Admin {
  /// Imports any number of accounts, 1000 per request.
  ///
  /// Each row is an account, or the error of reading it.
  public func importUsers(
    _ rows: [Result<ImportRow, AdminError>], _ options: ImportOptions = ImportOptions()
  ) async throws(AdminError) -> BatchResult {
    let accounts = rows.map { try? $0.get() }
    var batch = AccountBatch(count: rows.count, errors: "error", uid: { accounts[$0]?.uid }) {
      part in
      Self.request(part.compactMap { accounts[$0] }, options)
    }
    batch.culprits = { error, part in
      switch error.serverName {
      case "DUPLICATE_EMAIL":
        Self.repetitions(part, "an earlier row has the same email") {
          accounts[$0]?.body["email"]?.string.map { [ExactString($0.lowercased())] } ?? []
        }
      case "DUPLICATE_RAW_ID":
        Self.repetitions(part, "an earlier row has the same identity at a provider") {
          (accounts[$0]?.body["providerUserInfo"]?.array ?? []).map {
            ExactString("\($0["providerId"]?.string ?? "") \($0["rawId"]?.string ?? "")")
          }
        }
      default: []
      }
    }
    var positions: [Int] = []
    var seen: Set<ExactString> = []
    for (index, row) in rows.enumerated() {
      switch row {
      case .failure(let error): batch.refuse(index, error.message)
      case .success(let row):
        if let problem = problem(of: row, options.hash) {
          batch.refuse(index, problem)
        } else if !seen.insert(ExactString(row.uid)).inserted, !options.allowsOverwrite {
          batch.refuse(index, "an earlier row has the same uid")
        } else {
          positions.append(index)
        }
      }
    }
    if !options.allowsOverwrite {
      let taken = try await takenUIDs(among: positions.compactMap { accounts[$0]?.uid })
      positions.removeAll { index in
        guard let uid = accounts[index]?.uid, taken.contains(ExactString(uid)) else { return false }
        batch.refuse(index, "an account has this uid; with allowOverwrite the row replaces it")
        return true
      }
    }
    return try await batch.send(positions, over: self)
  }

  /// Returns the uids that exist: Google's servers replace an account whatever the request says.
  private func takenUIDs(among uids: [String]) async throws(AdminError) -> Set<ExactString> {
    var taken: Set<ExactString> = []
    for start in stride(from: 0, to: uids.count, by: Self.mostLookedUp) {
      let part = uids[start..<min(start + Self.mostLookedUp, uids.count)]
      for user in try await lookUpWire(part.map { .uid($0) }) {
        if let uid = user["localId"]?.string { taken.insert(ExactString(uid)) }
      }
    }
    return taken
  }

  private static func request(_ rows: [ImportRow], _ options: ImportOptions) -> AdminRequest {
    var body: JSONObject = [
      "users": .array(rows.map { .object($0.body) }),
      "allowOverwrite": .bool(options.allowsOverwrite),
      "sanityCheck": .bool(options.checksSanity),
    ]
    if let hash = options.hash, rows.contains(where: { $0.hash != nil }) {
      for (name, value) in hash.wire.entries { body[name] = value }
    }
    return AdminRequest("accounts:batchCreate", body)
  }

  /// Returns the rows with the same key as an earlier row.
  private static func repetitions(
    _ part: ArraySlice<Int>, _ message: String, _ keys: (Int) -> [ExactString]
  ) -> [(Int, String)] {
    var seen: Set<ExactString> = []
    return part.compactMap { index in
      let keys = keys(index)
      defer { seen.formUnion(keys) }
      return seen.isDisjoint(with: keys) ? nil : (index, message)
    }
  }

  private func problem(of row: ImportRow, _ kind: PasswordHashKind?) -> String? {
    if row.hasPassword, row.hash == nil, !target.isEmulated {
      return "passwordHash is from an emulator, and is not a hash"
    }
    guard let hash = row.hash else { return nil }
    guard let kind else {
      return "the row has a passwordHash, and the option hash does not name its algorithm"
    }
    return kind.problem(of: hash)
  }
}
