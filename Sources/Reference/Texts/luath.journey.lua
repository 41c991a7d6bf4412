local journey = require "luath.journey"
local expect = require "luath.expect"

--- Declares a journey: a sign-in story that `luath test` runs and reports.
---
---@param name string the journey's name; `{column}` is replaced by the row's, and `#word` is a tag
---@param options? table when and how it runs
---@param options.tags? string[] words to select by
---@param options.timeout? number seconds for one attempt; `--timeout` when not given
---@param options.retries? integer how often it is tried again when it fails
---@param options.skip? boolean|string true, or why it is not run
---@param options.only? boolean whether all that are not declared so are left out
---@param options.pending? boolean|string true, or why it is not written
---@param options.each? table[]|string rows, or the path of a CSV, JSON or NDJSON file with them
---@param options.weight? integer under `luath load`: how often it is begun beside the others; 1 when not given
---@param body fun(j: Journey, row: table) its story
function journey.__call(name, options, body)
  journey("a new customer signs up", { tags = { "password" } }, function(j)
    local ada = j.users:new()
    j:step("she makes an account", function()
      expect.equal(ada:createAccount().email, ada.email)
    end)
  end)
end

---@param name string the journey's name
---@param options? table as of `journey`
---@param body fun(j: Journey, row: table) its story
function journey.skip(name, options, body)
  journey.skip("a customer pays", { skip = "the shop is closed" }, function() end)
  journey("a customer looks around", function() end)
end

---@param name string the journey's name
---@param options? table as of `journey`
---@param body fun(j: Journey, row: table) its story
function journey.only(name, options, body)
  journey.only("a customer pays", function(j)
    expect.isNil(j.users:new().user)
  end)
end

---@param name string the journey's name
---@param options? table as of `journey`
---@param body? fun(j: Journey, row: table) its story, as far as it is written
function journey.pending(name, options, body)
  journey.pending "a customer pays"
  journey("a customer looks around", function() end)
end

---@param settings table for all journeys of the file
---@param settings.parallel? boolean whether they may run side by side
---@param settings.project? "journey"|"file" a new emulated project for each (the default), or one for all
---@param settings.tags? string[] words to select by
---@param settings.timeout? number seconds for one attempt
---@param settings.retries? integer how often one is tried again when it fails
function journey.configure(settings)
  journey.configure { tags = { "shop" }, timeout = 20 }
  journey("a customer looks around", function(j)
    expect.contains(j.tags, "shop")
  end)
end

---@param settings table for `luath load` with the journeys of the file; options of the command line win
---@param settings.vus? integer the number of virtual users
---@param settings.duration? string how long journeys begin, such as "30s" or "5m"
---@param settings.rate? number journeys per second, whether or not earlier ones have ended
---@param settings.stages? string|string[] ramps: { "30s:100", "2m:100" } of users, { "30s:100/s" } of the rate
---@param settings.maxVUs? integer up to how many users are added when none is free; with a rate
---@param settings.thresholds? string|string[] limits such as "p95<300ms"
---@param settings.abortOnFail? boolean|string whether a missed limit ends the run; or after which time it may
---@param settings.warmUp? string how long at the start nothing is counted
---@param settings.thinkTime? string the pause of a user after each journey: "1s" or "500ms..2s"
---@param settings.data? string the path of a CSV, JSON or NDJSON file whose rows the journeys get
---@param settings.gracefulStop? string how long journeys may go on at the end
function journey.load(settings)
  journey.load { stages = { "30s:100", "2m:100", "30s:0" }, thresholds = "p95<300ms" }
  journey("a customer looks around", function(j)
    j.users:new()
  end)
end

---@param name string the fixture's name
---@param options? table how long it lasts
---@param options.scope? "journey"|"file"|"run" how long a value lasts; "journey" when not given
---@param options.timeout? number seconds it may take to make; and for each deferred function, 5
---@param options.automatic? boolean whether every journey uses it without asking
---@param build fun(f: Journey): any makes the value; may wait, may fail; of scope "file" or "run", it receives a Fixture
---@overload fun(name: string, options: { scope: "file"|"run", timeout?: number, automatic?: boolean, [string]: nil }, build: (fun(f: Fixture): any)): table
---@return table fixture for `j:use`
function journey.fixture(name, options, build)
  local shop = journey.fixture("shop", function(f)
    f:defer(function() f:log "the shop is closed" end)
    return { name = "Corner shop" }
  end)
  journey("a customer looks around", function(j)
    expect.equal(j:use(shop).name, "Corner shop")
  end)
end

---@param name string the block's name
---@param options? table what the journeys of the block have in common
---@param options.tags? string[] words to select by
---@param body fun() declares the journeys of the block
function journey.group(name, options, body)
  journey.group("in the shop", function()
    journey("a customer looks around", function(j)
      expect.equal(j.path[1], "in the shop")
    end)
  end)
end

--- Has a function run before each journey of the block, and of the blocks in it.
---
---@param body fun(j: Journey) the hook
function journey.beforeEach(body)
  journey.beforeEach(function(j) j.ada = j.users:new { password = "correct horse" } end)
  journey("she signs in", function(j)
    expect.equal(j.ada:signIn().user.email, j.ada.email)
  end)
end

