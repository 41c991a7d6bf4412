internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// The shortest and the longest life of a session cookie, in seconds.
  private static let cookieLifetimes: ClosedRange<Double> = 300...1_209_600

  /// `projects:createSessionCookie`: the claims of an ID token under another issuer, for longer.
  func createSessionCookie(_ call: Call) throws(Refusal) -> JSONObject {
    guard let idToken = call.fields.text("idToken") else { throw Refusal(.missingIDToken) }
    let namesTenant = call.ids.count > 1 || call.fields.text("tenantId") != nil
    guard tenantID == nil || namesTenant || !rules[.knownTenantsOnly] else {
      throw Refusal(.tenantIDMismatch, "Specified tenant ID mismatches with the ID token.")
    }
    var duration = ScriptNumber.parse(call.fields.text("validDuration") ?? "0") ?? 0
    if duration == 0 { duration = Self.cookieLifetimes.upperBound }
    guard Self.cookieLifetimes.contains(duration) else { throw Refusal(.invalidDuration) }
    _ = try verify(idToken: idToken)
    guard var claims = UnsignedToken.claims(of: idToken) else { throw Refusal(.invalidIDToken) }
    let audience = claims["aud"]?.string ?? project.id
    claims["iat"] = .integer(now)
    claims["exp"] =
      duration == duration.rounded()
      ? .integer(now + Int64(duration)) : .number(Double(now) + duration)
    claims["iss"] = .string("https://session.firebase.google.com/\(audience)")
    return ["sessionCookie": .string(try sign(claims, for: .sessionCookies))]
  }
}
