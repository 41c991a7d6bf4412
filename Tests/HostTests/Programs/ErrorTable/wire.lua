local errors = require "support.errors"
for _, row in ipairs(given.rows) do
  local wire, code, number, name, web = table.unpack(row)
  fails("signInWithPassword", wire .. " : the backend's words")
  local err = refused(code, auth.signInWithEmail, auth, "a@b.example", "correct horse")
  errors.whole(err, number, name, web)
  equal(err.serverName, wire)
  assert(err.message:find("the backend's words", 1, true), err.message)
end
