local flows = require "support.flows"
local Admin = require "luath.admin"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local json = require "luath.json"

local admin, auth = Admin.admin(), Auth.auth()
local equal, refused = flows.equal, flows.refused

-- "correct horse" with the salt "NaCl and pepper" and the key "secret of the old system", hashed
-- by Python's hashlib, openssl and argon2; bcrypt's is a published vector of Openwall's.
local salt, key = "TmFDbCBhbmQgcGVwcGVy", "c2VjcmV0IG9mIHRoZSBvbGQgc3lzdGVt"
local hashes = {
  { { algorithm = "HMAC_SHA512", key = key },
    "c3ESJEhZnHko4ibWRlm0fOw2G1IodsIkZWnAS3g2cDvEo4h7MJ06TL7wLOuYPNK28BYDJ1wU6mT8uCK2Kk7lcg==" },
  { { algorithm = "HMAC_SHA256", key = key }, "d29BEV6kZfm8xJfWo17MLiqDqYsmxcB0Pt05qYPHUxw=" },
  { { algorithm = "HMAC_SHA1", signerKey = key }, "h2zG0RuWx8fqysbPlTURKmevmlc=" },
  { { algorithm = "HMAC_MD5", key = key }, "IlEPfd3zJUie6iqhqkxq4g==" },
  { { algorithm = "SHA512", rounds = 1 },
    "ur9CqwBRpaLr+JWczw98ApmT0/OVT5ChfwQDhola8fEfofduZT++e+jRcylIE0ru4+ctSGit0nzmgH77UbeI7A==" },
  { { algorithm = "SHA256", rounds = 3 }, "pXWCaBThBrHDZwOP/Vxana/0k5Cz47QygSAwEgsehdc=" },
  { { algorithm = "SHA256", rounds = 1, inputOrder = "PASSWORD_AND_SALT" },
    "9pQ2SKwW6UHIbCqxBQWJshSjv0so2GSLHUjB50VPbEU=" },
  { { algorithm = "SHA1", rounds = 1 }, "qrUgIDtKm3XqgpoZiDXisoftnYc=" },
  { { algorithm = "MD5", rounds = 1 }, "N2ZiYjhjMTIyNjczNzQ3ZDlhN2Q5ZDZlOWVmOGQ5YzY=" },
  { { algorithm = "MD5", rounds = 0 }, "YTM2MTFmMzJmM2MzODBhMmM2NWE4Njk5NzkxZTBmOWI=" },
  { { algorithm = "PBKDF_SHA1", rounds = 1000 }, "F4j2t4yqRNlRI7hRqVik7bM7alE=" },
  { { algorithm = "PBKDF2_SHA256", rounds = 1000 },
    "AQTlcBoOTUJUAMqf5XM5KTo8LhKAmDKn+Z+l+b+C0joCLc3H46MSqG94qxhoKBS/qtZDh0BJIubiL3w48JQSvg==" },
  { { algorithm = "SCRYPT", rounds = 8, memoryCost = 10, saltSeparator = "Bw==",
    key = "7wEJeZhPBndVS1dZw4/CDp4zr/ffyedJi3ikQBLJlt4/2i1qfCZNRYe94F6hftDhOWtb65viA/VIjcOXiP2uww==" },
    "UgpRWxpmcawETUEuk7yHWxZSs7qufWsHNhN9eSGxVZFLwhqJIqXCfS37maneRFF0OT6lP+MRC3qxeGUufRbw9A==" },
  { { algorithm = "STANDARD_SCRYPT", memoryCost = 1024, parallelization = 16, blockSize = 8, derivedKeyLength = 64 },
    "XYu1AYNg7AdktAWkuGcZM5SbkqJCgfUxZ/k5xlfkST1FAhQzUujXkLb6WTIzFXKoUohHLY/k9pUBaf4LNEIWtA==" },
  { { algorithm = "ARGON2", hashType = "ARGON2_ID", hashLength = 32, parallelization = 1, iterations = 2,
    memoryCost = 1024 },
    "yrF2r8uIhgKmNeZ4F5cnOjBAOot/3OaoNW4xwTScFpE=" },
  { { algorithm = "BCRYPT" },
    "JDJhJDA1JENDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQy5FNVlQTzlrbXl1Ukd5aDBYb3VRWWI0WU1KS3Z5T2VX", "U*U" },
}

