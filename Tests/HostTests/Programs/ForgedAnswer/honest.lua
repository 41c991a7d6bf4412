local ways = require "ForgedAnswer.ways"
for _, mode in ipairs { "query", "fragment" } do
  local tokens = ways.corp:signIn(ways[given.way](ways.honest), { responseMode = mode })
  equal(tokens.claims.email, "barbara@corp.example")
end
