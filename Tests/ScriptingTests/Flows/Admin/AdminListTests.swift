import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminListTests {
  @Test func `a loop goes through all accounts, fetching pages as it needs them`() async throws {
    let trace = try await Flow().run(
      """
      local admin = admin.admin()
      local rows = {}
      for index = 1, 7 do rows[index] = { uid = "u" .. index } end
      equal(admin:importUsers(rows).successCount, 7)
      local seen = {}
      for user in admin:listUsers { pageSize = 3 } do
        -- The loop may wait, also for the administrator.
        task.sleep(0)
        if #seen % 3 == 1 then equal(admin:getUser(user.uid).uid, user.uid) end
        seen[#seen + 1] = user.uid
      end
      equal(table.concat(seen, " "), "u1 u2 u3 u4 u5 u6 u7")
      -- Whoever leaves the loop asks for no more.
      for user in admin:listUsers { pageSize = 2 } do if user.uid == "u2" then break end end
      emulator.clear()
      for _ in admin:listUsers() do error "there are no accounts" end
      """)
    #expect(trace.count { $0.contains("accounts:batchGet") } == 3 + 1 + 1)
  }

  @Test func `tasks may share a list, and each account goes to one of them`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      local rows = {}
      for index = 1, 20 do rows[index] = { uid = ("u%02d"):format(index) } end
      admin:importUsers(rows)
      local next, list = admin:listUsers { pageSize = 3 }
      local seen, count = {}, 0
      local function work()
        for user in next, list do
          assert(not seen[user.uid])
          seen[user.uid], count = true, count + 1
          task.sleep(0)
        end
      end
      task.all { work, work, work }
      equal(count, 20)
      """)
  }

  @Test func `a page that cannot be had raises in the loop, and asking again repeats it`()
    async throws
  {
    try await Flow().run(
      """
      local admin = admin.admin()
      admin:importUsers { { uid = "u1" }, { uid = "u2" } }
      emulator.setFaults({ { operation = "batchGet", error = "PERMISSION_DENIED", after = 1, count = 1 } }, 7)
      local next, list = admin:listUsers { pageSize = 1 }
      equal(next(list).uid, "u1")
      refused("insufficientPermission", next, list)
      equal(next(list).uid, "u2")
      equal(next(list), nil)
      equal(next(list), nil)
      refused("invalidArgument", admin.listUsers, admin, { pageSize = 0 })
      refused("invalidArgument", admin.listUsers, admin, { pageSize = 1001 })
      mistake("AdminList", next)
      """)
  }

  @Test func `many accounts are looked up by any mix of identifiers, a hundred a request`()
    async throws
  {
    let trace = try await Flow().run(
      """
      local admin = admin.admin()
      local rows, wanted = {}, {}
      for index = 1, 250 do
        rows[index] = { uid = "u" .. index, email = "u" .. index .. "@example.com" }
        wanted[index] = { uid = "u" .. index }
      end
      rows[1].phoneNumber = "+15555550100"
      rows[2].providerData = { { providerID = "google.com", uid = "42" } }
      admin:importUsers(rows)
      wanted[251], wanted[252] = { uid = "nobody" }, { email = "U3@example.com" }
      wanted[253], wanted[254] = { phoneNumber = "+15555550100" }, { providerID = "google.com", providerUID = "42" }
      wanted[255] = { providerID = "google.com", providerUID = "43" }
      local found = admin:getUsers(wanted)
      equal(#found.users, 250)
      equal(#found.notFound, 2)
      equal(found.notFound[1], wanted[251])
      equal(found.notFound[2], wanted[255])
      equal(#admin:getUsers({}).users, 0)
      refused("invalidArgument", admin.getUsers, admin, { {} })
      refused("invalidArgument", admin.getUsers, admin, { { uid = "a", email = "b@c.example" } })
      refused("invalidArgument", admin.getUsers, admin, { { providerID = "google.com" } })
      mistake("bad argument", admin.getUsers, admin, { { id = "a" } })
      """)
    // The import looks its rows up as well, since Google's servers replace the accounts that have the uids.
    let imported = try #require(trace.firstIndex { $0.contains("accounts:batchCreate") })
    #expect(trace[..<imported].count { $0.contains("accounts:lookup") } == 3)
    #expect(trace[imported...].count { $0.contains("accounts:lookup") } == 3)
  }
}
