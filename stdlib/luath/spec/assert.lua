--- `assert` as specs have it: luassert's whole surface over the failures of `luath.expect`.
local assert <const> = require "luath.spec.engine"

assert._VERSION = "Luassert 1.9.0"

require "luath.spec.messages"
require "luath.spec.assertions"
require "luath.spec.match"
require "luath.spec.formatters"

return assert
