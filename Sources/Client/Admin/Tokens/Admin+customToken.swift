public import System
import HTTP
import IdentityToolkit
import OIDC

extension Admin {
  /// The `aud` of every custom token.
  static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  /// The lifetime of a custom token in seconds.
  private static let customTokenLifetime: Int64 = 3600
  /// The issuer when there is no key; Firebase's Admin SDKs use the same name.
  private static let nobody = "firebase-auth-emulator@example.com"

  /// Creates a token with which a client signs in as this uid; `claims` are added to its ID tokens.
  ///
  /// On an emulator without `serviceAccount`, it is signed by the emulator's own service account,
  /// or not at all if the emulator has none.
  public func createCustomToken(
    _ uid: String, claims: JSONObject? = nil
  ) async throws(AdminError) -> Secret {
    try Self.check(uid: uid)
    let claims = try claims.map { (claims) throws(AdminError) in
      try CustomClaims.checked(.object(claims))
    }
    guard serviceAccount == nil, case .emulator(let emulator) = target.backend else {
      return try customToken(uid, claims, by: serviceAccount, now: clock.now)
    }
    let project = PercentEncoding.encode(target.projectID)
    let key = try await emulated(
      "\(emulator.origin)/emulator/v1/projects/\(project)/serviceAccount")
    guard let key else { return try customToken(uid, claims, by: nil, now: clock.now) }
    // The emulator's clock may have been moved, and the times must fit it.
    let time = try await emulated("\(emulator.origin)/emulator/v1/clock")?["seconds"]?.integer
    let account = try ServiceAccount(json: .object(key), place: "the emulator's service account")
    return try customToken(uid, claims, by: account, now: time ?? clock.now)
  }

  private func customToken(
    _ uid: String, _ claims: JSONObject?, by account: ServiceAccount?, now: Int64
  ) throws(AdminError) -> Secret {
    let issuer = account?.clientEmail ?? Self.nobody
    var token: JSONObject = [
      "iss": .string(issuer), "sub": .string(issuer), "aud": .string(Self.customTokenAudience),
      "uid": .string(uid), "iat": .integer(now), "exp": .integer(now + Self.customTokenLifetime),
    ]
    if let claims, claims.count > 0 { token["claims"] = .object(claims) }
    if let tenantID { token["tenant_id"] = .string(tenantID) }
    guard let account else {
      let header: JSON = ["alg": "none", "typ": "JWT"]
      return Secret(
        "\(Base64URL.encode(header.encodedBytes())).\(Base64URL.encode(JSON.object(token).encodedBytes()))."
      )
    }
    do throws(JOSEError) {
      return Secret(try account.key.sign(token))
    } catch {
      throw AdminError(.invalidServiceAccount, error.message, hint: error.hint)
    }
  }

  /// Fetches JSON that only luath's emulator has; nil from another one.
  private func emulated(_ address: String) async throws(AdminError) -> JSONObject? {
    guard let url = WebURL(address) else { return nil }
    let request = HTTPRequest(url: url, headers: ["Authorization": "Bearer owner"])
    do {
      let response = try await transport.send(request)
      return response.status == 200 ? try? response.json().object : nil
    } catch {
      throw AdminError(.networkError, error.message, hint: error.hint)
    }
  }
}
