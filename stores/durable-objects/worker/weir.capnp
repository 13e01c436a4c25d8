# For the bare runtime, without Cloudflare: tests, and a store of one's own.
#
#   WEIR_TOKEN=… workerd serve weir.capnp --socket-addr http=127.0.0.1:8787 --directory-path disk=/var/lib/weir
#
# With WEIR_TEST_CLOCK=on calls bring their own clock.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "weir", worker = .weir),
    (name = "disk", disk = (writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "weir")],
);

const weir :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [
    (name = "worker.js", esModule = embed "src/worker.js"),
    (name = "answer.js", esModule = embed "src/answer.js"),
    (name = "bucket.js", esModule = embed "src/bucket.js"),
    (name = "budget.js", esModule = embed "src/budget.js"),
    (name = "bytes.js", esModule = embed "src/bytes.js"),
    (name = "call.js", esModule = embed "src/call.js"),
    (name = "clock.js", esModule = embed "src/clock.js"),
    (name = "closed.js", esModule = embed "src/closed.js"),
    (name = "decide.js", esModule = embed "src/decide.js"),
    (name = "errors.js", esModule = embed "src/errors.js"),
    (name = "http.js", esModule = embed "src/http.js"),
    (name = "leases.js", esModule = embed "src/leases.js"),
    (name = "script-time.js", esModule = embed "src/script-time.js"),
    (name = "notes.js", esModule = embed "src/notes.js"),
    (name = "policy.js", esModule = embed "src/policy.js"),
    (name = "request.js", esModule = embed "src/request.js"),
    (name = "holds.js", esModule = embed "src/holds.js"),
    (name = "reservations.js", esModule = embed "src/reservations.js"),
    (name = "settings.js", esModule = embed "src/settings.js"),
    (name = "shard.js", esModule = embed "src/shard.js"),
    (name = "sliding.js", esModule = embed "src/sliding.js"),
    (name = "slots.js", esModule = embed "src/slots.js"),
    (name = "storage.js", esModule = embed "src/storage.js"),
    (name = "sweep.js", esModule = embed "src/sweep.js"),
    (name = "token.js", esModule = embed "src/token.js"),
    (name = "window.js", esModule = embed "src/window.js"),
  ],
  bindings = [
    (name = "WEIR_TOKEN", fromEnvironment = "WEIR_TOKEN"),
    (name = "WEIR_TEST_CLOCK", fromEnvironment = "WEIR_TEST_CLOCK"),
    (name = "WEIR_SHARDS", durableObjectNamespace = "WeirShard"),
    (name = "WEIR_SETTINGS", durableObjectNamespace = "WeirSettings"),
  ],
  durableObjectNamespaces = [
    (className = "WeirShard", uniqueKey = "weir-shards", enableSql = true),
    (className = "WeirSettings", uniqueKey = "weir-settings", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
);
