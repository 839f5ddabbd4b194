/**
 * Kept connections, in a pool for each receiver. A pool is only for one receiver, one origin, and exactly the addresses
 * that the request's lookup returned and its check allowed, so no request uses an unchecked address. This is necessary
 * because Node's agent calls `lookup` for every new connection, but gives a connection to any next request for the same
 * host and port; it may even open one for a request with another request's `lookup` (`removeSocket`). Within a pool all
 * lookups have the same result. If a name resolves to other addresses, another pool is used, and the previous one's
 * connections are no longer used. Certificates are checked against the name when a connection is made, and the agent
 * distinguishes names.
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupAddress } from 'node:dns'

interface Pool {
  readonly agent: HttpAgent
  /** Requests that are using it. */
  running: number
}

/** Least recently used first. */
const pools = new Map<string, Pool>()
const poolsMax = 500

/** Maximum connections to one receiver. */
export const connectionsMax = 32

/** Idle connections are closed after ten seconds, or earlier if the receiver says so. */
const options = { keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: 4, timeout: 10_000 }

/** Runs `work` with the connections kept for the receiver named `keep`. */
export async function withKept<T>(
  keep: string,
  { origin, protocol }: URL,
  addresses: readonly LookupAddress[],
  work: (agent: HttpAgent) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify([keep, origin, ...addresses.map(({ address }) => address).toSorted()])
  const pool = pools.get(key) ?? {
    agent: protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options),
    running: 0,
  }
  pools.delete(key)
  pools.set(key, pool)
  pool.running++
  dropIdle()
  try {
    return await work(pool.agent)
  } finally {
    pool.running--
  }
}

/** Pools in use stay: destroying an agent would end the requests on its connections. */
function dropIdle(): void {
  for (const [key, { agent, running }] of pools) {
    if (pools.size <= poolsMax) return
    if (running > 0) continue
    agent.destroy()
    pools.delete(key)
  }
}
