internal import System

/// A passkey of an account, by the id of its credential.
struct Passkey: Sendable {
  let credentialID: String
  var name: String?

  var wire: JSON {
    var entry: JSONObject = ["credentialId": .string(credentialID)]
    entry.set("name", name)
    return .object(entry)
  }
}
