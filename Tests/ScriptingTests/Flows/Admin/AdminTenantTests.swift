import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminTenantTests {
  @Test func `a tenant's accounts are its own`() async throws {
    try await Flow().run(
      """
      flows.configure("multiTenant", { multiTenant = { allowTenants = true } })
      local id = flows.asAdmin("POST", "v2/projects/PROJECT/tenants",
        { displayName = "tenant", allowPasswordSignup = true }).name:match "[^/]+$"
      local ours, theirs = admin.admin(), admin.admin { tenantID = id }
      local user = theirs:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
      equal(user.tenantID, id)
      refused("userNotFound", ours.getUser, ours, "ada")
      equal(theirs:importUsers({ { uid = "bob" }, { uid = "eve", tenantID = "other" } }).failureCount, 1)
      ours:createUser { uid = "ada", email = "ada@example.com" }
      local function uids(admin)
        local list = {}
        for user in admin:listUsers() do list[#list + 1] = user.uid end
        return table.concat(list, " ")
      end
      equal(uids(ours), "ada")
      equal(uids(theirs), "ada bob")
      auth.tenantID = id
      equal(auth:signInWithEmail("ada@example.com", "correct horse").user.tenantID, id)
      equal(theirs:deleteUsers({ "ada", "bob" }).successCount, 2)
      equal(uids(ours), "ada")
      local nowhere = admin.admin { tenantID = "nowhere" }
      local err = refused("invalidTenantID", nowhere.getUser, nowhere, "ada")
      assert(err.hint:find("tenantID of this Admin", 1, true))
      """)
  }
}
