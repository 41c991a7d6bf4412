internal import System
internal import OIDC

/// A project's accounts and settings, as in an export folder.
public struct ExportedProject: Sendable, Equatable {
  /// The accounts outside tenants, in the format of `accounts:batchGet`.
  var users: [JSON]
  /// The tenants with their accounts.
  var tenants: [ExportedTenant] = []
  /// The settings in the format of the emulator's `config` endpoint; nil when the folder has none.
  var config: JSON?
  /// Data that Firebase's format lacks: secrets of second factors, hash parameters, settings of tenants.
  var further: JSON?
}

/// The accounts of one tenant in an export.
struct ExportedTenant: Sendable, Equatable {
  /// The tenant's id, which is part of the file name.
  var id: String
  /// The accounts in the format of `accounts:batchGet`.
  var users: [JSON]
}

extension Project {
  /// Everything that Firebase's format can hold, and in `further` everything else.
  func exported(config: JSON) -> ExportedProject {
    var hashings = HashingTable()
    var further = JSONObject()
    func listed(_ backend: Backend, _ kept: inout JSONObject) -> [JSON] {
      backend.accounts.all().map { account in
        let user = account.wire(showsHash: true, tenantID: backend.tenantID, .compatible)
        let record = account.record { hashings.number(of: $0).number }
        var read = self.account(from: user)
        // Readers of the format can only estimate the newest session. A too late estimate ends no other session, so
        // ignore the difference.
        if let guess = read?.newestSession, guess > account.newestSession {
          read?.newestSession = account.newestSession
        }
        let readRecord = read?.record { hashings.number(of: $0).number }
        // Keep only what would be lost; Firebase's format suffices for most accounts.
        if readRecord != record { kept[account.uid] = .object(record) }
        return user
      }
    }
    // Comes first in the file: hashes without a record were made with it.
    if let passwordHashingInUse { further["hashing"] = .object(passwordHashingInUse.wire) }
    var kept = JSONObject()
    let users = listed(backend, &kept)
    var tenants: [ExportedTenant] = []
    var furtherTenants = JSONObject()
    for id in self.tenants.keys.sorted(by: { $0.string < $1.string }) {
      guard let tenant = self.tenants[id] else { continue }
      var keptHere = JSONObject()
      let backend = restoredBackend(tenant: tenant.id)
      tenants.append(ExportedTenant(id: tenant.id, users: listed(backend, &keptHere)))
      furtherTenants[tenant.id] = .object([
        "tenant": .object(tenant.record), "users": .object(keptHere),
      ])
    }
    if !kept.isEmpty { further["users"] = .object(kept) }
    if !furtherTenants.isEmpty { further["tenants"] = .object(furtherTenants) }
    if !hashings.isEmpty { further["hashings"] = .object(hashings.record) }
    return ExportedProject(
      users: users, tenants: tenants, config: config,
      further: further.isEmpty ? nil : .object(further))
  }

  /// The contents of an export; it is read as a whole, so that a broken one changes nothing.
  struct Import {
    fileprivate var tenants: [Tenant] = []
    fileprivate var accounts: [(account: Account, backend: Backend)] = []
  }

  /// Reads an export; of the project only its password hashing changes.
  func read(_ exported: ExportedProject) throws(Problem) -> Import {
    let further = exported.further?.object ?? JSONObject()
    if let hashing = further["hashing"]?.object {
      guard let scrypt = try? FirebaseScrypt(wire: hashing) else {
        throw Self.unreadable("hashing")
      }
      restore(passwordHashing: scrypt)
      context.recorder?.changed(self)
    }
    var found = Import()
    var hashings = HashingTable()
    for (number, hashing) in further["hashings"]?.object?.entries ?? [] {
      guard let number = Int64(number), let object = hashing.object,
        let read = try? PasswordHashing(wire: object)
      else { throw Self.unreadable("hashings") }
      hashings.restore(read, number: number)
    }
    found.accounts = try read(exported.users, further["users"], hashings, in: backend)
    for tenant in exported.tenants {
      let kept = further["tenants"]?[tenant.id]
      let settings = kept?["tenant"]?.object.flatMap { Tenant(id: tenant.id, record: $0) }
      if tenants[ExactString(string: tenant.id)] == nil || settings != nil {
        found.tenants.append(
          settings ?? Tenant(id: tenant.id, settings: Tenant.everythingOn))
      }
      found.accounts += try read(
        tenant.users, kept?["users"], hashings, in: restoredBackend(tenant: tenant.id))
    }
    return found
  }

  /// Adds what was read, and replaces accounts and tenants with the same ids.
  func store(_ found: Import) {
    for tenant in found.tenants { save(tenant) }
    for entry in found.accounts {
      var account = entry.account
      entry.backend.accounts.save(&account)
    }
  }

