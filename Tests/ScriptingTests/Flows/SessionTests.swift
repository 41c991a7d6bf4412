@testable import Host
import Testing

/// Several people in one script, and whoever is current without a sign-in.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionTests {
  @Test func `sessions have nothing to do with each other`() async throws {
    try await Flow().run(
      """
      local sessions, heard = {}, {}
      for index = 1, 10 do
        sessions[index] = Auth.session()
        heard[index] = 0
        sessions[index]:onAuthStateChanged(function() heard[index] = heard[index] + 1 end)
      end
      local tasks = {}
      for index, session in ipairs(sessions) do
        session.languageCode = "l" .. index
        tasks[index] = function()
          return session:createUser(("p%d@x.example"):format(index), "correct horse").user.uid
        end
      end
      local uids = task.all(tasks)
      task.sleep(0)
      sessions[4]:signOut()
      sessions[5].currentUser:delete()
      task.sleep(0)
      task.sleep(0)
      for index, session in ipairs(sessions) do
        equal(session.languageCode, "l" .. index)
        equal(heard[index], (index == 4 or index == 5) and 3 or 2, index)
        if index == 4 or index == 5 then
          equal(session.currentUser, nil)
        else
          equal(session.currentUser.uid, uids[index])
          session.currentUser:reload()
        end
      end
      equal(auth.currentUser, nil)
      """)
  }

  @Test func `a session may be of another target and of a tenant`() async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local Auth = require "luath.auth"
        local session = Auth.session { tenantID = "team-1" }
        assert(session.tenantID == "team-1" and Auth.session().tenantID == nil)
        assert(Auth.session {} ~= Auth.session {})
        Auth.session { target = "staging" }
        """)
    #expect(failure.message.contains("no target 'staging'"))
  }

  // MARK: updateCurrentUser

  @Test func `a former user can be made current again`() async throws {
    try await Flow().run(
      """
      local ada = auth:createUser("ada@x.example", "correct horse").user
      local bob = auth:createUser("bob@x.example", "correct horse").user
      auth:updateCurrentUser(ada)
      equal(auth.currentUser, ada)
      auth:signOut()
      auth:updateCurrentUser(bob)
      equal(auth.currentUser, bob)
      bob:updateProfile { displayName = "Bob" }
      equal(refused("nullUser", auth.updateCurrentUser, auth).rawValue, 17067)
      equal(auth.currentUser, bob)
      mistake("User expected", auth.updateCurrentUser, auth, {})
      """)
  }

  @Test func `a user of another session becomes one of both`() async throws {
    let trace = try await Flow().run(
      """
      local other = Auth.session()
      local ada = other:createUser("ada@x.example", "correct horse").user
      ada:updateProfile { displayName = "Ada" }
      http.get(emulator.origin .. "/mark")
      auth:updateCurrentUser(ada)
      http.get(emulator.origin .. "/mark")
      local copy = auth.currentUser
      assert(copy ~= ada)
      equal(copy.uid, ada.uid)
      equal(copy.displayName, "Ada")
      equal(#copy.providerData, 1)
      -- Each renews its own tokens, and ends by itself.
      emulator.advance(1)
      local before = ada:getIDToken()
      assert(copy:getIDToken(true) ~= before)
      equal(ada:getIDToken(), before)
      auth:signOut()
      equal(other.currentUser, ada)
      """)
    let marks = trace.indices.filter { trace[$0].contains(" mark ") }
    #expect(marks.count == 2 && marks[1] == marks[0] + 1, "no request is needed")
  }

  @Test func `a user of another tenant cannot become current`() async throws {
    try await Flow().run(
      """
      local tenant = flows.tenant()
      local team = Auth.session { tenantID = tenant }
      local member = team:createUser("ada@x.example", "correct horse").user
      local outsider = auth:createUser("ada@x.example", "correct horse").user
      assert(member.uid ~= outsider.uid)
      equal(member.tenantID, tenant)
      for _, row in ipairs { { auth, member }, { team, outsider } } do
        local err = refused("tenantIDMismatch", row[1].updateCurrentUser, row[1], row[2])
        equal(err.rawValue, 17072)
        assert(err.message:find(tenant, 1, true), err.message)
      end
      equal(auth.currentUser, outsider)
      equal(team.currentUser, member)
      auth.tenantID = tenant
      auth:updateCurrentUser(member)
      equal(auth.currentUser.uid, member.uid)
      auth.currentUser:getIDToken(true)
      """)
  }

  // MARK: Tenants

  @Test func `a tenant has accounts of its own`() async throws {
    try await Flow().run(
      """
      local tenant = flows.tenant()
      -- A tenant inherits no provider of the project.
      flows.register("yahoo.com", tenant)
      auth.tenantID = tenant
      local user = auth:createUser("ada@x.example", "correct horse").user
      equal(user.tenantID, tenant)
      equal(user:getIDTokenResult().claims.firebase.tenant, tenant)
      emulator.advance(3600)
      user:reload()
      user:updateProfile { displayName = "Ada" }
      user:link(provider("yahoo.com", "yuki@yahoo.example"))
      equal(ways(user), "password yahoo.com")
      user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      user:unlink("yahoo.com")
      equal(auth:signInAnonymously().user.tenantID, tenant)
      local anonymous = auth.currentUser.uid
      auth:signIn { email = "ada@x.example", password = "correct horse" }
      equal(auth.currentUser.uid, user.uid)
      -- Outside the tenant nobody knows her.
      auth.tenantID = nil
      equal(auth.currentUser.tenantID, tenant, "a user stays where they signed in")
      refused("invalidCredential", auth.signIn, auth, { email = "ada@x.example", password = "correct horse" })
      assert(auth:signInAnonymously().user.uid ~= anonymous)
      equal(auth.currentUser.tenantID, nil)
      user:delete()
      """)
  }

  @Test func `what belongs to another tenant is refused by its name`() async throws {
    try await Flow().run(
      """
      local tenant, other = flows.tenant(), flows.tenant()
      local key = emulator.serviceAccount()
      local project = admin.admin { serviceAccount = key }
      -- At a custom token that names no tenant Google's servers fail.
      auth.tenantID = tenant
      local err = refused("internalError", auth.signInWithCustomToken, auth, admin.customToken(key, "u-1"))
      assert(err.message:find("Internal error encountered.", 1, true), err.message)
      auth:signInWithCustomToken(project:authForTenant(tenant):createCustomToken "u-1")
      equal(auth.currentUser.tenantID, tenant)
      auth:signOut()
      -- One of a tenant is good for no other, and not for the project.
      local token = project:authForTenant(tenant):createCustomToken "u-1"
      auth.tenantID = nil
      refused("tenantIDMismatch", auth.signInWithCustomToken, auth, token)
      auth.tenantID = other
      err = refused("tenantIDMismatch", auth.signInWithCustomToken, auth, token)
      equal(err.rawValue, 17072)
      equal(err.serverName, "TENANT_ID_MISMATCH")
      equal(err.webCode, "auth/tenant-id-mismatch")
      err = refused("unsupportedTenantOperation", auth.signInWithPhoneNumber, auth, "+15555550100",
        function() return "123456" end)
      equal(err.rawValue, 17073)
      equal(err.serverName, "UNSUPPORTED_TENANT_OPERATION")
      auth.tenantID = "no-such-tenant"
      refused("invalidTenantID", auth.signInAnonymously, auth)
      equal(auth.currentUser, nil)
      """)
  }

  // MARK: Language

  @Test(arguments: [
    (["LANG": "de_AT.UTF-8"], "'de-AT'"), (["LANG": "fr_FR@euro"], "'fr-FR'"),
    (["LANG": "ja"], "'ja'"), (["LANG": "de_DE", "LC_ALL": "pt_BR.UTF-8"], "'pt-BR'"),
    (["LANG": "de_DE", "LC_MESSAGES": "it_IT"], "'it-IT'"),
    (["LANG": "de_DE", "LC_ALL": "C.UTF-8"], "nil"), (["LANG": "POSIX"], "nil"), ([:], "nil"),
    (["LANG": "", "LC_ALL": ""], "nil"), (["LANG": "../../x"], "nil"), (["LANG": "de_"], "nil"),
    (["LANG": "es_419.UTF-8", "LC_ALL": ""], "'es-419'"),
  ])
  func `the language of the environment is taken over`(
    _ environment: [String: String], _ expected: String
  ) async throws {
    try await Flow(runner: ScriptRunner(environment: environment)).run(
      """
      auth.languageCode = "x"
      auth:useAppLanguage()
      equal(auth.languageCode, \(expected))
      """)
  }
}
