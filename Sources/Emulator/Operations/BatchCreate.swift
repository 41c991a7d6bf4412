internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `accounts:batchCreate`: imports accounts; a bad row is reported in `error`, and the others are stored.
  func batchCreate(_ call: Call) throws(Refusal) -> JSONObject {
    let rows = call.fields.value("users")?.array ?? []
    guard !rows.isEmpty else { throw Refusal(.missingUserAccount) }
    let isSane = try call.fields.bool("sanityCheck") == true
    // Measured: a row overwrites an account or an earlier row, even if the request does not allow it.
    let overwrites = try call.fields.bool("allowOverwrite") == true || rules[.googleAnswers]
    if isSane { try checkForDuplicates(rows) }
    if !overwrites {
      var seen: Set<ExactString> = []
      seen.reserveCapacity(rows.count)
      for row in rows {
        let uid = row["localId"]?.string ?? ""
        guard seen.insert(ExactString(string: uid)).inserted else {
          throw Refusal(verbatim: "DUPLICATE_LOCAL_ID : \(uid)")
        }
      }
    }
    let upload = AccountUpload(
      hashing: try hashing(of: rows, call.fields), isSane: isSane, overwrites: overwrites)
    var errors: [JSON] = []
    for (index, row) in rows.enumerated() {
      do throws(Refusal) {
        try store(row.object ?? JSONObject(), upload)
      } catch {
        errors.append([
          "index": .integer(Int64(index)), "message": .string(AccountUpload.message(of: error)),
        ])
      }
    }
    return ["kind": "identitytoolkit#UploadAccountResponse", "error": .array(errors)]
  }

  /// Refuses an upload that contains an address or an identity twice, compared as written.
  private func checkForDuplicates(_ rows: [JSON]) throws(Refusal) {
    if hasOneAccountPerEmail {
      var seen: Set<ExactString> = []
      for row in rows {
        guard let email = row["email"]?.string, !email.isEmpty else { continue }
        guard seen.insert(ExactString(string: email)).inserted else {
          throw Refusal(.duplicateEmail, email)
        }
      }
    }
    var seen: Set<IdentityKey> = []
    for row in rows {
      for identity in row["providerUserInfo"]?.array ?? [] {
        let provider = identity["providerId"]?.string ?? "undefined"
        let rawID = identity["rawId"]?.string ?? "undefined"
        guard seen.insert(IdentityKey(providerID: provider, rawID: rawID)).inserted else {
          throw Refusal(.duplicateRawID, "Provider id(\(provider)), Raw id(\(rawID))")
        }
      }
    }
  }

  /// How the hashes of the upload were made; nil if nothing verifies hashes, or there are none.
  private func hashing(of rows: [JSON], _ fields: Fields) throws(Refusal) -> PasswordHashing? {
    guard rules[.hashedPasswords],
      rows.contains(where: { row in
        row["passwordHash"]?.string.map { !$0.isEmpty && !PasswordRecord.isReadable($0) } ?? false
      }), fields.text("hashAlgorithm") != nil
    else { return nil }
    do throws(PasswordHashingError) {
      return try PasswordHashing(wire: fields.object)
    } catch {
      throw Refusal(verbatim: error.code.rawValue)
    }
  }

  // MARK: One row

  private func store(_ row: JSONObject, _ upload: AccountUpload) throws(Refusal) {
    let fields = Fields(row)
    guard let uid = fields.text("localId") else { throw Refusal(verbatim: "localId is missing") }
    if let tenant = fields.text("tenantId"),
      !sameText(tenantID, tenant)
    {
      throw Refusal(verbatim: "Tenant id in userInfo does not match the tenant id in request.")
    }
    var account = Account(uid: uid)
    account.displayName = try fields.string("displayName")
    account.photoURL = try fields.string("photoUrl")
    if let text = written("lastLoginAt", fields) { account.write(text, to: .lastLoginAt) }
    if let record = try password(fields, upload) {
      account.password = record
      account.passwordUpdatedAt = nowMilliseconds
    }
    if let claims = fields.text("customAttributes") {
      try CustomClaimsLimits.check(claims, rules)
      account.customAttributes = claims
    }
    account.listsProviders = row["providerUserInfo"] != nil
    var identities: [LinkedIdentity] = []
    for identity in row["providerUserInfo"]?.array ?? [] {
      if let link = try identity.object.flatMap({ (info) throws(Refusal) in
        try uploadedIdentity(Fields(info), of: uid)
      }) {
        identities.append(link)
      }
    }
    if rules[.realProviders] {
      for identity in identities { account.link(identity) }
    } else {
      account.upload(identities)
    }
    if let number = fields.text("phoneNumber") {
      guard let normalized = try? normalized(number: number) else {
        throw Refusal(verbatim: "phone number format is invalid")
      }
      account.phoneNumber = normalized
    }
    if rules[.googleAnswers] { beginSessions(of: &account) } else { account.validSince = now }
    account.createdAt = nowMilliseconds
    if let text = written("createdAt", fields), ScriptNumber.parse(text) != nil {
      account.write(text, to: .createdAt)
    }
    if let email = fields.text("email") {
      account.email = try uploadedAddress(email, of: uid, upload)
    }
    account.emailVerified = try fields.bool("emailVerified") ?? false
    account.disabled = try fields.bool("disabled") ?? false
    if let factors = row["mfaInfo"]?.array, !factors.isEmpty {
      account.factors = try uploadedFactors(factors, of: account)
    }
    guard upload.overwrites || accounts[uid: uid] == nil else {
      throw Refusal(
        verbatim: "localId belongs to an existing account - can not overwrite.")
    }
    if rules[.revocableSessions], accounts[uid: uid] != nil { sessions.revoke(uid: uid) }
    accounts.save(&account, overwriting: true)
  }

  /// A string as written; in Firebase's emulator an empty one counts as present.
  private func written(_ key: String, _ fields: Fields) -> String? {
    rules[.protobufJSON] ? fields.text(key) : fields.value(key)?.string
  }

  private func password(
    _ fields: Fields, _ upload: AccountUpload
  ) throws(Refusal) -> PasswordRecord? {
    let salt = written("salt", fields)
    if let hash = fields.text("passwordHash") {
      guard let hashing = upload.hashing, !PasswordRecord.isReadable(hash) else {
        return PasswordRecord(hash: hash, salt: salt, hashing: nil)
      }
      guard let bytes = Base64.decodeAnyAlphabet(hash) else {
        throw Refusal(verbatim: "password hash is not base64")
      }
      guard let saltBytes = Base64.decodeAnyAlphabet(salt ?? "") else {
        throw Refusal(verbatim: "salt is not base64")
      }
      return PasswordRecord(hash: bytes, salt: salt == nil ? nil : saltBytes, hashing: hashing)
    }
    guard let password = fields.text("rawPassword") else { return nil }
    if rules[.hashedPasswords] {
      return PasswordRecord(hashing: password, by: project.passwordHashing)
    }
    return PasswordRecord(readable: password, salt: salt?.isEmpty == true ? nil : salt)
  }

  /// One entry of `providerUserInfo`; nil for password and phone, which follow from other fields.
  private func uploadedIdentity(
    _ info: Fields, of uid: String
  ) throws(Refusal) -> LinkedIdentity? {
    let providerID = info.text("providerId")
    guard providerID != "password", providerID != "phone" else { return nil }
    guard let providerID, let rawID = info.text("rawId") else {
      throw Refusal(
        verbatim: info.text("federatedId") == nil
          ? "federatedId or (providerId & rawId) is required"
          : "((Parsing federatedId is not implemented in Auth Emulator; please specify providerId "
            + "AND rawId as a workaround.))")
    }
    let identity = LinkedIdentity(
      given: info, providerID: providerID, rawID: rawID, keepsEmpty: !rules[.protobufJSON])
    if let owner = accounts[identity.key],
      !sameText(owner.uid, uid)
    {
      throw Refusal(verbatim: "raw id exists in other account in database")
    }
    return identity
  }

  private func uploadedAddress(
    _ email: String, of uid: String, _ upload: AccountUpload
  ) throws(Refusal) -> String {
    guard let address = normalized(email: email) else {
      throw Refusal(verbatim: "email is invalid")
    }
    // Firebase's emulator compares before it converts to lower case, so it misses other spellings. Measured: Google's
    // servers import an address for several accounts.
    let compared = rules[.emailFormat] ? address : email
    let isChecked =
      !rules[.emailFormat] || hasOneAccountPerEmail && upload.isSane
    if isChecked, let owner = accounts[email: compared],
      !sameText(owner.uid, uid)
    {
      throw Refusal(
        verbatim: upload.isSane && hasOneAccountPerEmail
          ? "email exists in other account in database"
          : "((Auth Emulator does not support importing duplicate email: \(email)))")
    }
    return address
  }

  private func uploadedFactors(
    _ enrollments: [JSON], of account: Account
  ) throws(Refusal) -> [SecondFactor] {
    guard account.email != nil else {
      throw Refusal(verbatim: "Second factor account requires email to be presented.")
    }
    guard account.isEmailVerified else {
      throw Refusal(verbatim: "Second factor account requires email to be verified.")
    }
    var ids: Set<ExactString> = []
    for enrollment in enrollments {
      guard let id = enrollment["mfaEnrollmentId"]?.string, !id.isEmpty else { continue }
      guard ids.insert(ExactString(string: id)).inserted else {
        throw Refusal(verbatim: "Enrollment id already exists.")
      }
    }
    var factors: [SecondFactor] = []
    var numbers: Set<ExactString> = []
    for enrollment in enrollments {
      let given = Fields(enrollment.object ?? JSONObject())
      guard !rules[.googleAnswers] || !given.has("totpInfo") else {
        throw Refusal(verbatim: "Importing TOTP MFA is not supported.")
      }
      guard let number = given.text("phoneInfo") else {
        throw Refusal(verbatim: "Second factor not supported.")
      }
      guard (try? checkFormat(ofNumber: number)) != nil else {
        throw Refusal(verbatim: "Phone number format is invalid")
      }
      guard numbers.insert(ExactString(string: number)).inserted else {
        throw Refusal(
          verbatim: "INTERNAL_ERROR : MFA Enrollment Phone Numbers must be unique.")
      }
      var factor = SecondFactor(
        id: given.text("mfaEnrollmentId") ?? newFactorID(),
        displayName: try given.string("displayName"))
      factor.enrolledAt =
        given.text("enrolledAt") ?? Timestamp.text(milliseconds: nowMilliseconds)
      factor.phoneNumber = number
      factors.append(factor)
    }
    return factors
  }
}

