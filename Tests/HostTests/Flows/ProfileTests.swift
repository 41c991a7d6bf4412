@testable import System
@testable import OIDC
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ProfileTests {
  // S24
  @Test func `the claims that rules see verify against the published keys`() async throws {
    let (answer, _) = try await Flow().answer(ofProgram: "Profile/claims")
    let token = try JWT(decoding: answer["token"]?.string ?? "")
    let keys = try KeySet(json: answer["keys"] ?? .null)
    try token.verify(keys, algorithms: [.rs256])
    let uid = try #require(answer["uid"]?.string)
    let claims = token.claims
    #expect(claims["iss"]?.string == "https://securetoken.google.com/demo-luath")
    #expect(claims["aud"]?.string == "demo-luath")
    #expect(claims["sub"]?.string == uid && claims["user_id"]?.string == uid)
    #expect(claims["email"]?.string == "ada@contoso.example")
    #expect(claims["email_verified"]?.bool == true, "Google vouches for it")
    #expect(claims["name"]?.string == "Ada, Countess")
    #expect(claims["picture"]?.string == "https://photo.example/a?b=c")
    let firebase = claims["firebase"]
    #expect(firebase?["sign_in_provider"]?.string == "google.com", "the last proof")
    for id in ["microsoft.com", "google.com"] {
      let identity = try #require(answer["names"]?[id])
      #expect(firebase?["identities"]?[id] == [identity])
    }
    #expect(firebase?["identities"]?["email"] == ["ada@contoso.example"])
    let (issued, expires) = (claims["iat"]?.integer ?? 0, claims["exp"]?.integer ?? 0)
    #expect(expires == issued + 3600 && (claims["auth_time"]?.integer ?? 0) <= issued)
    // Nobody else's keys open it, and no changed claim.
    let forged = try #require(answer["token"]?.string).split(separator: ".")
    let other = try JWT(
      decoding: "\(forged[0]).\(Base64URL.encode(Array(#"{"sub":"x"}"#.utf8))).\(forged[2])")
    #expect(throws: JOSEError.self) { try other.verify(keys, algorithms: [.rs256]) }
    #expect(throws: JOSEError.self) {
      try token.verify(
        try KeySet(json: ["keys": [.object(SigningKey.generate().publicJWK)]]), algorithms: [.rs256]
      )
    }
  }
}
