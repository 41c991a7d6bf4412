-- Calls `given.functions` with wrong values. Each has its `usage`, its `expression`, in which `object` is an
-- instance of its `class` if it is a method, and `wrong` values: an expression and its place.
local totp = require "luath.totp"

local user = Auth.session():signInAnonymously().user

local client
local function oidcClient()
  client = client or require("luath.oidc").client {
    issuer = emulator.origin .. "/oidc/implicit",
    clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/",
  }
  return client
end

local opened
local function page()
  opened = opened or require("luath.webdriver").open()
  return opened
end

local known
local function factors()
  if known then
    return known
  end
  local google = Auth.OAuthProvider "google.com"
  local generator = Auth.TOTPMultiFactorGenerator
  local one = Auth.session():signIn(google).user
  local secret = generator.generateSecret(one.multiFactor:getSession())
  one.multiFactor:enroll(generator.assertionForEnrollment(secret, totp.code(secret)), "app")
  local _, err = pcall(auth.signIn, auth, google)
  known = { secret = secret, resolver = err.resolver }
  return known
end

--- An instance of each class.
local instances = {
  Auth = function() return auth end,
  BrowserState = function()
    auth:signInAnonymously()
    return auth:browserState { origin = "http://localhost:3000" }
  end,
  AuthListener = function() return auth:addStateDidChangeListener(print) end,
  OAuthProvider = function() return Auth.OAuthProvider "microsoft.com" end,
  Credential = function() return Auth.EmailAuthProvider.credential("a@b.example", "secret1") end,
  User = function() return user end,
  UserProfileChangeRequest = function() return user:createProfileChangeRequest() end,
  UIDelegate = function() return ui.form { username = "x" } end,
  Task = function() return task.spawn(function() end) end,
  Admin = function() return admin.admin() end,
  PhoneAuthProvider = function() return Auth.PhoneAuthProvider() end,
  MultiFactor = function() return user.multiFactor end,
  MultiFactorSession = function() return user.multiFactor:getSession() end,
  MultiFactorAssertion = function()
    return Auth.TOTPMultiFactorGenerator.assertionForSignIn("x", "123456")
  end,
  MultiFactorResolver = function() return factors().resolver end,
  TOTPSecret = function() return factors().secret end,
  AdminList = function() return select(2, admin.admin():listTenants()) end,
  OIDCClient = oidcClient,
  OIDCFlow = function() return oidcClient():begin() end,
  OIDCTokens = function() return oidcClient():signIn() end,
  OIDCDevice = function() return oidcClient():device() end,
  Page = page,
  PageElement = function() return page():find "body" end,
  Process = function() return require("luath.process").start "true" end,
  Server = function() return require("luath.server").start() end,
  HTTPResponse = function() return http.get(emulator.origin .. "/") end,
}

local function evaluate(expression, object)
  return assert(load("local Auth, object = ... return " .. expression))(Auth, object)
end

for _, row in ipairs(given.functions) do
  local object
  if row.class then
    object = assert(instances[row.class], "no instance of " .. row.class)()
  end
  local f = evaluate(row.expression, object)
  assert(f, row.usage)
  for _, wrong in ipairs(row.wrong) do
    local name = ("%s with %s as argument %d"):format(row.usage, wrong.value, wrong.place)
    local arguments = { object }
    local count = (row.class and 1 or 0) + wrong.place
    arguments[count] = evaluate(wrong.value)
    local ok, err = pcall(f, table.unpack(arguments, 1, count))
    -- The SDKs' label for a delegate that is nil leaves an empty table.
    local isDelegate = wrong.value == "{}" and row.usage:find("[delegate]", 1, true)
    assert(not ok or isDelegate, name)
    if ok then goto continue end
    local message = type(err) == "table" and err.message or err
    assert(type(message) == "string" and #message > 10, name .. ": " .. tostring(message))
    assert(not message:find "attempt to", name .. ": " .. message)
    assert(not message:find "stack", name .. ": " .. message)
    -- Earlier arguments are missing, so only the first place is sure to be named.
    assert(message:find("bad argument", 1, true), name .. ": " .. message)
    ::continue::
  end
  if row.class then
    for _, value in ipairs { "nil", "{}", "io.stdout", "print" } do
      local ok, err = pcall(f, evaluate(value))
      assert(not ok and err:find(" on bad self", 1, true), row.usage .. ": " .. tostring(err))
    end
  end
end
