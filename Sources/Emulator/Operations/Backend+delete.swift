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
}
