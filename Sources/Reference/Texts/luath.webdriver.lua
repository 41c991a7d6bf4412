local webdriver = require "luath.webdriver"
local page = webdriver.open()

--- Shows a form to try things on.
local function show(html)
  page:go("data:text/html," .. html)
end

--- Needs Chromium and chromedriver, or a WebDriver at the address of the option `driver`.

---@return Page page
---@error browserUnavailable when no browser or no driver is found
---@error browserFailed when the browser does not start
function webdriver.open()
  local page <close> = webdriver.open { timeout = 5 }
  page:go "data:text/html,<title>Hello</title>"
  print(page:title())
end

--- Verbs wait for their element: until it is there, can be seen and can be used, or the time is
--- over. A locator is a CSS selector, or a table that names the element as a person would.
---@class Page

---@error navigationFailed when the page cannot be loaded
---@error pageClosed when the page was closed
function Page:go()
  page:go "data:text/html,<h1>Hello</h1>"
  print(page:text "h1")
end

---@return string url
function Page:url()
  page:go "data:text/html,hello"
  print(page:url())
end

---@return string title
function Page:title()
  show "<title>Hello</title>"
  print(page:title())
end

---@return string html
function Page:source()
  show "<p>Hello</p>"
  print(page:source():find "Hello" ~= nil)
end

function Page:back()
  show "<p>one</p>"
  show "<p>two</p>"
  page:back()
  print(page:text())
end

function Page:reload()
  show "<p>Hello</p>"
  page:reload()
  print(page:text())
end

function Page:close()
  local page = webdriver.open()
  page:close()
  local good, err = pcall(page.title, page)
  print(good, err.code)
end

---@error elementNotFound when there is no such element in time
---@error ambiguousLocator when there are several
---@error notInteractable when it cannot be clicked in time
function Page:click()
  show "<button onclick='this.textContent=1'>Buy</button>"
  page:click { role = "button", name = "Buy" }
  print(page:text "button")
end

---@error elementNotFound when there is no such element in time
---@error notInteractable when it is no box
function Page:check()
  show "<label><input type=checkbox> I agree</label>"
  page:check { label = "I agree" }
  print(page:eval "return document.querySelector('input').checked")
end

---@error elementNotFound when there is no such element in time
---@error notInteractable when it is no box
function Page:uncheck()
  show "<label><input type=checkbox checked> I agree</label>"
  page:uncheck { label = "I agree" }
  print(page:eval "return document.querySelector('input').checked")
end

---@param text _ what is to stand there
---@error elementNotFound when there is no such element in time
---@error notInteractable when it is no field
function Page:fill()
  show "<label>Name <input></label>"
  page:fill({ label = "Name" }, "Ada")
  print(page:value "input")
end

---@param options _ the value or text of an option, or several
---@error elementNotFound when there is no such element or option in time
function Page:select()
  show "<select><option>Tea<option>Coffee</select>"
  page:select("select", "Coffee")
  print(page:value "select")
end

---@error elementNotFound when there is no such element in time
---@error fileFailed when the file cannot be read
function Page:upload()
  local path = os.tmpname()
  show "<input type=file>"
  page:upload("input", path)
  print(page:eval "return document.querySelector('input').files.length")
  os.remove(path)
end

---@param locator _ what gets the key; else what has the focus
---@error elementNotFound when there is no such element in time
function Page:press()
  show "<input autofocus>"
  page:press("x", "input")
  print(page:value "input")
end

---@return string text
---@error elementNotFound when there is no such element in time
function Page:text()
  show "<p>Hello <b>Ada</b></p>"
  print(page:text "b", page:text())
end

---@param name _ the attribute's name
---@return string? value
---@error elementNotFound when there is no such element in time
function Page:attribute()
  show "<a href='/help'>Help</a>"
  print(page:attribute({ text = "Help" }, "href"))
end

---@return string value
---@error elementNotFound when there is no such element in time
function Page:value()
  show "<input value=Ada>"
  print(page:value "input")
end

---@return boolean isVisible
function Page:isVisible()
  show "<p hidden>Hello</p>"
  print(page:isVisible "p")
end

---@return PageElement element
---@error elementNotFound when there is no such element in time
function Page:find()
  show "<form><input value=Ada></form>"
  print(page:find("form"):value())
end

---@return PageElement[] elements
function Page:findAll()
  show "<ul><li>Tea<li>Coffee</ul>"
  for _, item in ipairs(page:findAll "li") do print(item:text()) end
end

---@param condition _ one of `url`, `gone`, `fn`, or the fields of a locator
---@error timedOut when it does not come true in time
---@error javascriptError when the function of JavaScript raises
function Page:waitFor()
  show "<p>Hello</p>"
  page:waitFor { fn = "return document.title === ''", timeout = 1 }
  page:waitFor { text = "Hello" }
  print "it is there"
end

---@param script _ the body of a function; `return` returns a value; luath waits for a promise
---@return any value
---@error javascriptError when it raises
function Page:eval()
  show "<p>Hello</p>"
  print(page:eval("return arguments[0] + arguments[1]", 1, 2))
end

