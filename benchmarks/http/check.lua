-- POST /v1/check for one of 1,000 users; the limit is high, so that every one is admitted.
local users = 1000
local requests = {}

-- Formatted in init, because wrk sets the Host header just before it.
function init()
  for i = 1, users do
    requests[i] = wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
      '{"attributes":{"user":"user-' .. i .. '"}}')
  end
end

local at = 0
function request()
  at = at % users + 1
  return requests[at]
end
