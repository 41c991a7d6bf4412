local files = require "support.files"
local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local json = require "luath.json"
local webdriver = require "luath.webdriver"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake

local ORIGIN <const> = "http://localhost:3000"
local KEY <const> = "demo-key"

local function ada() return auth:createUser("ada@x.example", "correct horse").user end

--- The state of the user of an Auth, in an app with further options.
local function state(options, of)
  local app = { origin = ORIGIN, apiKey = KEY }
  for name, value in pairs(options or {}) do app[name] = value end
  return (of or auth):browserState(app)
end

--- The record of the only user, out of Playwright's file, and the key under which it is there.
local function record(made)
  local origin = json.decode(made:json()).origins[1]
  if origin.indexedDB then
    local stored = origin.indexedDB[1].stores[1].records[1].value
    return stored.value, stored.fbase_key, origin
  end
  local item = origin.localStorage[1]
  return json.decode(item.value), item.name, origin
end

--- What a page has stored, as the SDK reads it: `indexedDB`, `local` and `session`.
local READ <const> = [[
  const [key] = arguments
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("firebaseLocalStorageDb", 1)
    opening.onerror = () => reject(opening.error)
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore("firebaseLocalStorage", { keyPath: "fbase_key" })
    opening.onsuccess = () => {
      const reading = opening.result.transaction("firebaseLocalStorage")
        .objectStore("firebaseLocalStorage").get(key)
      reading.onsuccess = () => {
        opening.result.close()
        resolve({
          indexedDB: reading.result?.value ?? null, local: JSON.parse(localStorage.getItem(key)),
          session: JSON.parse(sessionStorage.getItem(key)),
        })
      }
    }
  });]]

