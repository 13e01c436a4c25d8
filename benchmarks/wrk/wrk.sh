# Functions to measure servers with wrk and check every response. benchmarks/http/run and benchmarks/spring/run source it
# and set `root`, `work` (a directory of their own) and `connections`.
# shellcheck shell=bash

pids=

fail() {
  echo "${0#"$root"/}: $1" >&2
  exit 1
}

clean_up() {
  # shellcheck disable=SC2086 # one word for each process
  [ -z "$pids" ] || { kill $pids && wait $pids; } 2>/dev/null || :
  rm -rf "$work"
}

need_wrk() {
  command -v wrk >/dev/null && return
  echo 'installing wrk ...' >&2
  { apt-get update && apt-get install -y wrk; } >"$work/apt.log" 2>&1 ||
    fail 'wrk was not found; install it (Debian: apt install wrk)'
}

# start NAME PATTERN ARGUMENTS OF JAVA...: waits until the server prints its port, which the pattern of sed finds
start() {
  local name=$1 pattern=$2 port=
  shift 2
  java "$@" >"$work/$name.log" 2>&1 &
  pids="$pids $!"
  echo $! >"$work/$name.pid"
  while [ -z "$port" ]; do
    kill -0 $! 2>/dev/null || { tail -n 30 "$work/$name.log" >&2; fail "$name did not start"; }
    sleep 0.1
    port=$(sed -n "s/$pattern/\1/p" "$work/$name.log")
  done
  echo "$port" >"$work/$name.port"
}

url_of() { echo "http://127.0.0.1:$(cat "$work/$1.port")"; }

# look_at NAME PATH BODY CURL'S OPTIONS...: one response, which must be 200 and begin with BODY; responses to wrk must have
# the same length
look_at() {
  local name=$1 path=$2 body=$3
  shift 3
  curl -isS -m 60 "$@" "$(url_of "$name")$path" >"$work/$name.answer"
  case $(tr -d '\r' <"$work/$name.answer") in
    'HTTP/1.1 200'*$'\n\n'"$body"*) ;;
    *) cat "$work/$name.answer" >&2; fail "$name: expected 200 and $body, found the above" ;;
  esac
}

# run_wrk NAME PATH SECONDS [SCRIPT]: its output goes to $work/wrk
run_wrk() {
  cat ${4+"$4"} "$root/benchmarks/wrk/answers.lua" >"$work/wrk.lua"
  wrk -t1 -c"$connections" -d"$3"s --timeout 60s --latency -s "$work/wrk.lua" "$(url_of "$1")$2" >"$work/wrk" 2>&1 ||
    { cat "$work/wrk" >&2; fail "$1: wrk failed"; }
  check_answers "$1" >"$work/problem" || { cat "$work/wrk" >&2; fail "$1: $(cat "$work/problem")"; }
}

# check_answers NAME: fails and prints the problem if there is one. Every response must have the size of the first, except
# for a few digits of numbers and for responses that were read in part when wrk ended.
check_answers() {
  awk -v size="$(wc -c <"$work/$1.answer")" -v connections="$connections" '
    /^answers / { answers = $2; bytes = $4; bad = $6; broken = $8 }
    END {
      if (!answers) problem = "expected answers, found none"
      else if (bad) problem = "expected 200, found another status in " bad " of " answers " answers"
      else if (broken) problem = "expected no failed connections, found " broken
      else if (bytes < answers * (size - 16) || bytes > (answers + connections) * (size + 16))
        problem = sprintf("expected about %d bytes an answer, found %.1f", size, bytes / answers)
      if (problem) { print problem; exit 1 }
    }' "$work/wrk"
}

# median COLUMN: the median of all rounds; for percentiles the middle value as printed
median() {
  awk -v column="$1" '{ print $column }' "$work/rounds" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