--- Has a function run after each journey of the block, and of the blocks in it.
---
---@param body fun(j: Journey) the hook
function journey.afterEach(body)
  journey.afterEach(function(j) j:log(j.name .. " is over") end)
  journey("a customer looks around", function() end)
end

--- Has a function run before the first journey of the block.
---
---@param body fun(b: Block) the hook
function journey.beforeAll(body)
  local prices
  journey.beforeAll(function() prices = { tea = 3 } end)
  journey("tea has a price", function() expect.equal(prices.tea, 3) end)
end

--- Has a function run after the last journey of the block.
---
---@param body fun() the hook
function journey.afterAll(body)
  local count = 0
  journey.afterAll(function() expect.equal(count, 1) end)
  journey("a customer looks around", function() count = count + 1 end)
end

--- Has a function run when the journey that runs is over, as busted has it.
---
---@param body fun() what is to be done
function journey.finally(body)
  journey("a customer leaves", function()
    journey.finally(function() print "the door is closed" end)
  end)
end

--- A journey that runs. Fields of a script's own may be set, as hooks hand things on.
---@class Journey
---@field name string what it is called
---@field path string[] the names of the blocks around it and its own
---@field tags string[] the words to select it by
---@field row? table the row of a data-driven journey
---@field attempt integer 1, or more after retries
---@field users Users creates the test users of the journey

---@async
---@param name string the step's name
---@param body fun(...: any): ...any what is done
---@param ... any its arguments
---@return any ... what it returns
function Journey:step(name, body, ...)
  journey("a new customer", function(j)
    local ada = j.users:new()
    local user = j:step("Ada makes an account", function() return ada:createAccount() end)
    expect.equal(user.email, ada.email)
  end)
end

---@param ending fun() what is to be done; it may wait
function Journey:defer(ending)
  journey("a customer looks around", function(j)
    j:defer(function() j:log "the door is closed" end)
  end)
end

---@async
---@param fixture any a fixture, or its name
---@return any value
function Journey:use(fixture)
  journey.fixture("shop", function() return "Corner shop" end)
  journey("a customer looks around", function(j)
    expect.equal(j:use "shop", "Corner shop")
  end)
end

---@param reason? string why
function Journey:skip(reason)
  journey("a customer pays", function(j)
    j:skip "the shop is closed"
  end)
  journey("a customer looks around", function() end)
end

---@param reason? string why
function Journey:pending(reason)
  journey("a customer pays", function(j)
    j:pending "the shop has no payments yet"
  end)
  journey("a customer looks around", function() end)
end

---@param text any the text
function Journey:log(text)
  journey("a customer looks around", function(j)
    j:log "the shop is nice"
  end)
end

---@async
---@param name string what the reports call it
---@param data string|Page a text, the bytes of a file, or an open page: its picture and its masked HTML
---@param mediaType? string such as `text/csv`; guessed from the content when not given
function Journey:attach(name, data, mediaType)
  journey("a customer fills a basket", function(j)
    j:attach("the basket", "tea,2\ncake,1\n", "text/csv")
  end)
end

---@param text string what nobody may see
---@return string text
function Journey:secret(text)
  journey("a customer has a coupon", function(j)
    local coupon = j:secret "TEA-4711-FREE"
    print("the coupon is " .. coupon)
  end)
end

---@param prefix? string what the name begins with
---@return string name
function Journey:unique(prefix)
  journey("a new customer", function(j)
    local ada = j.users:new { email = j:unique "ada" .. "@luath.example" }
    expect.startsWith(ada.email, "ada")
  end)
end

--- What the hook of `journey.beforeAll` receives.
---@class Block
---@field name string the name of the block
---@field log fun(self: Block, text: any) writes a line to the report
---@field secret fun(self: Block, text: string): string keeps a value out of every report and returns it
---@field skip fun(self: Block, reason: string?) skips the journeys of the block
---@field pending fun(self: Block, reason: string?) marks the journeys of the block as pending

--- What the function of a fixture of scope "file" or "run" receives. Others receive the journey.
---@class Fixture
---@field name string the name of the fixture
---@field users Users creates test users, which are deleted when the scope ends
---@field defer fun(self: Fixture, ending: fun()) has a function run when the scope ends; the newest runs first
---@field use fun(self: Fixture, fixture: any): any the value of a fixture of the same scope or a wider one
---@field attach fun(self: Fixture, name: string, data: string|Page, mediaType: string?) adds a file or page to the reports
---@field log fun(self: Fixture, text: any) writes a line to the report
---@field secret fun(self: Fixture, text: string): string keeps a value out of every report and returns it

--- Creates the test users of a journey, which are deleted after it.
---@class Users

---@async
---@param options? table as of `actor.new`
---@return Actor person
function Users:new(options)
  journey("a customer with a password", function(j)
    local ada = j.users:new { email = "ada@luath.example", password = "correct horse" }
    expect.equal(ada:signIn().user.email, "ada@luath.example")
  end)
end

---@param email string the e-mail address
---@param options? table as of `actor.get`
---@return Actor person
function Users:get(email, options)
  journey("a person of the project file", function(j)
    local grace = j.users:get "grace@fabrikam.example"
    expect.equal(grace:signIn("microsoft.com").user.displayName, "Grace Hopper")
  end)
end