--- What a command prints.
local function output(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "a"
end

describe("an administrator's import", function()
  it("an account that is imported with a hash signs in with the old password", function()
    for index, case in ipairs(hashes) do
      local kind, hash, password = case[1], case[2], case[3] or "correct horse"
      local email = "u" .. index .. "@example.com"
      local row = { uid = "u" .. index, email = email, passwordHash = hash }
      row.passwordSalt = password ~= "U*U" and salt or nil
      local result = admin:importUsers({ row }, { hash = kind })
      equal(result.failureCount, 0, kind.algorithm .. ": " .. tostring((result.errors[1] or {}).message))
      equal(auth:signInWithEmail(email, password).user.uid, "u" .. index, kind.algorithm)
      refused("invalidCredential", auth.signInWithEmail, auth, email, "battery staple")
    end
  end)

  it("a row keeps every field, and a list of records goes in as it came out", function()
    local row = {
      uid = "ada", email = "ada@example.com", emailVerified = true, displayName = "Ada",
      photoURL = "https://example.com/a.png", phoneNumber = "+15555550100", disabled = true,
      metadata = { creationTime = 1700000000000, lastSignInTime = 1710000000000 },
      customClaims = { role = "editor" },
      providerData = { { providerID = "google.com", uid = "42", email = "ada@gmail.example", displayName = "Ada L." } },
      multiFactor = { enrolledFactors = { { uid = "f1", phoneNumber = "+15555550101", displayName = "my phone" } } },
    }
    equal(admin:importUsers({ row }).successCount, 1)
    local function check(user)
      for _, name in ipairs { "email", "emailVerified", "displayName", "photoURL", "phoneNumber", "disabled" } do
        equal(user[name], row[name], name)
      end
      equal(user.metadata.creationTime, 1700000000000)
      equal(user.metadata.lastSignInTime, 1710000000000)
      equal(user.customClaims.role, "editor")
      equal(flows.ways(user), "google.com phone")
      equal(flows.way(user, "google.com").displayName, "Ada L.")
      equal(user.multiFactor.enrolledFactors[1].uid, "f1")
    end
    local user = admin:getUser("ada")
    check(user)
    admin:deleteUser("ada")
    equal(admin:importUsers({ user }).successCount, 1)
    check(admin:getUser("ada"))
  end)

  it("each refused row says its place and why, and the others are imported", function()
    admin:createUser { uid = "old", email = "taken@example.com" }
    local sha = hashes[2][2]
    local rows = {
      { uid = "a", email = "a@example.com" },
      { email = "nobody@example.com" },
      { uid = "b", email = "not an address" },
      { uid = "c", email = "c@example.com", passwordHash = sha, passwordSalt = salt },
      { uid = "d", email = "d@example.com", passwordHash = ("ab"):rep(32), passwordSalt = salt },
      { uid = "e", email = "e@example.com", passwordHash = "$2b$not base64", passwordSalt = salt },
      { uid = "a" },
      { uid = "f", mail = "f@example.com" },
      { uid = "g", customClaims = { sub = "x" } },
      { uid = "h", email = "taken@example.com" },
      { uid = "old" },
      { uid = "i", email = "a@example.com" },
      { uid = "j", displayName = print },
      { uid = "k", phoneNumber = "12" },
      { uid = "l", metadata = { creationTime = "yesterday" } },
      { uid = "m" },
    }
    local result = admin:importUsers(rows, { hash = hashes[2][1] })
    equal(result.successCount, 3)
    equal(result.failureCount, 13)
    local words = { [2] = "uid is missing", [3] = "email", [5] = "has 48 bytes, and those of HMAC_SHA256 have 32",
      [6] = "not in base 64", [7] = "same uid", [8] = "no field 'mail'; did you mean 'email'", [9] = "token's own",
      [10] = "email exists", [11] = "an account has this uid", [12] = "same email", [13] = "displayName is a function",
      [14] = "phone", [15] = "creationTime must be a whole number" }
    local last = 0
    for _, err in ipairs(result.errors) do
      assert(err.index > last)
      last = err.index
      assert(words[err.index] and err.message:find(words[err.index], 1, true), err.index .. ": " .. err.message)
      if err.index == 7 then equal(err.uid, "a") end
    end
    equal(admin:getUser("m").uid, "m")
    equal(admin:getUser("old").email, "taken@example.com")
    equal(admin:importUsers({ { uid = "old", displayName = "new" } }, { allowOverwrite = true }).successCount, 1)
    equal(admin:getUser("old").displayName, "new")
    local twice = { { uid = "old", displayName = "first" }, { uid = "old", email = "old@example.com" } }
    equal(admin:importUsers(twice, { allowOverwrite = true }).successCount, 2)
    equal(admin:getUser("old").displayName, nil)
    equal(admin:getUser("old").email, "old@example.com")
    equal(admin:importUsers({}).successCount, 0)
  end)

  it("an algorithm that is not described well is refused before anything is sent", function()
    local sent = flows.requests("*", function()
      local function refuse(words, hash)
        local err = refused("invalidArgument", admin.importUsers, admin, { { uid = "a" } }, { hash = hash })
        assert(err.message:find(words, 1, true), err.message)
      end
      refuse("hash.algorithm is missing", {})
      refuse("did you mean BCRYPT", { algorithm = "BCRIPT" })
      refuse("hash.rounds is no parameter of BCRYPT", { algorithm = "BCRYPT", rounds = 1 })
      refuse("did you mean 'rounds'", { algorithm = "SHA1", round = 1 })
      refuse("hash.rounds must be", { algorithm = "SHA1", rounds = 9000 })
      refuse("hash.inputOrder is none", { algorithm = "SHA1", rounds = 1, inputOrder = "SALT_FIRST" })
      refuse("hash.key must hold", { algorithm = "HMAC_SHA256" })
      refuse("hash.key must be text in base 64", { algorithm = "HMAC_SHA256", key = "not base 64!" })
      refuse("given twice", { algorithm = "HMAC_SHA256", key = "YQ==", signerKey = "YQ==" })
      refuse("hash.memoryCost must be", { algorithm = "STANDARD_SCRYPT" })
      refuse("hash.memoryCost", { algorithm = "SCRYPT", key = "YQ==", rounds = 8, memoryCost = 15 })
      refuse("memoryCost", { algorithm = "ARGON2" })
      refuse("hashType", { algorithm = "ARGON2", memoryCost = 8, iterations = 1, parallelization = 1 })
      refuse("hash.key must hold", { algorithm = "SCRYPT", rounds = 8, memoryCost = 14 })
      refuse("hash.key must hold", { algorithm = "HMAC_SHA512" })
      local result = admin:importUsers { { uid = "a", passwordHash = "YQ==" } }
      assert(result.errors[1].message:find("option hash", 1, true))
    end)
    equal(sent, 0)
  end)

  it("thousands of rows are split, and a batch that is cut off says what was done", function()
    local rows, uids = {}, {}
    for index = 1, 2500 do rows[index], uids[index] = { uid = "u" .. index }, "u" .. index end
    rows[3] = {}
    -- The second request is refused: nothing of it was done.
    emulator.setFaults({ { operation = "batchCreate", error = "QUOTA_EXCEEDED", after = 1, count = 1 } }, 7)
    local err = refused("quotaExceeded", admin.importUsers, admin, rows)
    equal(err.batch.successCount, 1000)
    equal(err.batch.errors[1].index, 3)
    equal(err.batch.uncertain, nil)
    equal(err.batch.notDone[1], 1002)
    equal(err.batch.notDone[2], 2500)
    assert(err.message:find("1000 of 2500 rows were done", 1, true), err.message)
    refused("userNotFound", admin.getUser, admin, "u1002")
    -- The response to the second request is lost: nobody knows.
    emulator.setFaults({ { operation = "batchDelete", drop = true, after = 1, count = 1 } }, 7)
    err = refused("networkError", admin.deleteUsers, admin, uids)
    equal(err.batch.successCount, 1000)
    equal(err.batch.uncertain[1], 1001)
    equal(err.batch.uncertain[2], 2000)
    equal(err.batch.notDone[1], 2001)
    emulator.setFaults {}
    local rest = table.move(rows, 1002, 2500, 1, {})
    equal(admin:importUsers(rest).successCount, 1499)
    equal(admin:deleteUsers(uids).successCount, 2500)
    for _ in admin:listUsers() do error "somebody is left" end
  end)

  it("accounts that are not disabled can be spared", function()
    admin:importUsers { { uid = "a" }, { uid = "b", disabled = true }, { uid = "c" } }
    local result = admin:deleteUsers({ "a", "b", "", "nobody" }, { force = false })
    equal(result.successCount, 2)
    equal(result.errors[1].index, 1)
    equal(result.errors[1].uid, "a")
    assert(result.errors[1].message:find("NOT_DISABLED", 1, true))
    equal(result.errors[2].index, 3)
    refused("userNotFound", admin.getUser, admin, "b")
    equal(admin:deleteUsers({ "a", "c" }).successCount, 2)
    equal(admin:deleteUsers({}).successCount, 0)
  end)

  it("a file of all accounts is only its owner's, and brings them back", function()
    local folder = flows.folder()
    local path = folder .. "/users.json"
    admin:importUsers({ { uid = "ada", email = "ada@example.com", passwordHash = hashes[2][2], passwordSalt = salt,
      customClaims = { role = "x" }, providerData = { { providerID = "google.com", uid = "42" } } },
      { uid = "bob", displayName = "Bob ♥" } }, { hash = hashes[2][1] })
    local result = admin:exportUsers(path, { pageSize = 1 })
    equal(result.count, 2)
    equal(result.passwordHashCount, 1)
    equal(output("ls -l " .. path):sub(1, 10), "-rw-------")
    equal(output("ls -A " .. folder), "users.json\n")
    local file <close> = assert(io.open(path))
    local users = json.decode(file:read "a").users
    equal(users[1].localId, "ada")
    equal(users[1].passwordHash, hashes[2][2])
    equal(users[1].salt, salt)
    equal(users[1].customAttributes, '{"role":"x"}')
    equal(users[1].providerUserInfo[1].rawId, "42")
    assert(tonumber(users[1].createdAt))
    equal(users[2].displayName, "Bob ♥")
    emulator.clear()
    equal(admin:importUsers(path).failureCount, 1)
    emulator.clear()
    equal(admin:importUsers(path, { hash = hashes[2][1] }).successCount, 2)
    equal(auth:signInWithEmail("ada@example.com", "correct horse").user.uid, "ada")
    equal(admin:getUserByProviderUID("google.com", "42").customClaims.role, "x")
  end)

  it("an export that fails leaves nothing, and a bad file says what is wrong", function()
    local folder = flows.folder() .. "/"
    flows.write(folder .. "cut.json", '{"users": [{"localId": "a"}, {"localId": "b"')
    flows.write(folder .. "odd.json", [[
      {"users": [{"localId": "a"}, {"email": "b@example.com"}, {"localId": "c", "x": 1},
        {"localId": "d", "email": 5}, {"localId": "e", "disabled": "no"},
        {"localId": "f", "createdAt": "now"}, {"localId": "g", "mfaInfo": [1]},
        {"localId": "h", "customAttributes": "{"}, 7]}
    ]])
    refused("invalidArgument", admin.exportUsers, admin, folder .. "no/users.json")
    refused("invalidArgument", admin.exportUsers, admin, folder .. "users.json", { pageSize = 0 })
    emulator.setFaults({ { operation = "batchGet", error = "PERMISSION_DENIED", count = 1 } }, 7)
    refused("insufficientPermission", admin.exportUsers, admin, folder .. "users.json")
    refused("invalidArgument", admin.importUsers, admin, folder .. "none.json")
    for _, call in ipairs { admin.exportUsers, admin.importUsers } do
      local err = refused("invalidArgument", call, admin, folder .. "odd\0.json")
      assert(err.message:find "zero byte")
    end
    local err = refused("invalidArgument", admin.importUsers, admin, folder .. "cut.json")
    assert(err.hint:find "complete")
    local result = admin:importUsers(folder .. "odd.json")
    equal(result.successCount, 1)
    assert(result.errors[1].message:find "localId is missing")
    assert(result.errors[2].message:find "no field 'x'")
    for index, words in pairs { [3] = "email must be a string", [4] = "disabled must be true or false",
      [5] = "createdAt must be milliseconds", [6] = "mfaInfo must be a list of objects",
      [7] = "customAttributes is not JSON", [8] = "not a table" } do
      assert(result.errors[index].message:find(words, 1, true), result.errors[index].message)
    end
    equal(output("ls -A " .. folder), "cut.json\nodd.json\n")
  end)
end)
