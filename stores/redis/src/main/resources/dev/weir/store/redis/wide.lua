-- The token bucket whose numbers exceed 2^53: the same in numbers of three limbs, each below ten millions.

local function wide()
  local op = {}
  local BASE = 10000000

  local function big(number)
    return { number % BASE, floor(number / BASE) % BASE, floor(number / (BASE * BASE)) }
  end

  local function fromText(text)
    text = string.rep('0', 21 - #text) .. text
    return { tonumber(sub(text, 15, 21)), tonumber(sub(text, 8, 14)), tonumber(sub(text, 1, 7)) }
  end

  local function toText(a)
    return string.format('%07d%07d%07d', a[3], a[2], a[1])
  end

  -- About as much: exact below 2^53.
  local function about(a)
    return (a[3] * BASE + a[2]) * BASE + a[1]
  end

  local function less(a, b)
    if a[3] ~= b[3] then
      return a[3] < b[3]
    end
    if a[2] ~= b[2] then
      return a[2] < b[2]
    end
    return a[1] < b[1]
  end

  local function carried(one, two, three)
    local over = floor(one / BASE)
    two = two + over
    local next = floor(two / BASE)
    return { one - over * BASE, two - next * BASE, three + next }
  end

  local function add(a, b)
    return carried(a[1] + b[1], a[2] + b[2], a[3] + b[3])
  end

  -- a is not below b.
  local function subtract(a, b)
    return carried(a[1] - b[1], a[2] - b[2], a[3] - b[3])
  end

  -- The product is below ten to the 21st.
  local function multiply(a, b)
    return carried(a[1] * b[1], a[1] * b[2] + a[2] * b[1], a[1] * b[3] + a[2] * b[2] + a[3] * b[1])
  end

  local ZERO, ONE = big(0), big(1)

  local function smaller(a, b)
    return less(a, b) and a or b
  end

  -- The quotient rounded down, and the rest. Each round subtracts nearly all that is left, and never too much.
  local function divide(a, b)
    local quotient = ZERO
    while not less(a, b) do
      local guess = big(max(1, floor(about(a) / about(b) * (1 - 1e-14))))
      a = subtract(a, multiply(guess, b))
      quotient = add(quotient, guess)
    end
    return quotient, a
  end

  local function divideUp(a, b)
    local quotient, rest = divide(a, b)
    return about(rest) > 0 and add(quotient, ONE) or quotient
  end

  local function numbers(p)
    if not p.full then
      local cap, tick, token, initial = match(p.text, '^(%d+):(%d+):(%d+):(%d+)$')
      p.tick, p.token = fromText(tick), fromText(token)
      p.missing = multiply(big(p.cap - initial), p.token)
      -- May leave for more to be known; the next question of the call must then find it as unknown as this one.
      p.met = about(p.missing) > 0 and met(p)
      local full = multiply(big(p.cap), p.token)
      p.most, p.full = add(full, full), full
    end
    return p
  end

  local function refilled(p, deficit, elapsed)
    if elapsed <= 0 then
      return deficit
    end
    local passed = big(elapsed)
    return less(passed, divideUp(deficit, p.tick)) and subtract(deficit, multiply(passed, p.tick)) or ZERO
  end

  -- The state is text: the deficit, a colon, the time.
  function op.decode(p, s, i)
    local deficit, at = match(s, '^(%d+):(%d+)$', i)
    if not deficit or #deficit > 21 then
      return nil
    end
    numbers(p)
    return { op = op, p = p, deficit = refilled(p, fromText(deficit), now - at) }
  end

  function op.fresh(p)
    numbers(p)
    local missing = p.met and refilled(p, p.missing, now - p.met) or ZERO
    return { op = op, p = p, deficit = missing }
  end

  function op.available(b)
    local p = b.p
    if less(p.full, b.deficit) then
      return -about(divideUp(subtract(b.deficit, p.full), p.token))
    end
    return about((divide(subtract(p.full, b.deficit), p.token)))
  end

  function op.retry(b, cost)
    local p = b.p
    return divideUp(subtract(add(b.deficit, multiply(big(cost), p.token)), p.full), p.tick)
  end

  function op.reset(b)
    return divideUp(b.deficit, b.p.tick)
  end

  function op.spend(b, cost)
    local p = b.p
    b.deficit = smaller(add(b.deficit, multiply(big(min(cost, 2 * p.cap)), p.token)), p.most)
  end

  function op.giveBack(b, cost)
    local p = b.p
    local back = multiply(big(min(cost, 2 * p.cap)), p.token)
    b.deficit = less(back, b.deficit) and subtract(b.deficit, back) or ZERO
  end

  function op.encode(b)
    local reset = max(about(op.reset(b)), about(op.reset(op.fresh(b.p))))
    if reset > 0 then
      return b.p.prefix .. toText(b.deficit) .. string.format(':%.0f', now), reset + 1000000
    end
  end

  return op
end
