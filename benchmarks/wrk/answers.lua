-- After a run of wrk: how many answers there were, of how many bytes, and how many were not as they should be. wrk.sh
-- reads it.
function done(summary)
  local errors = summary.errors
  io.write(string.format("answers %d bytes %d not-2xx %d broken %d\n", summary.requests, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
