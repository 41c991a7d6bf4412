internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:delete`: deletes the account of a recent sign-in, or for an administrator any account.
  func delete(_ call: Call) throws(Refusal) -> JSONObject {
    let localID = try call.fields.string("localId")
    let doomed: Account
    if call.isAdmin {
      guard let localID, !localID.isEmpty else { throw Refusal(.missingLocalID) }
      guard let account = accounts[uid: localID] else { throw Refusal(.userNotFound) }
      doomed = account
    } else {
      guard let idToken = idToken(of: call.fields) else { throw Refusal(.missingIDToken) }
      guard !rules[.projectSettings] || permits("disabledUserDeletion") else {
        throw Refusal(.adminOnlyOperation)
      }
      let token = try verify(idToken: idToken)
      try requireRecentLogin(token)
      doomed = token.account
    }
    remove(doomed)
    return ["kind": "identitytoolkit#DeleteAccountResponse"]
  }

  /// `accounts:batchDelete`: deletes up to a thousand accounts; enabled ones only with `force`.
  func batchDelete(_ call: Call) throws(Refusal) -> JSONObject {
    let uids = try call.fields.strings("localIds") ?? []
    guard (1...1000).contains(uids.count) else { throw Refusal(.localIDListExceedsLimit) }
    let isForced = try call.fields.bool("force") == true
    var errors: [JSON] = []
    for (index, uid) in uids.enumerated() {
      guard let account = accounts[uid: uid] else { continue }
      guard account.isDisabled || isForced else {
        let refusal = Refusal(.notDisabled, "Disable the account before batch deletion.")
        errors.append([
          "index": .integer(Int64(index)), "localId": .string(uid),
          "message": .string(refusal.message),
        ])
        continue
      }
      remove(account)
    }
    return errors.isEmpty ? [:] : ["errors": .array(errors)]
  }
}
