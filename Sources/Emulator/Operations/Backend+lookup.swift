internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:lookup`: returns the account of an ID token, or for an administrator those with given ids.
  func lookup(_ call: Call) throws(Refusal) -> JSONObject {
    var users: [JSON]
    if call.isAdmin, !rules[.googleAnswers] || Self.namesAccounts(call.fields) {
      users = try find(call.fields).map { wire($0) }
    } else {
      guard let idToken = idToken(of: call.fields) else { throw Refusal(.missingIDToken) }
      users = [wire(try verify(idToken: idToken).account)]
    }
    var answer: JSONObject = ["kind": "identitytoolkit#GetAccountInfoResponse"]
    if !users.isEmpty { answer["users"] = .array(users) }
    return answer
  }

  private static func namesAccounts(_ fields: Fields) -> Bool {
    let lists = ["localId", "email", "phoneNumber", "federatedUserId", "initialEmail"]
    return lists.contains { fields.value($0)?.array?.isEmpty == false }
  }

  /// The account as responses show it; only downloads contain real hashes.
  func wire(_ account: Account, isDownload: Bool = false) -> JSON {
    account.wire(showsHash: isDownload || !rules[.hashedPasswords], tenantID: tenantID, rules)
  }

  /// The accounts that an administrator's request names, each once, in the order of its lists.
  private func find(_ fields: Fields) throws(Refusal) -> [Account] {
    if fields.has("initialEmail"), !rules[.googleAnswers] {
      throw .notImplemented("Lookup by initialEmail is not implemented.")
    }
    var found: [Account] = []
    for uid in try fields.strings("localId") ?? [] {
      if let account = accounts[uid: uid] { found.append(account) }
    }
    for email in try fields.strings("email") ?? [] {
      found += accounts.accounts(withEmail: lowered(email: email))
    }
    for number in try fields.strings("phoneNumber") ?? [] {
      if let account = accounts[phone: number] { found.append(account) }
    }
    for identity in fields.value("federatedUserId")?.array ?? [] {
      guard let provider = identity["providerId"]?.string, let rawID = identity["rawId"]?.string
      else { continue }
      let account =
        switch provider {
        case "phone": accounts[phone: rawID]
        case "password":
          accounts[email: rawID].flatMap { owner in
            owner.identity(at: "password") == nil ? nil : owner
          }
        default: accounts[IdentityKey(providerID: provider, rawID: rawID)]
        }
      if let account { found.append(account) }
    }
    for email in try fields.strings("initialEmail") ?? [] {
      if let account = accounts[initialEmail: lowered(email: email)] { found.append(account) }
    }
    guard found.count > 1 else { return found }
    var seen: Set<ExactString> = []
    return found.filter { seen.insert(ExactString(string: $0.uid)).inserted }
  }
}
