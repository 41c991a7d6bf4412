import Client
import IdentityToolkit
import System

/// An operation that a plan requests: an entry of the list that a script's `plan` returns.
///
/// In a plan file it is an object with the name in `op`; the other members have the names given here.
enum Operation: Sendable {
  /// `link`: adds an identity at a provider: `providerId`, `rawId`, and `email`, `displayName`, `photoUrl`.
  case link(uid: String, identity: JSONObject)
  /// `unlink`: removes the identities of one provider; `providerId`.
  case unlink(uid: String, providerID: String)
  /// `merge`: moves the identities of `loser` to `survivor`, disables the loser and marks it with a claim.
  ///
  /// Without `providers` all identities are moved. The loser is deleted by `luath batch finalize`.
  case merge(survivor: String, loser: String, providers: [String]?)
  /// `update`: changes `fields`, with the field names of Firebase's admin SDKs; false clears a field.
  ///
  /// `as` records whether the script used `update` or one of its short forms.
  case update(uid: String, fields: JSONObject, as: UpdateForm = .update)
  /// `import`: creates an account from a record in the form of `admin:importUsers`.
  ///
  /// `hash` describes how passwords were hashed.
  case create(account: JSONObject, hash: JSONObject?)
  /// `delete`: removes an account.
  case delete(uid: String)
  /// `linkAsUser`: signs in with a custom token and links a credential as the user would.
  ///
  /// The credential has `providerId`, and `idToken`, `accessToken`, `nonce` or `pendingToken`.
  case linkAsUser(uid: String, credential: JSONObject)
  /// A custom operation of the script, under any other name.
  case custom(name: String, uid: String?, arguments: JSON)
  /// An operation that follows from an earlier run; only luath's own commands create it, never a script.
  case followUp(FollowUp)
}

/// The name under which a script requested an account update; operations are counted by it.
enum UpdateForm: String, Sendable, CaseIterable {
  /// Any fields.
  case update
  /// The custom claims only: `claims`.
  case setClaims
  /// The e-mail address only: `email`, `verified`.
  case setEmail
  /// Disables the account.
  case disable
  /// Enables the account.
  case enable
}

extension Operation {
  /// The values of `op` for built-in operations.
  ///
  /// Any other name is a custom operation of the script; a caller that has the script's list should reject the rest.
  static let names = [
    "link", "unlink", "merge", "update", "setClaims", "setEmail", "disable", "enable", "import",
    "delete", "linkAsUser",
  ]

  /// The fields that `update` changes, under the names of Firebase's admin SDKs.
  static let updatedFields = [
    "email", "emailVerified", "phoneNumber", "password", "displayName", "photoURL", "disabled",
    "customClaims",
  ]

  /// Reads an operation in the form that a script returns and a plan file stores.
  ///
  /// `setClaims` (`uid`, `claims`), `setEmail` (`uid`, `email`, `verified`), `disable` and `enable` (`uid`)
  /// are shorter forms of `update`. A fault has the code `invalidOperation`, or
  /// `invalidClaims` for claims that no account may have; it names the member and quotes no value.
  init(json: JSON) throws(RowFailure) {
    guard let members = json.object else {
      throw RowFailure("invalidOperation", "an operation must be a table with a member 'op'")
    }
    guard let name = members["op"]?.string, !name.isEmpty else {
      throw RowFailure(
        "invalidOperation",
        "an operation has no 'op': it names one of \(Self.names.joined(separator: ", ")), "
          + "or a custom operation")
    }
    func reader(_ names: [String]) throws(RowFailure) -> MemberReader {
      try MemberReader(members, at: [name], names: names)
    }
    switch name {
    case "link": self = try Self.link(reader(Self.linkMembers))
    case "unlink":
      let reader = try reader(["op", "uid", "providerId"])
      self = .unlink(uid: try reader.uid(), providerID: try reader.text("providerId"))
    case "merge": self = try Self.merge(reader(["op", "survivor", "loser", "providers"]))
    case "update":
      let reader = try reader(["op", "uid", "fields"])
      self = try Self.update(reader, try reader.object("fields"))
    case "setClaims":
      let reader = try reader(["op", "uid", "claims"])
      let claims = try reader.required("claims", reader.value("claims"))
      self = try Self.update(reader, ["customClaims": claims], .setClaims)
    case "setEmail":
      let reader = try reader(["op", "uid", "email", "verified"])
      var fields: JSONObject = ["email": .string(try reader.text("email"))]
      fields["emailVerified"] = try reader.boolIfAny("verified").map(JSON.bool)
      self = try Self.update(reader, fields, .setEmail)
    case "disable": self = try Self.update(reader(["op", "uid"]), ["disabled": true], .disable)
    case "enable": self = try Self.update(reader(["op", "uid"]), ["disabled": false], .enable)
    case "import": self = try Self.create(reader(["op", "account", "hash"]))
    case "delete": self = .delete(uid: try reader(["op", "uid"]).uid())
    case "linkAsUser": self = try Self.linkAsUser(reader(["op", "uid"] + Self.credentialMembers))
    case _ where FollowUp.kinds.contains(name):
      throw RowFailure("invalidOperation", "\(name): only luath's own commands make this operation")
    default:
      let reader = try reader(["op", "uid", "arguments"])
      self = .custom(
        name: name, uid: reader.value("uid") == nil ? nil : try reader.uid(),
        arguments: reader.value("arguments") ?? .null)
    }
  }

