import Foundation
@testable import Host
import Testing

/// Sessions in files: what they hold, who may read them, and who keeps them up to date.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SavedSessionTests {
  /// Runs a flow with a folder of its own, whose path is `folder` and in which `file` is for a session.
  @discardableResult
  private func run(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "session-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let prelude = """
      local folder = "\(folder.path)" \
      local file = folder .. "/session.json" \
      local function read() local f = assert(io.open(file)) local t = f:read "a" f:close() return t end \
      local function write(text) local f = assert(io.open(file, "w")) f:write(text) f:close() end \
      local function shell(words) assert(os.execute(words:gsub("FILE", file))) end \
      local function list() local p = io.popen("ls -A " .. folder) local t = p:read "a" p:close() return t end \
      local function ada() return auth:createUser("ada@x.example", "correct horse").user end\u{20}
      """
    return try await Flow().run(prelude + text, sourceLocation: sourceLocation)
  }

  @Test func `a saved session is signed in where it is loaded`() async throws {
    try await run(
      """
      local user = ada()
      user:updateProfile { displayName = "Ada" }
      auth:save(file)
      local other = Auth.load(file)
      assert(other ~= auth and other.currentUser ~= user)
      equal(other.currentUser.uid, user.uid)
      equal(other.currentUser.displayName, "Ada")
      equal(other.currentUser.isAnonymous, false)
      equal(#other.currentUser.providerData, 1)
      -- From here on they have nothing to do with each other.
      auth:signOut()
      emulator.advance(1)
      other.currentUser:updatePassword("battery staple")
      other:signOut()
      equal(Auth.load(file).currentUser.uid, user.uid, "after signing out")
      """)
  }

  @Test func `the file is its owner's alone and holds no key`() async throws {
    try await run(
      """
      ada()
      auth:save(file)
      shell "test $(stat -c %a FILE) = 600"
      equal(list(), "session.json\\n")
      local saved = json.decode(read())
      equal(saved.format, "luath session")
      equal(saved.version, 1)
      equal(saved.projectID, host.projectID)
      equal(saved.user.uid, auth.currentUser.uid)
      equal(saved.user.email, "ada@x.example")
      equal(saved.tokens.refreshToken, auth.currentUser.refreshToken)
      equal(#saved.apiKeyFingerprint, 16)
      -- In place of a file that others could read, and of another session.
      shell "chmod 644 FILE"
      auth:createUser("bob@x.example", "correct horse")
      auth:save(file)
      shell "test $(stat -c %a FILE) = 600"
      equal(Auth.load(file).currentUser.email, "bob@x.example")
      equal(list(), "session.json\\n")
      """)
  }

  @Test func `an anonymous session stays anonymous until it is linked`() async throws {
    try await run(
      """
      local uid = auth:signInAnonymously().user.uid
      auth:save(file)
      local other = Auth.load(file)
      equal(other.currentUser.isAnonymous, true)
      equal(other:signInAnonymously().user.uid, uid)
      emulator.advance(1)
      other.currentUser:link(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      equal(json.decode(read()).user.isAnonymous, false)
      equal(json.decode(read()).user.email, nil, "written before the account was read again")
      equal(Auth.load(file).currentUser.isAnonymous, false)
      """)
  }

  @Test func `a session of a tenant brings its tenant along`() async throws {
    try await run(
      """
      local tenant = flows.tenant()
      local session = Auth.session { tenantID = tenant }
      local uid = session:createUser("ada@x.example", "correct horse").user.uid
      session:save(file)
      local other = Auth.load(file)
      equal(other.tenantID, tenant)
      equal(other.currentUser.tenantID, tenant)
      equal(other.currentUser.uid, uid)
      other.currentUser:getIDToken(true)
      equal(other.currentUser:getIDTokenResult().claims.firebase.tenant, tenant)
      """)
  }

  // MARK: Up to date

  @Test func `the file follows the tokens`() async throws {
    try await run(
      """
      local user = ada()
      auth:save(file)
      local function isKept()
        local saved = json.decode(read()).tokens
        equal(saved.idToken, user:getIDToken())
        equal(saved.refreshToken, user.refreshToken)
        equal(list(), "session.json\\n")
      end
      local before = read()
      user:getIDToken()
      user:reload()
      equal(read(), before)
      emulator.advance(1)
      user:getIDToken(true)
      assert(read() ~= before)
      isKept()
      emulator.advance(3600)
      user:reload()
      isKept()
      user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      isKept()
      user:updatePassword("battery staple")
      isKept()
      user:link(provider("yahoo.com", "yuki@yahoo.example"))
      isKept()
      user:unlink("yahoo.com")
      isKept()
      equal(Auth.load(file).currentUser.uid, user.uid)
      -- A loaded session keeps its file as well.
      local other = Auth.load(file)
      emulator.advance(1)
      other.currentUser:updatePassword("correct horse")
      equal(json.decode(read()).tokens.refreshToken, other.currentUser.refreshToken)
      equal(Auth.load(file).currentUser.uid, user.uid)
      """)
  }

  @Test func `of several who use one file, one renews`() async throws {
    let trace = try await run(
      """
      ada()
      auth:save(file)
      local sessions = { auth }
      for index = 2, 8 do sessions[index] = Auth.load(file) end
      emulator.setFaults { { operation = "token", latency = 40 } }
      emulator.advance(3400)
      local tasks = {}
      for index, session in ipairs(sessions) do
        tasks[index] = function() return session.currentUser:getIDToken() end
      end
      local tokens = task.all(tasks)
      for _, token in ipairs(tokens) do equal(token, tokens[1]) end
      equal(json.decode(read()).tokens.idToken, tokens[1])
      -- Whoever asks for a new one gets one.
      emulator.advance(1)
      assert(sessions[3].currentUser:getIDToken(true) ~= tokens[1])
      """)
    #expect(trace.filter { $0.contains("securetoken.googleapis.com/v1/token") }.count == 2)
  }

  @Test func `a new password reaches the others over the file`() async throws {
    try await run(
      """
      local user = ada()
      auth:save(file)
      local other = Auth.load(file)
      emulator.advance(2)
      user:updatePassword("battery staple")
      -- Its own refresh token was revoked by that.
      other.currentUser:getIDToken(true)
      other.currentUser:reload()
      equal(other.currentUser.refreshToken, user.refreshToken)
      """)
  }

  @Test func `a file that was deleted or given to another session is left alone`() async throws {
    try await run(
      """
      local user = ada()
      auth:save(file)
      os.remove(file)
      emulator.advance(1)
      user:getIDToken(true)
      equal(list(), "")
      auth:save(file)
      local second = Auth.session()
      second:createUser("bob@x.example", "correct horse")
      second:save(file)
      local before = read()
      emulator.advance(1)
      user:getIDToken(true)
      user:updatePassword("battery staple")
      equal(read(), before)
      equal(Auth.load(file).currentUser.email, "bob@x.example")
      """)
  }

  @Test func `a file in use is waited for`() async throws {
    try await run(
      """
      ada()
      auth:save(file)
      local holder = io.popen(("flock %s sh -c 'touch %s/held; read line'"):format(file, folder), "w")
      while not list():find "held" do task.sleep(0.005) end
      local saving = task.spawn(function() auth:save(file) end)
      local renewing = task.spawn(function() return auth.currentUser:getIDToken(true) end)
      refused("timeout", task.timeout, 0.03, auth.save, auth, file)
      equal(saving.status, "waiting")
      equal(renewing.status, "waiting")
      -- Reading takes no lock.
      equal(Auth.load(file).currentUser.uid, auth.currentUser.uid)
      holder:write "done\\n"
      holder:close()
      saving:await()
      local renewed = renewing:await()
      equal(json.decode(read()).tokens.idToken, renewed)
      """)
  }

  // MARK: What is refused

  @Test func `a file that is no good session is refused in words`() async throws {
    try await run(
      """
      ada()
      auth:save(file)
      local good = read()
      local function bad(words, f)
        local err = refused("keychainError", f or Auth.load, file)
        equal(err.rawValue, 17995)
        assert(err.message:find(file, 1, true), err.message)
        assert(err.message:find(words, 1, true), err.message)
        for _, token in pairs(json.decode(good).tokens) do
          assert(not tostring(err):find(token, 1, true), "a token is shown")
        end
        return err
      end
      for length = 0, #good - 2, 97 do
        write(good:sub(1, length))
        bad "not the whole of it"
      end
      local function with(change)
        local saved = json.decode(good)
        change(saved)
        write(json.encode(saved))
      end
      write "[1, 2]"
      bad "not a session"
      with(function(s) s.version = 2 end)
      bad "version"
      with(function(s) s.tokens.refreshToken = nil end)
      bad "tokens.refreshToken"
      for _, time in ipairs { "soon", math.mininteger, math.maxinteger } do
        with(function(s) s.tokens.expiresAt = time end)
        bad "tokens.expiresAt"
      end
      with(function(s) s.user.uid = 7 end)
      bad "user.uid"
      with(function(s) s.user.isAnonymous = nil end)
      bad "user.isAnonymous"
      with(function(s) s.projectID = "other" end)
      local err = bad "the emulated project other, and not to the emulated project"
      assert(err.hint:find "target", err.hint)
      with(function(s) s.isEmulated = false end)
      bad "the project "
      write(("x"):rep(1100000))
      bad "too large"
      write(good)
      equal(Auth.load(file).currentUser.uid, auth.currentUser.uid)
      equal(list(), "session.json\\n")
      """)
  }

  @Test func `a file that others can read or have laid is refused`() async throws {
    try await run(
      """
      ada()
      auth:save(file)
      for _, mode in ipairs { "640", "604", "660", "666", "620" } do
        shell("chmod " .. mode .. " FILE")
        local err = refused("keychainError", Auth.load, file)
        assert(err.message:find(mode, 1, true), err.message)
        assert(err.hint:find "chmod 600", err.hint)
      end
      shell "chmod 600 FILE"
      shell "mv FILE FILE.real && ln -s FILE.real FILE"
      for _, f in ipairs { Auth.load, function(path) auth:save(path) end } do
        assert(refused("keychainError", f, file).message:find "symbolic link")
      end
      shell "rm FILE && mkfifo -m 600 FILE"
      for _, f in ipairs { Auth.load, function(path) auth:save(path) end } do
        assert(refused("keychainError", f, file).message:find "plain file")
        assert(refused("keychainError", f, folder).message:find "plain file")
      end
      shell "rm FILE"
      assert(refused("keychainError", Auth.load, file).message:find "does not exist")
      refused("keychainError", Auth.load, folder .. "/none/at/all")
      mistake("zero byte", Auth.load, file .. "\\0.json")
      mistake("not empty", Auth.load, "")
      mistake("zero byte", auth.save, auth, file .. "\\0.json")
      """)
  }

  @Test func `a session file of another user is refused`() async throws {
    guard geteuid() == 0 else { return }
    try await run(
      """
      ada()
      auth:save(file)
      shell "chown 65534 FILE"
      assert(refused("keychainError", Auth.load, file).message:find "another user")
      """)
  }

  @Test func `what cannot be saved is refused and leaves nothing behind`() async throws {
    try await run(
      """
      equal(refused("nullUser", auth.save, auth, file).rawValue, 17067)
      ada()
      refused("keychainError", auth.save, auth, folder .. "/none/session.json")
      refused("keychainError", auth.save, auth, folder .. "/new/")
      write "a letter to somebody"
      local err = refused("keychainError", auth.save, auth, file)
      assert(err.message:find "something else", err.message)
      equal(read(), "a letter to somebody")
      equal(list(), "session.json\\n")
      refused("keychainError", auth.save, auth, "/proc/session.json")
      """)
  }

  @Test func `a change that cannot be written to the file is told`() async throws {
    try await run(
      """
      local user = ada()
      auth:save(file)
      -- The name of a folder cannot be replaced by a file.
      shell "chmod 644 FILE"
      emulator.advance(1)
      local before = user:getIDToken()
      refused("keychainError", user.getIDToken, user, true)
      equal(auth.currentUser, user)
      shell "chmod 600 FILE"
      assert(user:getIDToken(true) ~= before)
      equal(json.decode(read()).tokens.idToken, user:getIDToken())
      """)
  }

  @Test func `a session that is over says so and names the file`() async throws {
    try await run(
      """
      local function over(code, change)
        auth:signInWithEmail("ada@x.example", "correct horse")
        auth:save(file)
        local uid = auth.currentUser.uid
        emulator.advance(2)
        change(uid)
        local err = refused(code, Auth.load, file)
        assert(err.message:find("ada@x.example in " .. file, 1, true), err.message)
        equal(err.email, "ada@x.example")
        return err
      end
      ada()
      local err = over("userDisabled", function(uid) flows.change(uid, { disableUser = true }) end)
      flows.change(auth.currentUser.uid, { disableUser = false })
      err = over("userTokenExpired", function(uid)
        local later = auth.currentUser:getIDTokenResult().issuedAtDate + 1
        flows.change(uid, { validSince = tostring(later) })
      end)
      assert(err.hint:find "sign in again", err.hint)
      over("userNotFound", function(uid)
        flows.owned("v1/projects/PROJECT/accounts:delete", { localId = uid })
      end)
      """)
  }

  @Test func `an ID token that ended costs a refresh, and so does another key`() async throws {
    let trace = try await run(
      """
      local user = ada()
      auth:save(file)
      local good = read()
      local function with(change)
        local saved = json.decode(good)
        change(saved)
        write(json.encode(saved))
      end
      equal(Auth.load(file).currentUser.uid, user.uid)
      emulator.advance(4000)
      equal(Auth.load(file).currentUser.uid, user.uid)
      emulator.advance(1)
      with(function(s) s.apiKeyFingerprint = "0123456789abcdef" end)
      equal(Auth.load(file).currentUser.uid, user.uid)
      assert(json.decode(read()).apiKeyFingerprint ~= "0123456789abcdef")
      -- Saved by a clock that was wrong, and by one that was wrong the other way.
      with(function(s) s.tokens.expiresAt = s.tokens.expiresAt + 30000000 end)
      equal(Auth.load(file).currentUser.uid, user.uid)
      with(function(s) s.tokens.expiresAt = s.tokens.expiresAt + 4000 end)
      equal(Auth.load(file).currentUser.uid, user.uid)
      """)
    #expect(trace.filter { $0.contains("securetoken.googleapis.com/v1/token") }.count == 4)
  }

  @Test func `a backend that does not answer is no reason to give a session up`() async throws {
    try await run(
      """
      ada()
      auth:save(file)
      local before = read()
      emulator.setFaults { { operation = "lookup", error = "OPERATION_NOT_ALLOWED" } }
      refused("operationNotAllowed", Auth.load, file)
      emulator.setFaults {}
      equal(read(), before)
      equal(Auth.load(file).currentUser.email, "ada@x.example")
      """)
  }

  @Test func `a script that loads a session needs no password`() async throws {
    // The same emulator would be needed over two runs, so the second is the first one's child.
    try await run(
      """
      ada()
      auth:save(file)
      auth:signOut()
      local calls = 0
      local session = Auth.load(file)
      session:onAuthStateChanged(function(user) calls = calls + 1 equal(user.email, "ada@x.example") end)
      task.sleep(0)
      task.sleep(0)
      equal(calls, 1)
      equal(auth.currentUser, nil)
      """)
  }
}
