@testable import Client
@testable import System
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite("Custom tokens", .timeLimit(.minutes(1)))
struct CustomTokenTests {
  @Test func `a custom token is signed with the service account's key`() async throws {
    let signer = try Signer()
    let admin = try signer.admin(tenantID: "red")
    let text = try await admin.createCustomToken("ada", claims: ["plan": "gold"]).reveal()
    let token = try JWT(decoding: text)
    try token.verify(
      KeySet([try SigningKey(pem: signer.key("stranger").privatePEM)]), algorithms: [.rs256])
    #expect(
      token.claims == [
        "iss": "a@signer.example", "sub": "a@signer.example", "uid": "ada", "tenant_id": "red",
        "aud":
          "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
        "iat": .integer(Signer.now), "exp": .integer(Signer.now + 3600), "claims": ["plan": "gold"],
      ])
    #expect(signer.requests.isEmpty)
  }

  @Test func `on an emulator that has no service account nobody signs`() async throws {
    let signer = try Signer()
    let admin = try signer.admin(emulated: true, hasKey: false)
    let text = try await admin.createCustomToken("ada").reveal()
    #expect(text.hasSuffix("."))
    let token = try JWT(decoding: text)
    #expect(token.header == ["alg": "none", "typ": "JWT"])
    #expect(token.claims["uid"] == "ada")
    #expect(token.claims["iss"] == "firebase-auth-emulator@example.com")
    #expect(token.claims["claims"] == nil)
    #expect(token.claims["tenant_id"] == nil)
    #expect(signer.requests == ["127.0.0.1/emulator/v1/projects/demo-signer/serviceAccount"])
  }

  @Test(arguments: [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat",
    "iss", "jti", "nbf", "nonce", "sub",
  ])
  func `a reserved claim is refused by name`(name: String) async throws {
    let admin = try Signer().admin()
    let error = await #expect(throws: AdminError.self) {
      try await admin.createCustomToken("ada", claims: ["plan": "gold", name: 1])
    }
    #expect(error?.code == .invalidClaims)
    #expect(error?.message.hasSuffix(": \(name)") == true)
  }
}
