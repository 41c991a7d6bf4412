local json = require "luath.json"

---@field null userdata what stands for JSON's null, as a field of a table cannot hold nil