  private func read(
    _ users: [JSON], _ kept: JSON?, _ hashings: HashingTable, in backend: Backend
  ) throws(Problem) -> [(account: Account, backend: Backend)] {
    var accounts: [(account: Account, backend: Backend)] = []
    for (index, user) in users.enumerated() {
      guard let read = account(from: user) else {
        throw Problem(
          "the export's account \(index + 1)"
            + (backend.tenantID.map { " of the tenant \(Backend.printable($0))" } ?? "")
            + " has no localId", hint: "correct it or export again")
      }
      let whole = kept?[read.uid]?.object.flatMap {
        Account(uid: read.uid, record: $0, hashing: { hashings[$0] })
      }
      // If a user edited the account in Firebase's file, the edited version wins.
      let isUnchanged =
        whole?.wire(showsHash: true, tenantID: backend.tenantID, .compatible) == user
      accounts.append((isUnchanged ? whole ?? read : read, backend))
    }
    return accounts
  }

  private func account(from user: JSON) -> Account? {
    Account(
      exported: user, hashing: passwordHashingInUse.map { PasswordHashing($0) },
      hash: { password in
        context.rules[.hashedPasswords]
          ? PasswordRecord(hashing: password, by: passwordHashing)
          : PasswordRecord(readable: password)
      })
  }

  private static func unreadable(_ part: String) -> Problem {
    Problem(
      "the export's \(ExportFolder.further) cannot be read: \(part)",
      hint:
        "use the luath that wrote it, or remove the file, which holds what Firebase's format lacks"
    )
  }
}

extension Account {
  /// Reads an account in the format of `accounts:batchGet`, which exports use; nil without an id.
  ///
  /// Unlike `accounts:batchCreate` it keeps every field, because an export restores accounts. `hashing` applies to
  /// all hashes that are not in the readable form.
  init?(exported user: JSON, hashing: PasswordHashing?, hash: (String) -> PasswordRecord) {
    guard let fields = user.object, let uid = fields["localId"]?.string, !uid.isEmpty else {
      return nil
    }
    self.init(uid: uid)
    for (name, value) in fields.entries {
      switch name {
      case "localId", "tenantId", "salt", "version", "kind": break
      case "email": email = value.string
      case "emailVerified": emailVerified = value.bool
      case "displayName": displayName = value.string
      case "photoUrl": photoURL = value.string
      case "phoneNumber": phoneNumber = value.string
      case "passwordHash":
        guard let text = value.string, !text.isEmpty else { break }
        password = PasswordRecord(
          hash: text, salt: fields["salt"]?.string,
          hashing: PasswordRecord.isReadable(text) ? nil : hashing)
      case "rawPassword":
        guard let text = value.string, fields["passwordHash"] == nil else { break }
        password = hash(text)
      case "passwordUpdatedAt": passwordUpdatedAt = Self.moment(value)
      case "emailLinkSignin": hasEmailLink = value.bool == true
      case "disabled": disabled = value.bool
      case "customAuth": isCustom = value.bool == true
      case "customAttributes": customAttributes = value.string
      case "initialEmail": initialEmail = value.string
      case "providerUserInfo":
        listsProviders = true
        for entry in value.array ?? [] {
          LinkedIdentity(exported: entry).map { link($0) }
        }
      case "mfaInfo": factors = (value.array ?? []).compactMap(SecondFactor.init(exported:))
      case "passkeyInfo": passkeys = (value.array ?? []).compactMap(Passkey.init(exported:))
      case "createdAt": createdAt = Self.moment(value)
      case "lastLoginAt": lastLoginAt = Self.moment(value)
      case "lastRefreshAt":
        lastRefreshAt = value.string.flatMap(Timestamp.milliseconds(of:))
      case "validSince": validSince = Self.moment(value)
      default: setFurther(name, value)
      }
    }
    // An export lacks this time; as far as it shows, the newest session began no later than the last refresh.
    newestSession = (lastRefreshAt ?? 0) / 1000
    updateProviders()
  }

  /// A time; 64-bit numbers are strings in Google's JSON.
  private static func moment(_ value: JSON) -> Int64? {
    value.integer ?? value.string.flatMap { Int64($0) }
  }
}

extension LinkedIdentity {
  fileprivate init?(exported entry: JSON) {
    guard let providerID = entry["providerId"]?.string, !providerID.isEmpty else { return nil }
    let federatedID = entry["federatedId"]?.string
    // Exports of Google's servers lack the raw id of some providers.
    let rawID = entry["rawId"]?.string ?? federatedID ?? entry["phoneNumber"]?.string
    guard let rawID, !rawID.isEmpty else { return nil }
    self.init(
      providerID: providerID, rawID: rawID, email: entry["email"]?.string,
      displayName: entry["displayName"]?.string, photoURL: entry["photoUrl"]?.string,
      screenName: entry["screenName"]?.string, phoneNumber: entry["phoneNumber"]?.string)
    self.federatedID = federatedID == rawID ? nil : federatedID
    showsFederatedID = federatedID != nil
  }
}

extension SecondFactor {
  fileprivate init?(exported entry: JSON) {
    guard let id = entry["mfaEnrollmentId"]?.string else { return nil }
    self.init(
      id: id, displayName: entry["displayName"]?.string, enrolledAt: entry["enrolledAt"]?.string,
      phoneNumber: entry["unobfuscatedPhoneInfo"]?.string ?? entry["phoneInfo"]?.string)
  }
}

extension Passkey {
  fileprivate init?(exported entry: JSON) {
    guard let id = entry["credentialId"]?.string else { return nil }
    self.init(credentialID: id, name: entry["name"]?.string)
  }
}
