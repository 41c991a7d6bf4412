-- An output of busted: a JSON object for each test that ended, with what was said of it.
return function()
  local busted = require "busted"
  local json = require "dkjson"
  local handler = require "busted.outputHandlers.base"()
  local told = {}

  function handler.keep(element, _, message)
    told[element] = told[element] or tostring(message)
    return nil, true
  end

  -- Hooks and blocks that fail are told without a test.
  function handler.outside(element, _, message)
    print(json.encode {
      status = "error", kind = element.descriptor, name = element.name or "", message = message,
    })
    return nil, true
  end

  function handler.ended(element, _, status)
    print(json.encode {
      status = status, kind = "test", name = handler.getFullName(element),
      message = told[element],
    })
    return nil, true
  end

  busted.subscribe({ "test", "end" }, handler.ended)
  busted.subscribe({ "failure", "it" }, handler.keep)
  busted.subscribe({ "error", "it" }, handler.keep)
  for _, kind in ipairs {
    "file", "describe", "before_each", "after_each", "strict_setup", "strict_teardown",
    "lazy_setup", "lazy_teardown",
  } do
    busted.subscribe({ "error", kind }, handler.outside)
  end
  return handler
end
