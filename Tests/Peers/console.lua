-- The emulator's page by luath's own browser: somebody is made by a script, found, renamed and
-- disabled on the page, and refused afterwards.
--
--   luath run --target HOST:PORT console.lua

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"
local webdriver <const> = require "luath.webdriver"

local auth <const> = Auth.auth()
local email <const>, password <const> = "ada@b.example", "correct horse"
local user <const> = auth:createUser(email, password).user

local page <const> = webdriver.open()
page:go(emulator.origin .. "/emulator/ui/projects/demo-luath/users")
page:click { role = "link", name = email }
page:fill("#f-displayName", "Ada Lovelace")
page:click "button[value=profile]"
page:find { text = "Saved." }
user:reload()
assert(user.displayName == "Ada Lovelace", "the name did not arrive")

page:click "button[value=disable]"
page:find { text = "is disabled" }
local _, refusal <const> = luath.try(auth.signInWithEmail, auth, email, password)
assert(refusal and refusal.code == Auth.ErrorCode.userDisabled, "somebody disabled signed in")
page:close()
print "done"
