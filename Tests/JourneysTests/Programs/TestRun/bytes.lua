local expect = require "luath.expect"
journey("M\xfcller", function() error("a\xff b") end)
journey("value", function() expect.equal("a\nb", "b \xff") end)
journey("words", function() expect.equal(1, 2, "\xff") end)
journey("code", function() error { code = "\xff", message = 0 / 0 } end)
journey("deferred", function(j) j:defer(function() error "\xff" end) end)
journey("said", function(j) j:step("\xff", function() print "\xe9" end) end)
