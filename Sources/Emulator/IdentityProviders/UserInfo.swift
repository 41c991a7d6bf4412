internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The user and token behind a bearer token of this provider (RFC 6750 section 2.1).
  func bearer(_ request: HTTPRequest, provider: IdentityProvider) -> (Person, AccessToken)? {
    guard let header = request.headers["Authorization"], header.lowercased().hasPrefix("bearer "),
      let token = memory(of: provider).accessTokens[String(header.dropFirst(7))],
      context.clock.seconds < token.expiresAt, let person = person(token.grant.email, at: provider)
    else { return nil }
    return (person, token)
  }

  /// The userinfo endpoint (OpenID Connect Core 1.0, section 5.3).
  func userinfo(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    guard let (person, token) = bearer(request, provider: provider) else {
      var response = oauthError(
        401, "invalid_token", "the access token is missing, unknown or expired")
      let detail = request.headers["Authorization"] == nil ? "" : " error=\"invalid_token\""
      response.headers.set("WWW-Authenticate", "Bearer\(detail)")
      return response
    }
    let claims = ProviderClaims(
      person: person, provider: provider, clientID: token.grant.clientID,
      scopes: token.grant.scopes
    ).claims
    return ServerResponse(json: .object(claims), headers: ["Cache-Control": "no-store"])
  }
}

/// The claims of each provider about a user, in ID tokens and userinfo responses.
struct ProviderClaims {
  let person: Person
  let provider: IdentityProvider
  let clientID: String
  let scopes: [String]

  static func names(of kind: IdentityProvider.Kind) -> [String] {
    let common = [
      "sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "c_hash", "name", "email",
    ]
    if kind == .microsoft { return common + ["nbf", "oid", "tid", "preferred_username", "ver"] }
    let personal = ["email_verified", "given_name", "family_name", "picture"]
    return switch kind {
    case .google: common + personal + ["azp", "hd"]
    case .yahoo: common + personal + ["nickname", "locale", "profile_images"]
    default: common + personal + ["preferred_username"]
    }
  }

  var subject: String {
    provider.kind == .microsoft
      ? person.microsoftSubject(client: clientID) : person.subject(at: provider.id)
  }

  /// The claims that the granted scopes allow.
  var claims: JSONObject {
    var claims: JSONObject = ["sub": .string(subject)]
    if provider.kind == .microsoft {
      claims["oid"] = .string(person.microsoft.oid)
      claims["tid"] = .string(person.microsoft.tenantID)
      claims["ver"] = "2.0"
    }
    if isGranted("profile") { addProfile(to: &claims) }
    if isGranted("email") {
      claims["email"] = .string(person.email)
      // Microsoft does not assert that the address of a work account is verified, so neither do we.
      if provider.kind != .microsoft { claims["email_verified"] = .bool(person.isEmailVerified) }
      if provider.kind == .google, let domain = hostedDomain { claims["hd"] = .string(domain) }
    }
    return claims
  }

  /// Whether the scope was granted, by its own name or Google's long one.
  private func isGranted(_ scope: String) -> Bool {
    scopes.contains(scope)
      || scopes.contains("https://www.googleapis.com/auth/userinfo.\(scope)")
  }

  private func addProfile(to claims: inout JSONObject) {
    claims["name"] = .string(person.name)
    switch provider.kind {
    case .microsoft: claims["preferred_username"] = .string(person.email)
    case .yahoo:
      claims["nickname"] = .string(person.givenName)
      claims["locale"] = "en-US"
    case .google: break
    case .oidc: claims["preferred_username"] = .string(person.email)
    }
    guard provider.kind != .microsoft else { return }
    claims["given_name"] = .string(person.givenName)
    if !person.familyName.isEmpty { claims["family_name"] = .string(person.familyName) }
    if let photo = person.photo, photo.contains(":") {
      claims["picture"] = .string(photo)
      if provider.kind == .yahoo {
        claims["profile_images"] = ["image192": .string(photo)]
      }
    }
  }

  /// The domain of a Google Workspace account; gmail.com addresses have none.
  private var hostedDomain: String? {
    guard let at = person.email.lastIndex(of: "@") else { return nil }
    let domain = person.email[person.email.index(after: at)...].lowercased()
    return domain == "gmail.com" || domain == "googlemail.com" ? nil : domain
  }
}

extension Person {
  var givenName: String { name.split(separator: " ").first.map(String.init) ?? name }

  var familyName: String { name.split(separator: " ").dropFirst().joined(separator: " ") }
}

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
    guard sameText(guid, own) || guid == "me" else {
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

/// A user's photo, generated from the e-mail address: a mirrored pattern in one color, as a PNG.
struct PersonPhoto: Sendable {
  private let seed: [UInt8]
  private static let cell = 16
  private static let margin = 8
  static let side = cell * 5 + margin * 2

  /// - Parameter seed: at least eighteen bytes, different for each user.
  init(seed: [UInt8]) { self.seed = seed }

  /// The picture as a PNG file (ISO/IEC 15948): eight bits of palette.
  var png: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let side = Self.bigEndian(UInt32(Self.side))
    // Bit depth 8, color type 3 (palette), default compression, filter and interlace.
    file += Self.chunk("IHDR", side + side + [8, 3, 0, 0, 0])
    file += Self.chunk("PLTE", [0xF2, 0xF3, 0xF5] + colour)
    file += Self.chunk("IDAT", Zlib.compressed(pixels))
    file += Self.chunk("IEND", [])
    return file
  }

  private var colour: [UInt8] {
    // Dark enough to contrast with the light background, for all values.
    (0..<3).map { UInt8(40 + Int(seed[$0]) * 130 / 255) }
  }

  private var pixels: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.side * (Self.side + 1))
    for y in 0..<Self.side {
      bytes.append(0)
      for x in 0..<Self.side { bytes.append(isSet(x, y) ? 1 : 0) }
    }
    return bytes
  }

  private func isSet(_ x: Int, _ y: Int) -> Bool {
    let range = Self.margin..<Self.side - Self.margin
    guard range.contains(x), range.contains(y) else { return false }
    let column = (x - Self.margin) / Self.cell
    let row = (y - Self.margin) / Self.cell
    return seed[3 + row * 3 + min(column, 4 - column)] & 1 == 1
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + data
    return bigEndian(UInt32(data.count)) + content + bigEndian(Zlib.checksum(content))
  }
}
