local expect = require "luath.expect"
local Auth = require "luath.auth"

--- A check that fails raises an error with `message`, `expected`, `actual`, `diff`, `expression`,
--- `where` and `hint`. One that holds returns what it checked.
---
---@field no luath.expect wants the contrary: `expect.no.equal(a, b)`
---@field soft luath.expect notes a failure and goes on; the journey fails at its end

--- Names what the checks that follow are about.
---
---@param value any what is checked
---@return Expectation expectation
function expect.__call(value)
  expect("tea time"):isType "string":startsWith "tea"
  expect("tea time").no:empty()
end

--- Raises unless both are equal, by `==`.
---
---@param actual any what is checked
---@param expected any what it must be
---@param message? string what was being checked
---@return any actual
function expect.equal(actual, expected, message)
  local user = Auth.auth():signInAnonymously().user
  expect.equal(user.isAnonymous, true)
  expect(1 + 1):equal(2)
end

--- Raises unless both have the same contents, at any depth.
---
---@param actual any what is checked
---@param expected any what it must look like; placeholders count
---@param message? string what was being checked
---@return any actual
function expect.same(actual, expected, message)
  expect.same({ 1, { x = 2 } }, { 1, { x = 2 } })
  expect({ 1, 2 }):same { 1, 2 }
end

--- Raises unless a string has a pattern, or a table or object has some fields.
---
---@param actual any what is checked
---@param pattern any a Lua pattern for a string; fields that a table must have; a placeholder
---@param message? string what was being checked
---@return any actual
function expect.matches(actual, pattern, message)
  local user = Auth.auth():signInAnonymously().user
  expect.matches(user, { uid = expect.any.uid, isAnonymous = true })
  expect("luath 1.0"):matches "%d+%.%d+"
end

--- Raises unless a string has a part, or a table a value.
---
---@param actual any what is checked
---@param item any a part of a string, or a value in a table
---@param message? string what was being checked
---@return any actual
function expect.contains(actual, item, message)
  expect.contains({ "tea", "coffee" }, "tea")
  expect("tea time"):contains "tea"
end

--- Raises unless it has so many bytes or entries.
---
---@param actual any what is checked
---@param length integer bytes of a string, entries of a table
---@param message? string what was being checked
---@return any actual
function expect.length(actual, length, message)
  expect.length({ 1, 2 }, 2)
  expect("tea"):length(3)
end

--- Raises unless it is a string without bytes or a table without entries.
---
---@param actual any what is checked
---@param message? string what was being checked
---@return any actual
function expect.empty(actual, message)
  expect.empty {}
  expect("tea").no:empty()
end

--- Raises if it is nil or false.
---
---@param actual any what is checked
---@param message? string what was being checked
---@return any actual
function expect.truthy(actual, message)
  expect.truthy(0)
  expect("tea"):truthy()
end

--- Raises unless it is nil or false.
---
---@param actual any what is checked
---@param message? string what was being checked
---@return any actual
function expect.falsy(actual, message)
  expect.falsy(nil)
  expect(false):falsy()
end

--- Raises unless it is true itself.
---
---@param actual any what is checked
---@param message? string what was being checked
---@return any actual
function expect.isTrue(actual, message)
  expect.isTrue(1 < 2)
  expect(1 < 2):isTrue()
end

--- Raises unless it is false itself.
---
---@param actual any what is checked
---@param message? string what was being checked
---@return any actual
function expect.isFalse(actual, message)
  expect.isFalse(1 > 2)
  expect(1 > 2):isFalse()
end

--- Raises unless it is nil.
---
---@param actual any what is checked
---@param message? string what was being checked
---@return any actual
function expect.isNil(actual, message)
  expect.isNil(Auth.session().currentUser)
  expect(nil):isNil()
end

--- Raises unless it is of a type.
---
---@param actual any what is checked
---@param name string a type of Lua, `integer`, `float`, or a class such as `User`
---@param message? string what was being checked
---@return any actual
function expect.isType(actual, name, message)
  expect.isType(Auth.auth(), "Auth")
  expect(3):isType "integer"
end

--- Raises unless it is more than a bound.
---
---@param actual any what is checked
---@param bound number|string what it must be more than
---@param message? string what was being checked
---@return any actual
function expect.above(actual, bound, message)
  expect.above(3, 2)
  expect("b"):above "a"
