local batch = require "luath.batch"
local Admin <const> = require "luath.admin"
return batch.define {
  key = "uid",
  operations = {
    greet = {
      run = function(op, account)
        if op.name == "nobody" then error("there is nobody to greet") end
        Admin.admin():updateUser(account.uid, { displayName = op.name })
      end,
      isDone = function(op, account) return account.displayName == op.name end,
    },
  },
  plan = function(row)
    return batch.operation("greet", { uid = row.uid, name = row.name })
  end,
}
