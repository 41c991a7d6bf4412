import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CryptoModuleTests {
  @Test func `known answers`() async throws {
    try await Flow().run(
      """
      equal(crypto.sha256 "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      equal(crypto.sha256 "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
      equal(crypto.base64url "\\0\\xFF\\xFE~?", "AP_-fj8")
      equal(crypto.base64 "\\0\\xFF\\xFE~?", "AP/+fj8=")
      equal(crypto.base64 "", "")
      equal(crypto.equal("a\\xE9", "a\\xE9"), true)
      equal(crypto.equal("a\\xE9", "a\\xE8"), false)
      equal(crypto.equal("a", "ab"), false)
      """)
  }

  // S22
  @Test func `random texts and verifiers differ and have their form`() async throws {
    try await Flow().run(
      """
      local seen = {}
      for _ = 1, 100 do
        local text, pair = crypto.random(), crypto.pkce()
        assert(#text == 43 and text:match "^[%w_-]+$")
        assert(#pair.verifier >= 43 and #pair.verifier <= 128 and pair.verifier:match "^[%w._~-]+$")
        assert(#pair.challenge == 43 and pair.challenge ~= pair.verifier)
        assert(not seen[text] and not seen[pair.verifier])
        seen[text], seen[pair.verifier] = true, true
      end
      equal(#crypto.random(16), 22)
      for _, count in ipairs { 0, 15, 1025, -1 } do mistake("between", crypto.random, count) end
      mistake("bad argument", crypto.random, 16.5)
      """)
  }

  @Test func `claims are read without trust, and nonsense is refused`() async throws {
    try await Flow().run(
      """
      local token = crypto.base64url '{"alg":"none"}' .. "." .. crypto.base64url '{"n":9007199254740993,"list":[],"no":null}' .. "."
      local claims = crypto.claims(token)
      equal(claims.n, 9007199254740993)
      equal(claims.no, json.null)
      for _, text in ipairs { "", "a", "a.b", "a.b.c", "..", crypto.base64url "[]" .. ".e30.", "e30." .. crypto.base64url "7" .. ".", ("x"):rep(100000) } do
        local err = refused("malformedJWT", crypto.claims, text)
        assert(text == "" or #text < 5 or not tostring(err):find(text, 1, true))
      end
      mistake("bad argument", crypto.claims)
      """)
  }
}