end

--- Raises unless it is less than a bound.
---
---@param actual any what is checked
---@param bound number|string what it must be less than
---@param message? string what was being checked
---@return any actual
function expect.below(actual, bound, message)
  expect.below(2, 3)
  expect(2):below(3)
end

--- Raises if it is less than a bound.
---
---@param actual any what is checked
---@param bound number|string what it may not be less than
---@param message? string what was being checked
---@return any actual
function expect.atLeast(actual, bound, message)
  expect.atLeast(3, 3)
  expect(4):atLeast(3)
end

--- Raises if it is more than a bound.
---
---@param actual any what is checked
---@param bound number|string what it may not be more than
---@param message? string what was being checked
---@return any actual
function expect.atMost(actual, bound, message)
  expect.atMost(3, 3)
  expect(2):atMost(3)
end

--- Raises unless a number is near another.
---
---@param actual any what is checked
---@param expected number what it must be near to
---@param tolerance number how far it may be from it
---@param message? string what was being checked
---@return any actual
function expect.near(actual, expected, tolerance, message)
  expect.near(0.1 + 0.2, 0.3, 1e-9)
  expect(0.1 + 0.2):near(0.3, 1e-9)
end

--- Raises unless a string begins with another.
---
---@param actual any what is checked
---@param text string what it begins with
---@param message? string what was being checked
---@return any actual
function expect.startsWith(actual, text, message)
  expect.startsWith("tea time", "tea")
  expect("tea time"):startsWith "tea"
end

--- Raises unless a string ends with another.
---
---@param actual any what is checked
---@param text string what it ends with
---@param message? string what was being checked
---@return any actual
function expect.endsWith(actual, text, message)
  expect.endsWith("tea time", "time")
  expect("tea time"):endsWith "time"
end

--- Calls a function, with arguments if there are any; returns the error that it raises.
---
--- Without `wanted` any error will do. A check that fails inside the function fails as it is.
---
---@async
---@param wanted? string|integer|table a code (of `err.code`, `err.webCode`, `err.name`, `err.rawValue`), fields, or a placeholder
---@param f function what is called
---@param ... any its arguments
---@return AuthError|any err
function expect.raises(wanted, f, ...)
  local auth = Auth.auth()
  local err = expect.raises("emailAlreadyInUse", function()
    auth:createUser("ada@luath.example", "correct horse")
    auth:createUser("ada@luath.example", "correct horse")
  end)
  expect.equal(err.code, "emailAlreadyInUse")
end

--- Calls a function until it raises nothing and returns neither nil nor false; returns its results.
---
--- A function that returns no value holds only if a check in it passes.
---
---@async
---@param f fun(): any what is tried
---@param options? table how long, and how often
---@param options.timeout? number seconds to try; 5
---@param options.interval? number seconds between two tries; 0.05
---@param message? string what was being checked
---@return any ...
function expect.eventually(f, options, message)
  local tries = 0
  expect.eventually(function()
    tries = tries + 1
    return tries == 3
  end, { timeout = 2, interval = 0.01 })
  expect.equal(tries, 3)
end

--- Compares a value with its snapshot, a text in the file FILE.snap beside the journey file FILE.
---
--- The first time, luath writes the snapshot; with the environment variable CI, the check fails.
--- `luath test --update-snapshots` replaces snapshots that differ. Secrets, uids, times and the
--- ports of this machine are replaced by their kinds. The value is a string, a number, a boolean, a
--- table of them, or a response of luath.http. Only journeys that `luath test` runs have snapshots.
---
---@param value any what is compared
---@param name? string of the snapshot; the others of a journey are numbered
---@return any value
function expect.snapshot(value, name)
  local user = Auth.auth():signInAnonymously().user
  expect.snapshot({ uid = user.uid, isAnonymous = user.isAnonymous }, "account")
end

--- Fails.
---
---@param message string why
function expect.fail(message)
  local good, err = pcall(expect.fail, "the shop is closed")
  print(good, err.message)
end

