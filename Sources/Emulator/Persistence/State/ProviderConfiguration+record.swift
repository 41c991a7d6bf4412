internal import System

extension ProviderConfiguration: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "id": .string(id), "enabled": .bool(isEnabled), "clientId": .string(clientID),
      "flow": .string(flow.rawValue),
    ]
    record.set("clientSecret", clientSecret?.reveal())
    record.set("issuer", issuer)
    record.set("displayName", displayName)
    if !permissions.isEmpty { record["permissions"] = .array(permissions.map { .string($0) }) }
    func keep(_ name: String, _ texts: [String]) {
      if !texts.isEmpty { record[name] = .array(texts.map { .string($0) }) }
    }
    keep("redirectUris", redirectURIs)
    keep("postLogoutRedirectUris", postLogoutRedirectURIs)
    if keepsRefreshTokens { record["refreshTokenRotation"] = false }
    if !further.isEmpty { record["further"] = .object(further) }
    return record
  }

  init?(record: JSONObject) {
    guard let id = record["id"]?.string,
      let flow = record["flow"]?.string.flatMap(Flow.init(rawValue:))
    else { return nil }
    self.init(id: id)
    isEnabled = record["enabled"]?.bool == true
    clientID = record["clientId"]?.string ?? ""
    clientSecret = record["clientSecret"]?.string.map { Secret($0) }
    issuer = record["issuer"]?.string
    self.flow = flow
    displayName = record["displayName"]?.string
    further = record["further"]?.object ?? JSONObject()
    func texts(_ name: String) -> [String] { record[name]?.array?.compactMap(\.string) ?? [] }
    permissions = texts("permissions")
    redirectURIs = texts("redirectUris")
    postLogoutRedirectURIs = texts("postLogoutRedirectUris")
    keepsRefreshTokens = record["refreshTokenRotation"]?.bool == false
  }
}
