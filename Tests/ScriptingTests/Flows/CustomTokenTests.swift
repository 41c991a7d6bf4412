@testable import System
@testable import OIDC
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CustomTokenTests {
  // S18 S24
  @Test func `a custom token signs in the uid and claims it names`() async throws {
    try await Flow().run(
      """
      local account = emulator.serviceAccount()
      local uid = "yahoo:Ü-1"
      local result = auth:signInWithCustomToken(admin.customToken(account, uid, { plan = "gold", seats = 3 }))
      equal(result.user.uid, uid)
      equal(result.additionalUserInfo.isNewUser, true)
      equal(result.additionalUserInfo.providerID, "")
      equal(result.credential, nil)
      equal(#result.user.providerData, 0)
      equal(result.user.isAnonymous, false)
      local token = result.user:getIDTokenResult()
      equal(token.claims.plan, "gold")
      equal(token.claims.seats, 3)
      equal(token.signInProvider, "custom")
      equal(token.claims.sub, uid)
      -- The claims outlive a refresh, and the second sign-in finds the account.
      equal(result.user:getIDTokenResult(true).claims.plan, "gold")
      local again = auth:signIn { customToken = admin.customToken(account, uid) }
      equal(again.additionalUserInfo.isNewUser, false)
      equal(again.user:getIDTokenResult().claims.plan, nil)
      -- The sanctioned way round: what was signed in so can link a real provider.
      again.user:link(provider("yahoo.com", "yuki@yahoo.example"))
      equal(ways(again.user), "yahoo.com")
      equal(auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid, uid)
      """)
  }

  // S18
  @Test func `tokens that are forged, old or of another project are refused`() async throws {
    try await Flow().run(
      """
      local account = emulator.serviceAccount()
      local good = admin.customToken(account, "u1")
      local function refuse(token, code)
        local err = refused(code or "invalidCustomToken", auth.signInWithCustomToken, auth, token)
        assert(token == "" or not tostring(err):find(token, 1, true))
        return err
      end
      equal(refuse(flows.bent(good)).rawValue, 17000)
      refuse(flows.forged(good, { uid = "u2" }))
      refuse(flows.forged(good, { aud = "https://example.com" }))
      refuse("a.b.c")
      refuse("not a token")
      refuse("")
      equal(refuse(flows.forged(good, { iss = "a@b.iam.gserviceaccount.com", sub = "a@b.iam.gserviceaccount.com" }), "customTokenMismatch").rawValue, 17002)
      local other = {}
      for name, value in pairs(account) do other[name] = value end
      other.client_email = "luath@another.iam.gserviceaccount.com"
      refuse(admin.customToken(other, "u1"), "customTokenMismatch")
      refuse(admin.customToken(account, "u1", { aud = "mine" }), "invalidClaims")
      equal(auth.currentUser, nil)
      emulator.advance(3901)
      refuse(good)
      assert(auth:signInWithCustomToken(admin.customToken(account, "u1")).user.uid == "u1")
      """)
  }

  // S18
  @Test func `what cannot be signed says why`() async throws {
    try await Flow().run(
      """
      local account = emulator.serviceAccount()
      mistake("1 to 128", admin.customToken, account, "")
      mistake("1 to 128", admin.customToken, account, ("u"):rep(129))
      refused("invalidServiceAccount", admin.customToken, {}, "u1")
      mistake("claims have names", admin.customToken, account, "u1", { "gold" })
      assert(admin.customToken(account, "u1", {}))
      local err = refused("invalidServiceAccount", admin.customToken,
        { client_email = "a@b.example", private_key = "-----BEGIN SECRET-----nonsense" }, "u1")
      assert(not tostring(err):find "nonsense")
      """)
  }
}
