internal import System
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// The shortest and the longest lifetime of a session cookie, in seconds.
  private static let cookieLifetimes: ClosedRange<Double> = 300...1_209_600

  /// `projects:createSessionCookie`: issues a cookie with the claims of an ID token, another
  /// issuer and a longer lifetime.
  func createSessionCookie(_ call: Call) throws(Refusal) -> JSONObject {
    guard let idToken = idToken(of: call.fields) else { throw Refusal(.missingIDToken) }
    var duration = ScriptNumber.parse(call.fields.text("validDuration") ?? "0") ?? 0
    // Firebase's emulator treats 0 like a missing duration.
    if duration == 0, !(rules[.googleAnswers] && call.fields.has("validDuration")) {
      duration = Self.cookieLifetimes.upperBound
    }
    guard Self.cookieLifetimes.contains(duration) else { throw Refusal(.invalidDuration) }
    guard try !verify(idToken: idToken).isLegacy else { throw Refusal(.invalidIDToken) }
    guard var claims = UnsignedToken.claims(of: idToken) else { throw Refusal(.invalidIDToken) }
    let audience = claims["aud"]?.string ?? project.id
    claims["iat"] = .integer(now)
    claims["exp"] =
      duration == duration.rounded()
      ? .integer(now + Int64(duration)) : .number(Double(now) + duration)
    claims["iss"] = .string("https://session.firebase.google.com/\(audience)")
    // Measured: the header of a session cookie has no `typ`.
    let type: String? = rules[.googleAnswers] ? nil : "JWT"
    return ["sessionCookie": .string(try sign(claims, for: .sessionCookies, type: type))]
  }
}