  /// Reads an operation from a journal, which can also hold follow-up operations that no script can request.
  init(recorded json: JSON) throws(RowFailure) {
    if let kind = json["op"]?.string, FollowUp.kinds.contains(kind) {
      self = .followUp(try FollowUp(json: json, kind: kind))
    } else {
      try self.init(json: json)
    }
  }

  /// The operation in the form of a plan file.
  var json: JSON {
    switch self {
    case .link(let uid, let identity): Self.object("link", uid, identity)
    case .unlink(let uid, let providerID):
      ["op": "unlink", "uid": .string(uid), "providerId": .string(providerID)]
    case .merge(let survivor, let loser, let providers):
      Self.object(
        "merge", nil,
        JSONObject(
          [("survivor", .string(survivor)), ("loser", .string(loser))]
            + (providers.map { [("providers", .array($0.map(JSON.string)))] } ?? [])))
    case .update(let uid, let fields, let form):
      Self.object(form.rawValue, uid, Self.members(of: form, fields))
    case .create(let account, let hash):
      Self.object(
        "import", nil,
        JSONObject(
          [("account", .object(account))] + (hash.map { [("hash", .object($0))] } ?? [])))
    case .delete(let uid): ["op": "delete", "uid": .string(uid)]
    case .linkAsUser(let uid, let credential): Self.object("linkAsUser", uid, credential)
    case .custom(let name, let uid, let arguments):
      Self.object(name, uid, arguments.isNull ? [:] : ["arguments": arguments])
    case .followUp(let operation): operation.json
    }
  }

  /// The value of `op`: one of `names`, or the name of a custom operation.
  var name: String {
    switch self {
    case .link: "link"
    case .unlink: "unlink"
    case .merge: "merge"
    case .update(_, _, let form): form.rawValue
    case .create: "import"
    case .delete: "delete"
    case .linkAsUser: "linkAsUser"
    case .custom(let name, _, _): name
    case .followUp(let operation): operation.kind
    }
  }

  /// The members of an update in a plan file, besides `op` and `uid`.
  private static func members(of form: UpdateForm, _ fields: JSONObject) -> JSONObject {
    var members = JSONObject()
    switch form {
    case .update: members["fields"] = .object(fields)
    case .setClaims: members["claims"] = fields["customClaims"]
    case .setEmail:
      members["email"] = fields["email"]
      members["verified"] = fields["emailVerified"]
    case .disable, .enable: break
    }
    return members
  }

  private static func object(_ name: String, _ uid: String?, _ rest: JSONObject) -> JSON {
    var object = JSONObject(capacity: rest.count + 2)
    object["op"] = .string(name)
    object["uid"] = uid.map(JSON.string)
    for (key, value) in rest.entries { object[key] = value }
    return .object(object)
  }
}

extension Operation {
  private static let identityMembers = [
    "providerId", "rawId", "email", "displayName", "photoUrl",
  ]
  private static let linkMembers = ["op", "uid"] + identityMembers
  private static let credentialMembers = [
    "providerId", "idToken", "accessToken", "nonce", "pendingToken",
  ]

