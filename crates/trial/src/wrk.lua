-- Requests of a file, one after the other and from the start again. Each line is a path and, behind a tab, a cookie.

local requests = {}
local last = 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local path, cookie = line:match("^(%S+)\t(%S*)$")
    requests[#requests + 1] = wrk.format("GET", path, { ["Cookie"] = cookie })
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end
