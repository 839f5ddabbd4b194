/**
 * How the address of a ClickHouse is written: `http:` and `https:` as everywhere, and
 * `http+unix://<path of a socket, percent-encoded>/<database>` for one that listens on a socket.
 */
import http from 'node:http'

export const socketProtocol = 'http+unix:'

/** Connections that one client opens at once. */
const connectionsMax = 16

export const socketUrl = (file: string): string => `${socketProtocol}//${encodeURIComponent(file)}`

/** The socket that an address names; undefined for one of the network. */
export function socketOf(url: string): string | undefined {
  const { protocol, host } = new URL(url)
  return protocol === socketProtocol ? decodeURIComponent(host) : undefined
}

/** The address as @clickhouse/client takes it. */
export function reachable(url: string): { url: string; http_agent?: http.Agent } {
  const socketPath = socketOf(url)
  if (socketPath === undefined) return { url }
  const { pathname } = new URL(url)
  const options: http.AgentOptions & { socketPath: string } = {
    socketPath,
    keepAlive: true,
    maxSockets: connectionsMax,
  }
  return { url: `http://localhost${pathname}`, http_agent: new http.Agent(options) }
}

/** Where a request to it goes, as `http.request` takes it. */
export function placeOf(url: string): http.RequestOptions {
  const socketPath = socketOf(url)
  if (socketPath !== undefined) return { socketPath, host: 'localhost' }
  const { protocol, hostname, port } = new URL(url)
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), ...(port !== '' && { port }) }
}
