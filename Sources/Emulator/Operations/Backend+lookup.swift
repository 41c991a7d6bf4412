internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:lookup`: the account of an ID token, or for an administrator those with given ids.
  func lookup(_ call: Call) throws(Refusal) -> JSONObject {
    let idToken = try call.fields.string("idToken")
    var found: [Account] = []
    if call.isAdmin {
      for uid in try call.fields.strings("localId") ?? [] {
        if let account = accounts[uid: uid] { found.append(account) }
      }
      for email in try call.fields.strings("email") ?? [] {
        if let account = accounts[email: email.asciiLowercased] { found.append(account) }
      }
    } else {
      guard let idToken, !idToken.isEmpty else { throw Refusal(.missingIDToken) }
      found = [try verify(idToken: idToken).account]
    }
    var answer: JSONObject = ["kind": "identitytoolkit#GetAccountInfoResponse"]
    var seen: Set<ExactString> = []
    let users = found.filter { seen.insert(ExactString(string: $0.uid)).inserted }.map(\.wire)
    if !users.isEmpty { answer["users"] = .array(users) }
    return answer
  }
}
