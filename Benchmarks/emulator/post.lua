-- A script for wrk: POSTs the lines of a file, one after another and round again.
--
--   wrk -t1 -c16 -d2s --latency -s post.lua URL -- CONTENT-TYPE FILE
--
-- The first COUNT in a line becomes a number of its own in each request. Prints one line of JSON.

local plain, parts = {}, nil
local turn, count = 0, 0

function init(arguments)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = arguments[1]
  wrk.headers["Authorization"] = arguments[3]
  for line in io.lines(arguments[2]) do
    local first, last = line:find("COUNT", 1, true)
    if first then
      parts = { line:sub(1, first - 1), line:sub(last + 1) }
    else
      plain[#plain + 1] = wrk.format(nil, nil, nil, line)
    end
  end
  -- What was signed up in an earlier round is taken.
  count = os.time() * 1000000
end

function request()
  if parts then
    count = count + 1
    return wrk.format(nil, nil, nil, parts[1] .. string.format("%.0f", count) .. parts[2])
  end
  turn = turn % #plain + 1
  return plain[turn]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "seconds": %.6f, "refused": %d, "broken": %d, "p50": %.3f, "p99": %.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
