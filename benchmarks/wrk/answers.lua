-- Prints, after a run of wrk, the number of responses, their bytes, and the number of unexpected ones. wrk.sh reads it.
function done(summary)
  local errors = summary.errors
  io.write(string.format("answers %d bytes %d not-2xx %d broken %d\n", summary.requests, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
