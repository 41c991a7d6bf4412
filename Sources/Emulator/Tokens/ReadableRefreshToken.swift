internal import System

/// The refresh tokens of Firebase's emulator: they contain the whole session and never expire.
struct ReadableRefreshToken {
  let uid: String
  let projectID: String
  let tenantID: String?
  let session: SignInSession

  var text: String {
    var object: JSONObject = [
      "_AuthEmulatorRefreshToken": "DO NOT MODIFY", "localId": .string(uid),
      "provider": .string(session.provider), "extraClaims": .object(session.extraClaims),
      "projectId": .string(projectID),
    ]
    if let factor = session.secondFactor {
      object["secondFactor"] = [
        "identifier": .string(factor.id), "provider": .string(factor.provider),
      ]
    }
    object.set("tenantId", tenantID)
    return Base64.encode(JSON.object(object).encodedBytes())
  }

  /// Parses a token, whose fields may be missing; nil if it is not a token of this kind.
  init?(_ text: String) {
    guard let json = try? JSON.parse(Base64.decodeLeniently(text)),
      ScriptValue.isTrue(json["_AuthEmulatorRefreshToken"])
    else { return nil }
    var session = SignInSession(provider: json["provider"]?.string ?? "", authTime: 0)
    session.extraClaims = json["extraClaims"]?.object ?? JSONObject()
    if let factor = json["secondFactor"], let id = factor["identifier"]?.string,
      let provider = factor["provider"]?.string
    {
      session.secondFactor = SignInSession.UsedFactor(id: id, provider: provider)
    }
    self.init(
      uid: json["localId"]?.string ?? "", projectID: json["projectId"]?.string ?? "",
      tenantID: json["tenantId"]?.string, session: session)
  }

  init(uid: String, projectID: String, tenantID: String?, session: SignInSession) {
    self.uid = uid
    self.projectID = projectID
    self.tenantID = tenantID
    self.session = session
  }
}
