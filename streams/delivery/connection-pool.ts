/**
 * Connections that are kept between requests to one receiver, a pool for each.
 *
 * Why no request gets to an address that was not checked for it: a pool is of one receiver, one origin and exactly those
 * addresses that this request's look-up gave and its check let pass. Node's agent asks `lookup` for every new connection
 * and hands a connection on to whatever request comes next for the same host and port; it may even open one for a request
 * with the `lookup` of another (`removeSocket`). Within a pool all of them answer alike. A name that leads elsewhere gets
 * another pool, and connections of the one before are used no more. A certificate is checked against the name as each
 * connection is made, and the agent tells names apart.
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupAddress } from 'node:dns'

interface Pool {
  readonly agent: HttpAgent
  /** Requests that use it now. */
  running: number
}

/** Least recently used first. */
const pools = new Map<string, Pool>()
const poolsMax = 500

/** Connections to one receiver. */
export const connectionsMax = 32

/** Idle connections end after ten seconds, or earlier where the receiver says so. */
const options = { keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: 4, timeout: 10_000 }

/** Does `work` with the connections that are kept for `keep`, which names the receiver. */
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

/** Pools in use stay: to destroy an agent ends the requests on its connections too. */
function dropIdle(): void {
  for (const [key, { agent, running }] of pools) {
    if (pools.size <= poolsMax) return
    if (running > 0) continue
    agent.destroy()
    pools.delete(key)
  }
}
