internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:delete`: the account of a recent sign-in, or for an administrator any account.
  func delete(_ call: Call) throws(Refusal) -> JSONObject {
    let idToken = try call.fields.string("idToken")
    let localID = try call.fields.string("localId")
    let uid: String
    if call.isAdmin {
      guard let localID, !localID.isEmpty else { throw Refusal(.missingLocalID) }
      guard accounts[uid: localID] != nil else { throw Refusal(.userNotFound) }
      uid = localID
    } else {
      guard let idToken, !idToken.isEmpty else { throw Refusal(.missingIDToken) }
      guard !rules[.projectSettings] || permits("disabledUserDeletion") else {
        throw Refusal(.adminOnlyOperation)
      }
      let token = try verify(idToken: idToken)
      try requireRecentLogin(token)
      uid = token.account.uid
    }
    accounts.remove(uid: uid)
    sessions.revoke(uid: uid)
    return ["kind": "identitytoolkit#DeleteAccountResponse"]
  }
}
