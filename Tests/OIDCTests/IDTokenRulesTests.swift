@testable import System
@testable import OIDC
import Testing

@Suite("ID token rules", .timeLimit(.minutes(1)))
struct IDTokenRulesTests {
  static let now: Int64 = 1_800_000_000
  static let good: JSONObject = [
    "iss": "https://issuer.example", "aud": "client", "sub": "ada", "exp": .integer(now + 3600),
    "iat": .integer(now), "nonce": "n-1",
  ]

  private func verdict(
    _ changes: [String: JSON?] = [:], nonce: IDTokenRules.NonceRule = .exactly("n-1")
  ) throws -> OIDCError.Code? {
    let token = try JWT(
      decoding: Vectors.token(header: [:], claims: Self.good.with(changes)))
    let rules = IDTokenRules(
      issuer: "https://issuer.example", audience: "client", nonce: nonce, now: Self.now)
    do throws(OIDCError) {
      try rules.check(token)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `a token that keeps every rule is accepted`() throws {
    #expect(try verdict() == nil)
    #expect(try verdict(["aud": ["client"]]) == nil)
    #expect(try verdict(["aud": ["other", "client"], "azp": "client"]) == nil)
    #expect(try verdict(["azp": "client"]) == nil)
    #expect(try verdict(["auth_time": 1_795_170_281.603128]) == nil)
    #expect(try verdict(["nbf": .integer(Self.now)]) == nil)
  }

  @Test func `the issuer must be the same to the byte`() throws {
    #expect(try verdict(["iss": "https://issuer.example/"]) == .wrongIssuer)
    #expect(try verdict(["iss": "https://ISSUER.example"]) == .wrongIssuer)
    #expect(try verdict(["iss": .none]) == .malformedClaims)
    #expect(try verdict(["iss": ["https://issuer.example"]]) == .malformedClaims)
  }

  @Test func `the token must be for this client`() throws {
    #expect(try verdict(["aud": "other"]) == .wrongAudience)
    #expect(try verdict(["aud": ["other"]]) == .wrongAudience)
    #expect(try verdict(["aud": []]) == .wrongAudience)
    #expect(try verdict(["aud": ["client", "other"]]) == .wrongAudience)
    #expect(try verdict(["aud": ["client", "other"], "azp": "other"]) == .wrongAudience)
    #expect(try verdict(["azp": "other"]) == .wrongAudience)
    #expect(try verdict(["aud": .none]) == .malformedClaims)
    #expect(try verdict(["aud": 1]) == .malformedClaims)
    #expect(try verdict(["aud": ["client", 1]]) == .malformedClaims)
    #expect(try verdict(["azp": 1]) == .malformedClaims)
  }

  @Test func `times count with one minute of leeway`() throws {
    func at(_ difference: Int64) -> JSON { .integer(Self.now + difference) }
    #expect(try verdict(["exp": at(-59)]) == nil)
    #expect(try verdict(["exp": at(-60)]) == .expired)
    #expect(try verdict(["exp": .number(Double(Self.now) - 59.5)]) == nil)
    #expect(try verdict(["iat": at(60)]) == nil)
    #expect(try verdict(["iat": at(61)]) == .notYetValid)
    #expect(try verdict(["nbf": at(60)]) == nil)
    #expect(try verdict(["nbf": at(61)]) == .notYetValid)
    #expect(try verdict(["exp": .integer(.max)]) == nil)
    #expect(try verdict(["exp": .integer(.min)]) == .expired)
    for name in ["exp", "iat"] { #expect(try verdict([name: .none]) == .malformedClaims) }
    for name in ["exp", "iat", "nbf", "auth_time"] {
      #expect(try verdict([name: "1800000000"]) == .malformedClaims)
    }
  }

  @Test func `a subject is required`() throws {
    #expect(try verdict(["sub": .none]) == .malformedClaims)
    #expect(try verdict(["sub": ""]) == .malformedClaims)
    #expect(try verdict(["sub": 7]) == .malformedClaims)
    #expect(try verdict(["sub": .string(String(repeating: "a", count: 255))]) == nil)
    #expect(try verdict(["sub": .string(String(repeating: "a", count: 256))]) == .malformedClaims)
  }

  @Test(
    arguments: [
      (nil, nil), ("JWT", nil), ("jwt", nil), ("application/jwt", nil), ("Application/JWT", nil),
      ("at+jwt", .malformedClaims), ("application/at+jwt", .malformedClaims),
      ("logout+jwt", .malformedClaims), ("secevent+jwt", .malformedClaims),
      ("dpop+jwt", .malformedClaims), ("", .malformedClaims), (1, .malformedClaims),
      (["JWT"], .malformedClaims),
    ] as [(JSON?, OIDCError.Code?)])
  func `a token of another kind is no ID token`(type: JSON?, code: OIDCError.Code?) throws {
    let header = JSONObject().with(["typ": type])
    let token = try JWT(decoding: Vectors.token(header: header, claims: Self.good))
    let rules = IDTokenRules(
      issuer: "https://issuer.example", audience: "client", nonce: .exactly("n-1"), now: Self.now)
    do throws(OIDCError) {
      try rules.check(token)
      #expect(code == nil)
    } catch {
      #expect(error.code == code)
    }
  }

  @Test func `a logout token is no ID token, whatever its header`() throws {
    let event = JSON.object(["http://schemas.openid.net/event/backchannel-logout": [:]])
    #expect(try verdict(["events": event]) == .malformedClaims)
    // A claim of that name with something else in it is the provider's own matter.
    #expect(try verdict(["events": ["party"]]) == nil)
  }

  @Test func `the nonce rule binds`() throws {
    #expect(try verdict(["nonce": "n-2"]) == .wrongNonce)
    #expect(try verdict(["nonce": .none]) == .missingNonce)
    #expect(try verdict(["nonce": 1]) == .wrongNonce)
    #expect(try verdict(nonce: .absent) == .wrongNonce)
    #expect(try verdict(["nonce": .none], nonce: .absent) == nil)
    #expect(try verdict(["nonce": "n-2"], nonce: .unchecked) == nil)
  }
}
