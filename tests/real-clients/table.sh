# The combinations of clients and servers, and how to start each of them. `run` sources this file.
# shellcheck shell=bash disable=SC2034,SC2154 # `run` uses and assigns the other variables.

# One row for each client: its name, its runtime, and its servers. The suffix of a server is the transport between
# client and gateway, and between gateway and server. Without a suffix, both are stdio.
clients='
python-mcp-2.3      python  everything filesystem fastmcp python-mcp sample none
python-mcp-1.30     python  everything filesystem fastmcp sample
fastmcp-4.1         python  everything fastmcp python-mcp sample
ts-sdk-1.32         node    everything filesystem python-mcp sample none
ts-client-2.4       node    everything fastmcp sample
ts-client-2.4-auto  node    everything fastmcp python-mcp sample
python-mcp-2.3      python  everything.http-stdio everything.http-http fastmcp.http-stdio fastmcp.http-http sample.http-stdio none.http-stdio
python-mcp-1.30     python  everything.http-stdio everything.http-http fastmcp.http-stdio fastmcp.http-http sample.http-stdio
fastmcp-4.1         python  everything.http-stdio everything.http-http fastmcp.http-stdio fastmcp.http-http sample.http-stdio
ts-sdk-1.32         node    everything.http-stdio everything.http-http fastmcp.http-stdio fastmcp.http-http sample.http-stdio none.http-stdio
ts-client-2.4       node    everything.http-stdio everything.http-http fastmcp.http-stdio fastmcp.http-http sample.http-stdio
ts-client-2.4-auto  node    everything.http-stdio everything.http-http fastmcp.http-stdio fastmcp.http-http sample.http-stdio
inspector-2.12      node    everything.http-stdio fastmcp.http-http sample.http-stdio
'

# One row for each gateway that several clients use at the same time.
crowds='
crowd.http-stdio    python-mcp-2.3 ts-sdk-1.32 fastmcp-4.1
crowd.http-http     python-mcp-1.30 ts-client-2.4-auto inspector-2.12
'

# One row for each folder of packages, with exact versions.
packages='
python-mcp-2   python  mcp==2.3.0
python-mcp-1   python  mcp==1.30.0
fastmcp        python  fastmcp==4.1.2
node           node    @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
inspector      node    @modelcontextprotocol/inspector@2.12.0 node@22.23.3
'

client_command() {
  case $1 in
    python-mcp-2.3) echo "$base/python-mcp-2/bin/python" -B "$here/clients/python_mcp_2.py" ;;
    python-mcp-1.30) echo "$base/python-mcp-1/bin/python" -B "$here/clients/python_mcp_1.py" ;;
    fastmcp-4.1) echo "$base/fastmcp/bin/python" -B "$here/clients/fastmcp_4.py" ;;
    ts-sdk-1.32) echo node "$base/node/ts_sdk_1.mjs" ;;
    ts-client-2.4) echo node "$base/node/ts_client_2.mjs" ;;
    ts-client-2.4-auto) echo env NEGOTIATION=auto node "$base/node/ts_client_2.mjs" ;;
    inspector-2.12) echo node "$base/node/inspector_2.mjs" ;;
  esac
}

# Prints the version that a client negotiates by default, over HTTP with a server of both eras.
client_version() {
  case $1 in
    python-mcp-2.3 | fastmcp-4.1 | ts-client-2.4-auto) echo 2026-07-28 ;;
    *) echo 2025-11-25 ;;
  esac
}

# Prints the checks that a client can run, or nothing if it can run all of them.
client_checks() {
  case $1 in
    inspector-2.12) echo connect list call error image structured prompts resources ;;
  esac
}

server_needs() {
  case ${1%%.*} in
    everything | filesystem | none | crowd) echo node ;;
    fastmcp | python-mcp) echo python ;;
    sample) echo manila ;;
  esac
}

# The scratch folder is the last argument of each command, so that `check_gone` finds processes by it.
server_command() {
  local name=$1 cell=$2 modules=$base/node/node_modules/@modelcontextprotocol
  case $name in
    everything | none | crowd) echo node "$modules/server-everything/dist/index.js" stdio "$cell/scratch" ;;
    filesystem) echo node "$modules/server-filesystem/dist/index.js" "$cell/scratch" ;;
    fastmcp) echo "$base/fastmcp/bin/python" -B "$here/servers/fastmcp_server.py" "$cell/scratch" ;;
    python-mcp) echo "$base/python-mcp-2/bin/python" -B "$here/servers/python_mcp_server.py" "$cell/scratch" ;;
    sample) echo "$cell/manila" sample-server ;;
  esac
}

# The command of a server that serves HTTP on the port in PORT.
http_server_command() {
  case $1 in
    everything | crowd) server_command "$@" | sed 's/ stdio / streamableHttp /' ;;
    fastmcp) server_command "$@" ;;
  esac
}

# `none` is server-everything with unchanged results.
wrap_options() {
  case $1 in
    none) echo --contract none ;;
  esac
}
