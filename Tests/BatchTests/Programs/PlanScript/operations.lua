local batch = require "luath.batch"
return batch.define {
  operations = { tell = { run = function(op, account) end } },
  plan = function(row, accounts)
    local a = accounts:byUID "a"
    return {
      batch.setClaims { uid = a, claims = { level = 2 } },
      { batch.setEmail { uid = a, email = "x@example.com", emailVerified = true } },
      batch.update { uid = a, displayName = "Ada", photoURL = false },
      batch.operation("tell", { uid = a, words = { "hello" } }),
      batch.merge { survivor = a, losers = { "b", accounts:byUID "c" } },
    }
  end,
}
