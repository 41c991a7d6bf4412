local batch = require "luath.batch"
local task = require "luath.task"
return batch.define {
  operations = {
    drain = {
      run = function()
        os.execute "(luath batch ctl plan.ndjson drain >/dev/null; echo >drained) &"
        while not io.open "drained" do task.sleep(0.02) end
      end,
    },
  },
  plan = function() return batch.operation "drain" end,
}
