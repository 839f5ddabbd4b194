/**
 * Addresses of ClickHouse: `http:` and `https:`, or `http+unix://<percent-encoded path of a socket>/<database>` for a
 * server on a socket.
 */
import http from 'node:http'

export const socketProtocol = 'http+unix:'

/** The database of an embedded server. */
export const embeddedDatabase = 'tidemark'

/** Connections of one client at once. */
const connectionsMax = 16

export const socketUrl = (file: string): string => `${socketProtocol}//${encodeURIComponent(file)}`

/** The path of the socket in an address; undefined for a network address. */
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

/** Host or socket of an address, as options of `http.request`. */
export function placeOf(url: string): http.RequestOptions {
  const socketPath = socketOf(url)
  if (socketPath !== undefined) return { socketPath, host: 'localhost' }
  const { protocol, hostname, port } = new URL(url)
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), ...(port !== '' && { port }) }
}