describe("the state of a browser", function()
  it("has the record of the JavaScript SDK, in IndexedDB", function()
    local user = ada()
    user:updateProfile { displayName = "Ada", photoURL = "https://x.example/ada.png" }
    local kept, key, origin = record(state())
    equal(key, "firebase:authUser:demo-key:[DEFAULT]")
    equal(origin.origin, ORIGIN)
    equal(#origin.localStorage, 0)
    local database = origin.indexedDB[1]
    equal(database.name, "firebaseLocalStorageDb")
    equal(database.version, 1)
    equal(database.stores[1].name, "firebaseLocalStorage")
    equal(database.stores[1].keyPath, "fbase_key")
    equal(database.stores[1].autoIncrement, false)
    equal(#database.stores[1].indexes, 0)
    equal(kept.uid, user.uid)
    equal(kept.email, "ada@x.example")
    equal(kept.emailVerified, false)
    equal(kept.displayName, "Ada")
    equal(kept.photoURL, "https://x.example/ada.png")
    equal(kept.isAnonymous, false)
    equal(kept.phoneNumber, nil)
    equal(kept.tenantId, nil)
    equal(kept.apiKey, KEY)
    equal(kept.appName, "[DEFAULT]")
    -- Texts: with numbers in IndexedDB the SDK never reports a user.
    equal(kept.createdAt, tostring(user.metadata.creationDate))
    equal(kept.lastLoginAt, tostring(user.metadata.lastSignInDate))
    equal(#kept.providerData, 1)
    equal(kept.providerData[1].providerId, "password")
    equal(kept.providerData[1].uid, "ada@x.example")
    equal(kept.providerData[1].phoneNumber, json.null)
    equal(kept.stsTokenManager.refreshToken, user.refreshToken)
    equal(kept.stsTokenManager.accessToken, user:getIDToken())
    local seconds = kept.stsTokenManager.expirationTime / 1000 - os.time()
    assert(seconds > 3500 and seconds <= 3600, seconds)
  end)

  it("expires by the clock of the machine, where the browser is", function()
    emulator.advance(86400)
    ada()
    local seconds = record(state()).stsTokenManager.expirationTime / 1000 - os.time()
    assert(seconds > 3500 and seconds <= 3600, seconds)
  end)

  it("may be in localStorage, of an app with a name", function()
    local user = ada()
    local kept, key, origin = record(state { persistence = "local", appName = "admin" })
    equal(key, "firebase:authUser:demo-key:admin")
    equal(kept.uid, user.uid)
    equal(kept.appName, "admin")
    equal(origin.indexedDB, nil)
  end)

  it("is of anonymous users, users of tenants, of providers and with second factors", function()
    auth:signInAnonymously()
    local kept = record(state())
    equal(kept.isAnonymous, true)
    equal(kept.email, nil)
    equal(#kept.providerData, 0)

    local other = Auth.session { tenantID = flows.tenant() }
    other:createUser("bob@x.example", "correct horse")
    equal(record(state(nil, other)).tenantId, other.tenantID)

    local grace = Auth.session()
    grace:signIn(flows.provider("microsoft.com", "grace@fabrikam.example"))
    local info = record(state(nil, grace)).providerData[1]
    equal(info.providerId, "microsoft.com")
    equal(info.uid, grace.currentUser.providerData[1].uid)

    local carol = flows.verified(auth, "carol@x.example")
    local secret = flows.app(carol)
    local session = Auth.session()
    local err = refused("secondFactorRequired", session.signInWithEmail, session, "carol@x.example", "correct horse")
    local assertion = Auth.TOTPMultiFactorGenerator.assertionForSignIn(
      err.resolver.hints[1].uid, require("luath.totp").code(secret))
    err.resolver:resolveSignIn(assertion)
    local token = record(state(nil, session)).stsTokenManager.accessToken
    equal(require("luath.crypto").claims(token).firebase.sign_in_second_factor, "totp")
  end)

  it("combines users and origins, but not two users of one app", function()
    ada()
    local bob = Auth.session()
    bob:createUser("bob@x.example", "correct horse")
    local both = state():add(state({ appName = "admin", persistence = "local" }, bob))
      :add(state({ origin = "https://shop.example" }, bob))
    equal(table.concat(both.origins, " "), "http://localhost:3000 https://shop.example")
    local made = json.decode(both:json())
    equal(#made.cookies, 0)
    equal(#made.origins, 2)
    equal(#made.origins[1].localStorage, 1)
    equal(#made.origins[1].indexedDB[1].stores[1].records, 1)
    equal(tostring(both), "BrowserState(ada@x.example at http://localhost:3000, "
      .. "bob@x.example at http://localhost:3000, bob@x.example at https://shop.example)")
    local err = refused("invalidArgument", both.add, both, state(nil, bob))
    assert(err.message:find("ada@x.example and bob@x.example", 1, true), tostring(err))
  end)

  it("shows no token where it is printed", function()
    local user = ada()
    local made = state()
    local shown = tostring(made)
    for _, secret in ipairs { user.refreshToken, user:getIDToken() } do
      assert(not shown:find(secret, 1, true), shown)
    end
  end)
end)

describe("a browser's state in a file", function()
  before_each(files.make)
  after_each(files.remove)

  it("is for its owner only, in one step, also in place of another file", function()
    local user = ada()
    local made = state()
    made:save(files.file)
    files.shell "test $(stat -c %a FILE) = 600"
    equal(record({ json = files.read }).uid, user.uid)
    files.shell "chmod 644 FILE"
    auth:createUser("bob@x.example", "correct horse")
    state():save(files.file)
    files.shell "test $(stat -c %a FILE) = 600"
    equal(record({ json = files.read }).email, "bob@x.example")
    equal(files.list(), "session.json\n")
  end)

  it("makes the folder, and leaves nothing behind where it cannot write", function()
    ada()
    state():save(files.folder .. "/made/ada.json")
    files.shell "test $(stat -c %a $(dirname FILE)/made) = 700"
    local made = state()
    local err = refused("keychainError", made.save, made, files.folder .. "/made")
    assert(err.message:find(files.folder, 1, true), tostring(err))
    refused("keychainError", made.save, made, "/proc/ada.json")
    mistake("a path is not empty", made.save, made, "")
    equal(files.list(), "made\n")
  end)

  it("cannot have session storage", function()
    ada()
    local made = state { persistence = "session" }
    for _, arguments in ipairs { { made.save, made, files.file }, { made.json, made } } do
      local err = refused("invalidArgument", table.unpack(arguments))
      assert(err.message:find("no session storage", 1, true), tostring(err))
    end
    equal(files.list(), "")
    assert(made:script():find("session", 1, true))
  end)
end)

describe("the state of a browser is refused", function()
  it("for what is no origin", function()
    ada()
    for origin, hint in pairs {
      ["localhost:3000"] = "write http://localhost:3000, or https",
      ["http://localhost:3000/app"] = "write only http://localhost:3000",
      ["https://shop.example?x=1"] = "write only https://shop.example",
      ["ftp://shop.example"] = "write http or https",
      ["http://ada:secret@shop.example"] = "write http or https", [""] = "write scheme",
    } do
      local err = refused("invalidArgument", state, { origin = origin })
      assert(err.hint:find(hint, 1, true), origin .. ": " .. tostring(err))
    end
    equal(state({ origin = "HTTP://LocalHost:80/" }).origins[1], "http://localhost")
    mistake("origin", auth.browserState, auth, {})
    mistake("persistence", state, { persistence = "cookie" })
    refused("invalidArgument", state, { appName = "" })
  end)

  it("for a missing key, and one of another project", function()
    ada()
    local err = refused("invalidArgument", auth.browserState, auth, { origin = ORIGIN })
    assert(err.hint:find("apiKey", 1, true), tostring(err))
    refused("invalidArgument", state, { apiKey = "" })
  end)

  it("for nobody, and users who are disabled or gone, or whose session has ended", function()
    refused("nullUser", state)
    local user = ada()
    flows.change(user.uid, { disableUser = true })
    refused("userDisabled", state)
    local carol = auth:createUser("carol@x.example", "correct horse").user
    emulator.advance(2)
    require("luath.admin").admin():revokeRefreshTokens(carol.uid)
    refused("userTokenExpired", state)
    auth:createUser("bob@x.example", "correct horse")
    emulator.clear()
    local err = refused("userNotFound", state)
    assert(#err.hint > 0)
  end)
end)

describe("a page of a browser", function()
  local page

  before_each(function() page = webdriver.open { timeout = 5 } end)
  after_each(function() page:close() end)

  --- What the page has stored for the app with the name.
  local function stored(name)
    return page:eval(READ, ("firebase:authUser:%s:%s"):format(KEY, name or "[DEFAULT]"))
  end

  --- The record that is in one of the stores, and in no other.
  local function only(persistence, name)
    local all = stored(name)
    for _, one in ipairs { "indexedDB", "local", "session" } do
      if one ~= persistence then equal(all[one], json.null, one) end
    end
    return all[persistence]
  end

  it("is signed in with each persistence, in place of the user before", function()
    local user = ada()
    local app = { origin = emulator.origin, apiKey = KEY }
    for turn, persistence in ipairs { "indexedDB", "local", "session", "indexedDB" } do
      app.persistence = persistence
      page:signInAs(auth, app)
      equal(page:url(), emulator.origin .. "/")
      local kept = only(persistence)
      equal(kept.uid, user.uid)
      equal(kept.createdAt, tostring(user.metadata.creationDate))
      -- The token signs in to the backend, from the page.
      local found = page:eval([[
        return fetch("/identitytoolkit.googleapis.com/v1/accounts:lookup?key=any", {
          method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ idToken: arguments[0] }) }).then(answer => answer.json());]],
        kept.stsTokenManager.accessToken)
      equal(found.users[1].localId, user.uid)
      user = auth:createUser(("next-%d@x.example"):format(turn), "correct horse").user
    end
  end)

  it("takes a state of several users, and opens a path", function()
    ada()
    local bob = Auth.session()
    bob:createUser("bob@x.example", "correct horse")
    local both = state({ origin = emulator.origin })
      :add(state({ origin = emulator.origin, appName = "admin", persistence = "local" }, bob))
    page:signInAs(both, { path = "/?from=luath" })
    equal(page:url(), emulator.origin .. "/?from=luath")
    equal(only("indexedDB").email, "ada@x.example")
    equal(only("local", "admin").email, "bob@x.example")
    mistake("is for an Auth", page.signInAs, page, both, { apiKey = KEY })
    mistake("path", page.signInAs, page, both, { path = "login" })
    mistake("auth", page.signInAs, page)
  end)

  it("stores what the script of a state stores", function()
    ada()
    local made = state { origin = emulator.origin, persistence = "session" }
    page:go(emulator.origin .. "/")
    equal(page:eval("return " .. made:script()), 1)
    equal(page:eval("return eval(arguments[0])", made:script()), 1)
    equal(only("session").email, "ada@x.example")
    local foreign = state()
    local err = refused("javascriptError", page.eval, page, "return " .. foreign:script())
    assert(err.message:find("the users are for http://localhost:3000", 1, true), tostring(err))
  end)

  it("says what is wrong with the place or the browser", function()
    ada()
    refused("invalidArgument", page.signInAs, page, auth, { origin = "localhost:3000", apiKey = KEY })
    refused("navigationFailed", page.signInAs, page, auth, { origin = "http://127.0.0.1:9", apiKey = KEY })
    auth:signOut()
    refused("nullUser", page.signInAs, page, auth, { origin = emulator.origin, apiKey = KEY })
    auth:signInAnonymously()
    page:go(emulator.origin .. "/")
    page:eval [[Object.defineProperty(window, "indexedDB", { value: undefined })]]
    local err = refused("javascriptError", page.eval, page,
      "return " .. state({ origin = emulator.origin }):script())
    assert(err.message:find("another persistence", 1, true), tostring(err))
    equal(page:eval("return " .. state({ origin = emulator.origin, persistence = "local" }):script()), 1)
  end)
end)
