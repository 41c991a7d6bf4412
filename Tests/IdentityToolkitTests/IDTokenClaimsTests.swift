@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct IDTokenClaimsTests {
  private func token(_ payload: String) -> String {
    "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(Base64URL.encode(Array(payload.utf8)))."
  }

  @Test func `claims are read without a signature`() throws {
    let claims = try IDTokenClaims(
      decoding: token(
        #"""
        {"sub":"U1","user_id":"U1","iat":10,"exp":3610,"auth_time":9.5,"role":"admin",
         "firebase":{"sign_in_provider":"microsoft.com","tenant":"T1",
         "sign_in_second_factor":"totp"}}
        """#))
    #expect(claims.userID == "U1")
    #expect(claims.issuedAt == 10)
    #expect(claims.expiresAt == 3610)
    #expect(claims.authTime == 9)
    #expect(claims.signInProvider == "microsoft.com")
    #expect(claims.signInSecondFactor == "totp")
    #expect(claims.claims["firebase"]?["tenant"] == "T1")
    #expect(claims.claims["role"] == "admin")
  }

  @Test(arguments: ["", "a.b", "a.b.c.d", "eyJ.!!!.x", "a.YWJj.b", "a.W10.b", "a.e30=.b.c"])
  func `what is no ID token is malformed, and not quoted`(_ text: String) {
    let error = #expect(throws: IDTokenClaims.Malformed.self) {
      try IDTokenClaims(decoding: text)
    }
    #expect(error?.message.contains("!!!") == false)
  }

  @Test func `a time beyond all numbers is no time`() throws {
    #expect(try IDTokenClaims(decoding: token(#"{"exp":1e300}"#)).expiresAt == nil)
  }
}
