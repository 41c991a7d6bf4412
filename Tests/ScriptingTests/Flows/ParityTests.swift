import Testing

/// The table of `docs/parity.md` against what scripts have; `HouseTests` compares it with the suites.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ParityTests {
  private static let root = #filePath.split(separator: "/").dropLast(4)
    .reduce("") { "\($0)/\($1)" }

  @Test func `every function and field that a row names is there`() async throws {
    try await Flow().run(
      """
      local merge, totp = require "luath.merge", require "luath.totp"
      local result = auth:signIn(provider("google.com", "ada@contoso.example"))
      -- No error has all fields of errors.
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth:session(),
        provider("microsoft.com", "ada@contoso.example"))
      err.resolver = "see the tests of second factors"
      local owners = {
        Auth = Auth, auth = auth, user = result.user, credential = result.credential, err = err,
        merge = merge, provider = Auth.OAuthProvider "google.com", result = result, totp = totp, ui = ui,
        Admin = admin, admin = admin.admin(),
      }
      local count = 0
      for line in io.lines "\(Self.root)/docs/parity.md" do
        local cell = line:match "^| `.-|([^|]*)|[^|]*|$"
        if cell and not cell:find "^ nothing" then
          local named = false
          for name in cell:gmatch "`(.-)`" do
            local owner, members = name:match "^(%a+)[.:](.*)$"
            local value = owners[owner]
            assert(value ~= nil, name .. " belongs to nothing here")
            for member in members:gmatch "[%a%d]+" do
              local holder = value
              value = holder[member] -- objects raise where there is no such member
              assert(value ~= nil or type(holder) == "userdata", name .. " is not there")
            end
            assert(not name:find ":" or type(value) == "function", name .. " is no function")
            count, named = count + 1, true
          end
          assert(named, "no function in: " .. line)
        end
      end
      assert(count > 90, count)
      """)
  }
}
