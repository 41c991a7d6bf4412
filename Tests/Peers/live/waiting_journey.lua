--- A journey that waits until the test lets it go on, by a file.
local journey <const> = require "luath.journey"
local task <const> = require "luath.task"

journey("it waits for a file", { tags = { "slow" } }, function(j)
  j:step("until the file is there", function()
    local path <const> = os.getenv "LUATH_TEST_GO"
    while path do
      local file <const> = io.open(path)
      if file then
        file:close()
        break
      end
      task.sleep(0.02)
    end
  end)
end)