  /// The members with these names, in this order, without missing ones.
  private static func texts(_ reader: MemberReader, _ names: [String]) throws(RowFailure)
    -> JSONObject
  {
    var object = JSONObject(capacity: names.count)
    for name in names {
      if let text = try reader.textIfAny(name) { object[name] = .string(text) }
    }
    return object
  }

  /// Rejects providers whose identities cannot be linked.
  private static func checkLinkable(_ reader: MemberReader) throws(RowFailure) {
    switch try reader.text("providerId") {
    // accounts:update ignores a linked password without an error, so the user would be left without one.
    case "password":
      throw reader.fault(
        "providerId cannot be password: set email and password with 'update' instead")
    case "phone":
      throw reader.fault("providerId cannot be phone: set phoneNumber with 'update' instead")
    case "email":
      throw reader.fault("providerId cannot be email: use 'setEmail' instead")
    default: return
    }
  }

  private static func link(_ reader: MemberReader) throws(RowFailure) -> Operation {
    let uid = try reader.uid()
    try checkLinkable(reader)
    _ = try reader.text("rawId")
    return .link(uid: uid, identity: try texts(reader, identityMembers))
  }

  private static func linkAsUser(_ reader: MemberReader) throws(RowFailure) -> Operation {
    let uid = try reader.uid()
    try checkLinkable(reader)
    let credential = try texts(reader, credentialMembers)
    let proofs = ["idToken", "accessToken", "pendingToken"]
    guard proofs.contains(where: { credential[$0] != nil }) else {
      throw reader.fault("one of \(proofs.joined(separator: ", ")) is needed")
    }
    return .linkAsUser(uid: uid, credential: credential)
  }

  private static func merge(_ reader: MemberReader) throws(RowFailure) -> Operation {
    let survivor = try reader.uid("survivor")
    let loser = try reader.uid("loser")
    guard !survivor.utf8.elementsEqual(loser.utf8) else {
      throw reader.fault("survivor and loser are the same account")
    }
    let providers = try reader.textsIfAny("providers")
    if let providers, providers.contains("password") {
      throw reader.fault("providers cannot name password: the survivor keeps its own")
    }
    return .merge(survivor: survivor, loser: loser, providers: providers)
  }

  private static func update(
    _ reader: MemberReader, _ fields: JSONObject, _ form: UpdateForm = .update
  ) throws(RowFailure) -> Operation {
    let uid = try reader.uid()
    _ = try MemberReader(fields, at: ["update", "fields"], names: updatedFields)
    guard fields.entries.contains(where: { !$0.value.isNull }) else {
      throw reader.fault(
        "fields is empty: name at least one of \(updatedFields.joined(separator: ", "))")
    }
    try check(reader) { () throws(AdminError) in _ = try UserChanges(.object(fields)) }
    return .update(uid: uid, fields: fields, as: form)
  }

  private static func create(_ reader: MemberReader) throws(RowFailure) -> Operation {
    let account = try reader.object("account")
    let hash = try reader.objectIfAny("hash")
    if account["uid"]?.string?.isEmpty == false {
      _ = try MemberReader(account, at: ["import"], names: account.keys).uid()
    }
    try check(reader) { () throws(AdminError) in
      _ = try ImportRow(.object(account))
      if let hash { _ = try PasswordHashKind(.object(hash)) }
    }
    // The emulator shows `fakeHash:…` in place of a hash; this text itself says how it was made.
    if hash == nil, let text = account["passwordHash"]?.string,
      !text.utf8.starts(with: "fakeHash:".utf8)
    {
      throw reader.fault("the account has a passwordHash, and hash does not name its algorithm")
    }
    return .create(account: account, hash: hash)
  }

  /// Turns an `AdminError` from parsing into a row error with the same message.
  private static func check(
    _ reader: MemberReader, _ reading: () throws(AdminError) -> Void
  ) throws(RowFailure) {
    do throws(AdminError) {
      try reading()
    } catch {
      throw reader.fault(
        error.message,
        code: error.code == .invalidArgument ? "invalidOperation" : error.code.rawValue)
    }
  }
}
