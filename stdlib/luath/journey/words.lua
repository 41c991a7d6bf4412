--- The words of busted: describe, it, before_each and so on, and what `luath.journey` adds.
local words = {}

local kinds <const> = require "luath.expect.kinds"
local tree <const> = require "luath.journey.tree"
local failures <const> = require "luath.journey.failures"
local environment <const> = require "luath.journey.environment"
local refuse <const> = failures.refuse

--- Ends the test that runs, as neither passed nor failed.
function words.verdict(state, reason)
  error(setmetatable({ state = state, reason = reason }, failures.Verdict))
end

--- Refuses a word where it has no sense: within a test or a hook.
local function insideBlock(word)
  if not tree.root then
    refuse("'%s' needs luath test: run this file with it", word)
  elseif not tree.current or not tree.current.isBlock then
    refuse("'%s' not supported inside current context block", word)
  end
  environment.notice()
end

local function mistake(word, expected, value)
  refuse("bad argument to '%s' (%s expected, got %s)", word, expected, type(value))
end

--- Sorts the arguments of a word: (name, body), (name, options, body) or (body).
local function sorted(word, name, options, body)
  if kinds.isCallable(name) and options == nil and type(name) ~= "string" then
    return nil, nil, name
  end
  if body == nil and kinds.isCallable(options) then
    options, body = nil, options
  end
  if name ~= nil and type(name) ~= "string" then
    mistake(word, "a name", name)
  elseif options ~= nil and type(options) ~= "table" then
    mistake(word, "a function", options)
  elseif body ~= nil and not kinds.isCallable(body) then
    mistake(word, "a function", body)
  end
  return name, options, body
end

local function placed(element)
  local _, file, line = failures.place(2)
  element.file, element.line = file, line
  return element
end

local function taken(element, options)
  for key, value in pairs(options or {}) do
    if key ~= "tags" then
      refuse("unknown option '%s' of a block or test of busted's words", tostring(key))
    end
    element.tags = type(value) == "table" and value or { value }
  end
  return element
end

--- Makes a word that declares something: `describe(name, body)`, `describe "name" (body)`.
local function declaring(word, add)
  return function(name, options, body)
    insideBlock(word)
    name, options, body = sorted(word, name, options, body)
    local function declare(given)
      insideBlock(word)
      if not kinds.isCallable(given) then
        mistake(word, "a function", given)
      end
      add(given, name or word, options)
    end
    if body then
      return declare(body)
    end
    return declare
  end
end

--- Makes a word that declares a block.
local function blockWord(word, kind)
  return declaring(word, function(body, name, options)
    taken(placed(tree.addBlock(kind, name, body)), options)
  end)
end

--- Makes a word that declares a test.
local function testWord(word)
  return declaring(word, function(body, name, options)
    taken(placed(tree.addTest { kind = "it", name = name, body = body }), options)
  end)
end

--- Makes a word that declares a hook; those of busted get no arguments.
function words.hookWord(word, kind, isBare)
  return declaring(word, function(body, _, options)
    if options then
      mistake(word, "a function", options)
    end
    tree.addHook(kind, body, word, isBare)
  end)
end

local function pending(name, body)
  if tree.current and tree.current.isTest then
    words.verdict("pending", name)
  end
  insideBlock "pending"
  local named, _, given = sorted("pending", name, nil, body)
  placed(tree.addTest {
    kind = "it", name = named or "pending", body = given, state = "pending",
  })
end

--- Gives the children of the current block another order, which the run's seed decides.
local function randomize(...)
  insideBlock "randomize"
  local first, second = ...
  local wanted = select("#", ...) == 0 or first
  tree.current.randomize = wanted and { seed = tonumber(first) or tonumber(second) } or nil
end

function words.finally(body)
  local test = tree.current
  if not (test and test.isTest) then
    refuse("'finally' not supported inside current context block")
  elseif not kinds.isCallable(body) then
    mistake("finally", "a function", body)
  end
  test.finally = body
end

--- Puts the words where files find them.
function words.install()
  local all = environment.words
  for word, kind in pairs {
    describe = "describe", context = "describe", insulate = "insulate", expose = "expose",
  } do
    all[word] = blockWord(word, kind)
  end
  for _, word in ipairs { "it", "spec", "test" } do
    all[word] = testWord(word)
  end
  for word, kind in pairs {
    before_each = "before_each", after_each = "after_each",
    setup = "strict_setup", strict_setup = "strict_setup", lazy_setup = "lazy_setup",
    teardown = "strict_teardown", strict_teardown = "strict_teardown",
    lazy_teardown = "lazy_teardown",
  } do
    all[word] = words.hookWord(word, kind, true)
  end
  all.pending, all.randomize, all.finally = pending, randomize, words.finally
end

return words
