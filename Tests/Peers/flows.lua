-- Signs in again and again in one process, and stops after each round so that whoever started it
-- can look at the process.
--
--   luath run --target HOST:PORT flows.lua -- KIND ROUNDS FLOWS
--
-- Prints a line after each round, and goes on when it reads one.

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local ui <const> = require "luath.ui"

local kind <const>, rounds <const>, flows <const> = arg[1], tonumber(arg[2]), tonumber(arg[3])
local auth <const> = Auth.auth()
local corp <const> = Auth.OAuthProvider "oidc.corp"
local barbara <const> = { username = "barbara@corp.example", password = "luath-demo" }

--- A sign-in through the pages of oidc.corp; the account is the same each time.
local function through(delegate)
  return function()
    local user <const> = auth:signIn(corp:getCredential(delegate)).user
    assert(user.email == barbara.username, "somebody else signed in")
    auth:signOut()
  end
end

local function with(options)
  for name, value in pairs(barbara) do
    options[name] = value
  end
  return options
end

local kinds <const> = {}

function kinds.form()
  return through(ui.form(barbara))
end

--- One session for all: the server knows the person from the second time on.
function kinds.keptForm()
  return through(ui.form(with { keepsSession = true }))
end

--- A browser for each.
function kinds.webdriver()
  return through(ui.webdriver(barbara))
end

--- One browser for all.
function kinds.keptWebdriver()
  return through(ui.webdriver(with { keepsSession = true }))
end

--- The person's own browser, played by a function: it ends at the address that luath waits at.
function kinds.browser()
  local person <const> = ui.form(barbara)
  return through(ui.browser {
    open = function(url)
      local asked <const> = http.parseForm(url)
      http.get(ui.show(person, url, asked.redirect_uri))
    end,
  })
end

--- Without Firebase: luath's own client of the server.
function kinds.oidc()
  local client <const> = require "luath.oidc".client {
    issuer = emulator.origin .. "/oidc/implicit",
    clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/callback",
  }
  local person <const> = ui.form(barbara)
  return function()
    local tokens <const> = client:signIn(person)
    assert(tokens.claims.email == barbara.username, "somebody else signed in")
  end
end

--- A function, as scripts write their own.
kinds["function"] = function()
  local person <const> = ui.form(barbara)
  return through(function(request)
    return ui.show(person, request.url, request.redirectURI)
  end)
end

local run <const> = assert(kinds[kind], "there is no kind " .. kind)()
emulator.clear()
for _ = 1, rounds do
  for _ = 1, flows do
    run()
  end
  collectgarbage()
  collectgarbage()
  io.stdout:write("round\n")
  io.stdout:flush()
  io.read()
end
