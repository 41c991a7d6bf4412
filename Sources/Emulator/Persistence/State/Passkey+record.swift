internal import System

extension Passkey: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["id": .string(credentialID)]
    record.set("name", name)
    return record
  }

  init?(record: JSONObject) {
    guard let id = record["id"]?.string else { return nil }
    self.init(credentialID: id, name: record["name"]?.string)
  }
}
