internal import System
internal import HTTP

extension IdentityProviders {
  /// Yahoo's social profile; a token can read the profile of its own user only.
  func yahooProfile(
    _ request: HTTPRequest, provider: IdentityProvider, guid: String
  ) -> ServerResponse {
    guard let (person, token) = bearer(request, provider: provider) else {
      var response = yahooError(
        401, "Please provide valid credentials: the access token is missing, unknown or expired")
      response.headers.set("WWW-Authenticate", "Bearer realm=\"yahooapis.com\"")
      return response
    }
    let own = person.subject(at: provider.id)
    guard ExactString(guid) == ExactString(own) || guid == "me" else {
      return yahooError(403, "this access token opens the profile of its own user only")
    }
    var profile: JSONObject = [
      "guid": .string(own), "nickname": .string(person.givenName),
      "givenName": .string(person.givenName), "familyName": .string(person.familyName),
      "lang": "en-US",
      "uri": .string("\(context.origin)/social.yahooapis.com/v1/user/\(own)/profile"),
    ]
    if token.grant.scopes.contains("email") {
      profile["emails"] = [
        ["handle": .string(person.email), "id": 1, "primary": true, "type": "HOME"]
      ]
    }
    if let photo = person.photo, photo.contains(":") {
      profile["image"] = [
        "imageUrl": .string(photo), "size": "192x192", "width": 192, "height": 192,
      ]
    }
    return ServerResponse(
      json: ["profile": .object(profile)], headers: ["Cache-Control": "no-store"])
  }

  private func yahooError(_ status: Int, _ message: String) -> ServerResponse {
    ServerResponse(
      status: status, json: ["error": ["lang": "en-US", "description": .string(message)]])
  }
}
