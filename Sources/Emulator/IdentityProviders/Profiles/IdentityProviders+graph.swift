internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// Microsoft Graph's profile of the signed-in user.
  func graphProfile(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    guard let (person, _) = bearer(request, provider: provider) else { return graphStranger }
    let profile: JSONObject = [
      "@odata.context": .string(
        "\(context.origin)/graph.microsoft.com/v1.0/$metadata#users/$entity"),
      "businessPhones": [],
      "displayName": .string(person.name),
      "givenName": .string(person.givenName),
      "jobTitle": person.microsoft.isPersonal ? .null : "Engineer",
      "mail": .string(person.email),
      "mobilePhone": .null,
      "officeLocation": .null,
      "preferredLanguage": person.microsoft.isPersonal ? .null : "en-US",
      "surname": .string(person.familyName),
      "userPrincipalName": .string(person.email),
      "id": .string(person.microsoft.graphID),
    ]
    return ServerResponse(json: .object(profile), headers: ["Cache-Control": "no-store"])
  }

  /// The photo itself; Microsoft's API has no URL for it.
  func graphPhoto(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    guard let (person, _) = bearer(request, provider: provider) else { return graphStranger }
    // A test user configured with `photo = ""` has no photo.
    if person.photo == "" {
      return graphError(404, "ImageNotFound", "the person has no photo")
    }
    let photo = PersonPhoto(seed: Digest.sha256(Array(person.email.utf8)))
    return ServerResponse(
      headers: ["Content-Type": "image/png", "Cache-Control": "private, no-store"],
      body: photo.png)
  }

  private var graphStranger: ServerResponse {
    var response = graphError(
      401, "InvalidAuthenticationToken", "the access token is missing, unknown or expired")
    response.headers.set("WWW-Authenticate", "Bearer realm=\"\"")
    return response
  }

  private func graphError(_ status: Int, _ code: String, _ message: String) -> ServerResponse {
    ServerResponse(
      status: status,
      json: [
        "error": [
          "code": .string(code), "message": .string(message),
          "innerError": ["request-id": .string(SecureRandom.token(bytes: 12))],
        ]
      ])
  }
}
