-- Does all it can to have its secrets shown, and writes them down for the test.
local luath, journey = require "luath", require "luath.journey"
local http, emulator = require "luath.http", require "luath.emulator"
local webdriver, ui = require "luath.webdriver", require "luath.ui"

local function show(j, secret)
  local file = assert(io.open("known.txt", "a"))
  file:write(secret, "\n")
  file:close()
  print("it is " .. secret)
  j:log("<" .. secret .. ">")
end

journey("shows everything", function(j)
  local ada = j.users:new { name = "Ada", password = "hunter2-pass" }
  show(j, "hunter2-pass")
  show(j, luath.secret "API_SECRET")
  show(j, j:secret "marked / s3cret?&=")
  local user = ada:signIn("google.com").user
  show(j, user:getIDToken())
  show(j, user.refreshToken)
  j:step("with " .. user.refreshToken, function()
    ada.user:updatePassword "another-s3cret"
  end)
  show(j, "another-s3cret")
  http.post(emulator.origin .. "/nowhere?key=an-unknown-key-1&code=co-de-0123", {
    headers = { Authorization = "Basic YWRhOnBhcjBsZS0x", Cookie = "sid=c00kie-value" },
    form = { password = "form-s3cret", note = "hunter2-pass" },
  })
  for _, secret in ipairs { "form-s3cret", "par0le-1", "an-unknown-key-1", "co-de-0123",
    "c00kie-value" } do
    show(j, secret)
  end
  ada.user:sendEmailVerification()
  local mail = ada:newestEmail()
  show(j, mail.oobCode)
  j:log(mail.text .. mail.html)
  show(j, "cl1ent-secret-of-google")
  require("luath.expect").snapshot {
    token = user:getIDToken(), text = "marked / s3cret?&= and another-s3cret",
    env = "env-s3cret-value", link = "http://127.0.0.1:1/a?oobCode=co-de-0123&lang=fr",
    body = '{"refreshToken":"' .. user.refreshToken .. '","password":"hunter2-pass"}',
  }
  -- A picture whose comment is a secret: a chunk of a PNG between its first and the others.
  local page = webdriver.open()
  page:go "about:blank"
  local picture = page:screenshot()
  local comment = "Comment\0hunter2-pass"
  j:attach("picture", picture:sub(1, 33) .. (">I4"):pack(#comment) .. "tEXt" .. comment .. "\0\0\0\0"
    .. picture:sub(34), "image/png")
  j:attach("hunter2-pass", "code=co-de-0123\n" .. user.refreshToken)
  j:attach("bytes", "\xFF" .. user.refreshToken .. "\xFE")
  page:go(emulator.origin .. "/?code=co-de-0123&x=hunter2-pass#state=c00kie-value")
  page:eval([[
    document.title = document.body.textContent = arguments[0];
    document.body.innerHTML += `<input name=otp value="${arguments[0]}"><p title="${arguments[0]}">`;
    console.log("it is " + arguments[0]);
    setTimeout(() => { throw new Error(arguments[0]) }, 0);
    return fetch("/nowhere?key=an-unknown-key-1&x=" + arguments[0]).then(() => true)
  ]], user.refreshToken)
  j:attach("page", page)
  pcall(ui.show, ui.webdriver {
    username = "ada", password = "form-s3cret", timeout = 20,
    script = function(shown)
      shown:go("data:text/html,<input name=q value=form-s3cret><p>form-s3cret hunter2-pass")
      error "form-s3cret"
    end,
  }, emulator.origin .. "/?state=hunter2-pass", "http://127.0.0.1:9/callback")
  local place = "hunter2-pass/cl1ent-secret-of-google"
  assert(load("local j = ... j:step('a place', function() end)", "@" .. place))(j)
  require("luath.expect").soft.equal("hunter2-pass", user.refreshToken)
  error { message = "hunter2-pass " .. user.refreshToken, where = place .. ":1" }
end)