--- Adds custom checks; each function gets what is checked and the arguments of the call.
---
--- It returns whether the check holds, and if not, a message or a table with `message`, `expected`,
--- `actual` and `hint`.
---
---@param functions table<string, fun(actual: any, ...: any): boolean, any> the checks by name
function expect.extend(functions)
  expect.extend {
    even = function(number) return number % 2 == 0, number .. " is odd" end,
  }
  expect.even(4)
  expect(4):even()
end

--- Anything but nil.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.value(narrow)
  expect.matches({ x = 1 }, { x = expect.any.value })
end

--- Nothing: that there is no such field.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.absent(narrow)
  expect.matches({ x = 1 }, { y = expect.any.absent })
end

--- True or false.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.boolean(narrow)
  expect.matches({ x = false }, { x = expect.any.boolean })
end

--- A function.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.func(narrow)
  expect.matches({ x = print }, { x = expect.any.func })
end

--- An object of luath or of another library.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.userdata(narrow)
  expect.matches({ x = Auth.auth() }, { x = expect.any.userdata })
end

--- A string; called with a Lua pattern, one that has it somewhere.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.string(narrow)
  expect.matches({ x = "tea 3" }, { x = expect.any.string "%d" })
end

--- A number; called with a table, one between `min` and `max`.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.number(narrow)
  expect.matches({ x = 3 }, { x = expect.any.number { min = 1, max = 9 } })
end

--- A number without a fraction, kept as an integer.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.integer(narrow)
  expect.matches({ x = 3 }, { x = expect.any.integer })
end

--- A table; called with one, a table that has these fields.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.table(narrow)
  expect.matches({ x = { y = 1 } }, { x = expect.any.table { y = 1 } })
end

--- A list; called with a value or a placeholder, a list of nothing else.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.list(narrow)
  expect.matches({ x = { 1, 2 } }, { x = expect.any.list(expect.any.integer) })
end

--- The uid of an account: 1 to 128 characters without blanks.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.uid(narrow)
  expect.matches(Auth.auth():signInAnonymously().user, { uid = expect.any.uid })
end

--- An e-mail address; called with a domain, one of that domain.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.email(narrow)
  expect.matches({ x = "ada@luath.example" }, { x = expect.any.email "luath.example" })
end

--- A web address with scheme and host.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.url(narrow)
  expect.matches({ x = "https://luath.example/" }, { x = expect.any.url })
end

--- A UUID as RFC 9562 writes it.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.uuid(narrow)
  expect.matches({ x = "123e4567-e89b-12d3-a456-426614174000" }, { x = expect.any.uuid })
end

--- A time: a date of RFC 3339, or seconds or milliseconds since
--- 1970, also as a text of digits.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.timestamp(narrow)
  expect.matches({ x = "2026-01-31T12:00:00Z" }, { x = expect.any.timestamp })
end

--- A JWT; called with claims, one that has these; nothing is verified.
---
---@param narrow? any what makes a narrower one
---@return Placeholder placeholder
function expect.any.jwt(narrow)
  local token = Auth.auth():signInAnonymously().user:getIDToken()
  expect.matches({ x = token }, { x = expect.any.jwt { sub = expect.any.uid } })
end

--- An object of luath of a class.
---
---@param class string such as `User`
---@return Placeholder placeholder
function expect.any.object(class)
  expect.matches({ x = Auth.auth() }, { x = expect.any.object "Auth" })
end

--- One of several values.
---
---@param ... any the values
---@return Placeholder placeholder
function expect.any.of(...)
  expect.matches({ x = 2 }, { x = expect.any.of(1, 2, 3) })
end

--- A value for which a function returns true.
---
---@param test fun(value: any): boolean, string? whether a value fits, and why not
---@param words? string what is shown for it
---@return Placeholder placeholder
function expect.any.where(test, words)
  local even = expect.any.where(function(x) return x % 2 == 0 end, "an even number")
  expect.matches({ x = 2 }, { x = even })
end

--- Stands for a value that cannot be given exactly, in `same`, `matches`, `contains` and `raises`.
---@class Placeholder

--- What `expect(value)` returns. Each check of `expect` is a method, without the value, that returns
--- the same again, so that they can follow one another.
---@class Expectation
---@field no Expectation wants the contrary: `expect(name).no:empty()`
---@field soft Expectation notes a failure and goes on; the journey fails at its end