---@param auth _ an Auth with a signed-in user, or the result of `auth:browserState`
---@param app _ as for `auth:browserState`, and the path of the page to open
---@error nullUser when no user is signed in
---@error navigationFailed when the origin has no page that can be opened
---@error javascriptError when the browser stores nothing
---@error invalidArgument when the origin is none, or the API key is missing or another project's
function Page:signInAs()
  local auth = require("luath.auth").auth()
  auth:signInAnonymously()
  page:signInAs(auth, { origin = require("luath.emulator").origin, apiKey = "demo-key", persistence = "local" })
  print(page:eval "return localStorage.length")
end

---@param file _ where to write it, too
---@return string png
---@error fileFailed when the file cannot be written
function Page:screenshot()
  show "<p>Hello</p>"
  print(page:screenshot():sub(2, 4))
end

---@return { name: string, value: string, domain: string?, path: string, secure: boolean, httpOnly: boolean, expires: integer?, sameSite: string? }[] cookies
function Page:cookies()
  page:go(require("luath.emulator").origin .. "/")
  page:eval "document.cookie = 'seen=yes'"
  print(page:cookies()[1].name)
end

function Page:clearCookies()
  page:go(require("luath.emulator").origin .. "/")
  page:eval "document.cookie = 'seen=yes'"
  page:clearCookies()
  print(#page:cookies())
end

---@param options _ what it can do
---@return string authenticator
function Page:addAuthenticator()
  show "<p>Hello</p>"
  local name = page:addAuthenticator { transport = "usb" }
  print(#page:passkeys(name))
  page:removeAuthenticator(name)
end

---@error notSupported when there is no such authenticator
function Page:removeAuthenticator()
  show "<p>Hello</p>"
  page:removeAuthenticator(page:addAuthenticator())
end

---@return table[] passkeys each with id, rpId, resident, signCount and userHandle
function Page:passkeys()
  show "<p>Hello</p>"
  local name = page:addAuthenticator()
  print(#page:passkeys(name))
  page:removeAuthenticator(name)
end

---@param verified _ whether its user is taken for its owner
function Page:setVerified()
  show "<p>Hello</p>"
  local name = page:addAuthenticator()
  page:setVerified(name, false)
  page:removeAuthenticator(name)
end

--- What `page:find` and `page:findAll` return. Each verb finds it again, so that a page which
--- was drawn again does not matter.
---@class PageElement

---@error elementNotFound when it is not there in time
---@error notInteractable when it cannot be clicked in time
function PageElement:click()
  show "<form><button type=button onclick='this.textContent=1'>Buy</button></form>"
  local button = page:find "button"
  button:click()
  print(button:text())
end

---@error elementNotFound when it is not there in time
---@error notInteractable when it is no box
function PageElement:check()
  show "<input type=checkbox>"
  page:find("input"):check()
  print(page:eval "return document.querySelector('input').checked")
end

---@error elementNotFound when it is not there in time
---@error notInteractable when it is no box
function PageElement:uncheck()
  show "<input type=checkbox checked>"
  page:find("input"):uncheck()
  print(page:eval "return document.querySelector('input').checked")
end

---@param text _ what is to stand there
---@error elementNotFound when it is not there in time
---@error notInteractable when it is no field
function PageElement:fill()
  show "<input>"
  local field = page:find "input"
  field:fill "Ada"
  print(field:value())
end

---@param options _ the value or text of an option, or several
---@error elementNotFound when it, or the option, is not there in time
function PageElement:select()
  show "<select><option>Tea<option>Coffee</select>"
  local drinks = page:find "select"
  drinks:select "Coffee"
  print(drinks:value())
end

---@error elementNotFound when it is not there in time
---@error fileFailed when the file cannot be read
function PageElement:upload()
  local path = os.tmpname()
  show "<input type=file>"
  page:find("input"):upload(path)
  print(page:eval "return document.querySelector('input').files.length")
  os.remove(path)
end

---@error elementNotFound when it is not there in time
function PageElement:press()
  show "<input>"
  local field = page:find "input"
  field:press "x"
  print(field:value())
end

---@return string text
---@error elementNotFound when it is not there in time
function PageElement:text()
  show "<p>Hello</p>"
  print(page:find("p"):text())
end

---@param name _ the attribute's name
---@return string? value
---@error elementNotFound when it is not there in time
function PageElement:attribute()
  show "<a href='/help'>Help</a>"
  print(page:find("a"):attribute "href")
end

---@return string value
---@error elementNotFound when it is not there in time
function PageElement:value()
  show "<input value=Ada>"
  print(page:find("input"):value())
end

---@return boolean isVisible
function PageElement:isVisible()
  show "<p>Hello</p>"
  print(page:find("p"):isVisible())
end

---@return PageElement element
---@error elementNotFound when there is no such element in time
function PageElement:find()
  show "<form><input value=Ada></form><input value=Bob>"
  print(page:find("form"):find("input"):value())
end

---@return PageElement[] elements
function PageElement:findAll()
  show "<ul><li>Tea<li>Coffee</ul><li>Water"
  print(#page:find("ul"):findAll "li")
end