/// The settings of an import that hold for all rows.
struct AccountUpload {
  /// How the hashes were made; nil if nothing verifies them.
  let hashing: PasswordHashing?
  /// Whether rows are compared with each other and with all accounts.
  let isSane: Bool
  let overwrites: Bool

  /// The message for a refused row: Google's servers have sentences for refused claims.
  static func message(of refusal: Refusal) -> String {
    switch refusal.error {
    case .invalidClaims: "Invalid custom claims provided."
    case .claimsTooLarge: "Custom claims provided are too large."
    case .forbiddenClaim: "Custom claims provided include a reserved claim."
    default: refusal.message
    }
  }
}

/// The limits of the claims an administrator adds to an account.
enum CustomClaimsLimits {
  /// Refuses a text that is too long, is not a JSON object, or uses a reserved name.
  static func check(_ text: String, _ rules: Rules) throws(Refusal) {
    // JavaScript counts the length in UTF-16 units.
    let count = rules[.googleAnswers] ? text.utf8.count : text.utf16.count
    guard count <= 1000 else { throw Refusal(.claimsTooLarge) }
    if text.isEmpty { return }
    guard let parsed = ScriptValue.parse(text) else {
      throw Refusal(.invalidClaims, rules[.googleAnswers] ? GsonFault.message(of: text) : nil)
    }
    guard case .object(let object) = parsed else {
      throw Refusal(.invalidClaims, rules[.googleAnswers] ? "Not a JSON Object: \(text)" : nil)
    }
    try check(object)
  }

  static func check(_ claims: JSONObject) throws(Refusal) {
    for name in ReservedClaims.forbidden where claims[name] != nil {
      throw Refusal(.forbiddenClaim, name)
    }
  }
}
