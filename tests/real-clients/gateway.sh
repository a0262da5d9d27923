# Starts and stops a gateway that serves HTTP, and its HTTP server if there is one. `run` sources this file.
# shellcheck shell=bash disable=SC2154 # `run` assigns the other variables.

start_seconds_max=15
stop_seconds_max=3

# Starts a gateway and sets `gateway_url`. The suffix of the server's name is the transport: `.http-stdio` or
# `.http-http`.
start_gateway() {
  local server=$1 cell=$2 option_words target_words
  gateway_pid='' gateway_url='' server_pid='' server_url=''
  read -ra option_words <<< "$(wrap_options "${server%%.*}")"
  if [[ $server == *.http-http ]]; then
    start_server "${server%%.*}" "$cell" || return 1
    target_words=(--url "$server_url")
  else
    read -ra target_words <<< "-- $(server_command "${server%%.*}" "$cell")"
  fi
  "$cell/manila" wrap --http 127.0.0.1:0 ${option_words[@]+"${option_words[@]}"} "${target_words[@]}" \
    > "$cell/gateway.stdout" 2> "$cell/gateway.stderr" < /dev/null &
  gateway_pid=$!
  until_ready "$gateway_pid" gateway_is_ready "$cell"
}

# Reads the gateway's URL from its standard error, which may also contain the server's URL. The gateway picks a free
# port.
gateway_is_ready() {
  gateway_url=$(grep -soE 'http://127\.0\.0\.1:[0-9]+/mcp' "$1/gateway.stderr" | grep -vxF "${server_url:-none}" | head -n 1)
  [[ -n $gateway_url ]]
}

# Starts an HTTP server. Another cell may take the free port in the meantime, so there are three attempts.
start_server() {
  local name=$1 cell=$2 port words
  for _ in 1 2 3; do
    port=$(free_port)
    port_is_open "$port" && continue
    read -ra words <<< "$(http_server_command "$name" "$cell")"
    PORT=$port "${words[@]}" > "$cell/server.stdout" 2> "$cell/server.stderr" < /dev/null &
    server_pid=$! server_url=http://127.0.0.1:$port/mcp
    until_ready "$server_pid" port_is_open "$port" && return 0
    kill "$server_pid" 2> /dev/null
  done
  return 1
}

free_port() {
  if is_missing python; then
    node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
  else
    python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
  fi
}

port_is_open() { (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

# Waits until the condition holds, while the process is running.
until_ready() {
  local pid=$1 end=$((SECONDS + start_seconds_max))
  shift
  until "$@"; do
    kill -0 "$pid" 2> /dev/null && ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

# Ends the gateway with SIGTERM, then the server, because a gateway does not end a server behind `--url`.
stop_gateway() {
  local end=$((SECONDS + stop_seconds_max))
  if [[ -n $gateway_pid ]]; then
    kill "$gateway_pid" 2> /dev/null || true
    while kill -0 "$gateway_pid" 2> /dev/null && ((SECONDS <= end)); do sleep 0.05; done
  fi
  [[ -z $server_pid ]] || kill "$server_pid" 2> /dev/null || true
}

# Prints a failed `connect` check for a gateway that did not start.
start_failure() {
  local cell=$1 message
  message=$(cat "$cell/gateway.stderr" "$cell/server.stderr" 2> /dev/null | grep -m 1 -v '^ *$' | sed 's/["\\]//g' | cut -c1-200) || true
  echo "{\"check\":\"connect\",\"ok\":false,\"reason\":\"the gateway did not start: ${message:-standard error is empty}\"}"
}
