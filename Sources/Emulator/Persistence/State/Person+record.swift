internal import System

extension Person: Recorded {
  var record: JSONObject {
    var microsoft: JSONObject = [
      "tenantId": .string(self.microsoft.tenantID), "oid": .string(self.microsoft.oid),
    ]
    microsoft.set("tenant", self.microsoft.tenant)
    var record: JSONObject = [
      "email": .string(email), "name": .string(name), "password": .string(password.reveal()),
      "emailVerified": .bool(isEmailVerified), "microsoft": .object(microsoft),
    ]
    record.set("photo", photo)
    if !subjects.isEmpty {
      record["subjects"] = .object(
        JSONObject(subjects.sorted { $0.key < $1.key }.map { ($0, .string($1)) }))
    }
    if let providers { record["providers"] = .array(providers.map { .string($0) }) }
    return record
  }

  init?(record: JSONObject) {
    guard let email = record["email"]?.string, let name = record["name"]?.string,
      let password = record["password"]?.string, let microsoft = record["microsoft"]
    else { return nil }
    self.init(
      email: email, name: name, password: Secret(password), photo: record["photo"]?.string,
      microsoft: MicrosoftAccount(
        email: email, tenant: microsoft["tenant"]?.string,
        tenantID: microsoft["tenantId"]?.string, oid: microsoft["oid"]?.string))
    for (id, subject) in record["subjects"]?.object?.entries ?? [] { subjects[id] = subject.string }
    providers = record["providers"]?.array?.compactMap(\.string)
    isEmailVerified = record["emailVerified"]?.bool == true
  }
}
