/**
 * Connections to a PostgreSQL whose primary moves. A URL may name several servers
 * (`postgresql://user:password@a:5432,b:5432/database`); every connection goes to the one that accepts writes. When
 * another one is promoted, connections to the old primary are ended, also if it does not respond any more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Milliseconds in which a server must say whether it accepts writes. */
const answerMs = 2000
/** Milliseconds between looks at the primary that is in use. */
const lookMs = 2000

const parts = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/s

/** A URL for each server that the URL names, in their order. */
export function serverUrls(url: string): string[] {
  const [, start = '', servers = '', rest = ''] = parts.exec(url) ?? []
  return servers.includes(',') ? servers.split(',').map((server) => start + server + rest) : [url]
}

type PoolClient = NonNullable<pg.PoolConfig['Client']>

/** Options with which a pool connects to the URL. */
export function connectionOptions(url: string): { connectionString: string; Client?: PoolClient } {
  const [first, ...others] = serverUrls(url)
  if (others.length === 0) return { connectionString: url }
  let primary = primaries.get(url)
  if (!primary) primaries.set(url, (primary = new Primary(serverUrls(url))))
  return { connectionString: first!, Client: clientOf(primary) as unknown as PoolClient }
}

/** A client that is not connected yet. */
export function postgresClient(url: string, config: Omit<pg.ClientConfig, 'connectionString'>): pg.Client {
  const { connectionString, Client } = connectionOptions(url)
  return new ((Client ?? pg.Client) as typeof pg.Client)({ ...config, connectionString })
}

/** By URL, shared by all pools and clients of this process. */
const primaries = new Map<string, Primary>()

type Connected = (error?: Error | null) => void

/** Chooses the server when it connects. */
const clientOf = (primary: Primary) =>
  class PrimaryClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const done = primary.open(this, () => super.connect())
      if (!callback) return done
      done.then(() => callback(null), callback)
      return undefined
    }
  }

class Primary {
  private readonly urls: readonly string[]
  private readonly clients = new Map<pg.Client, string>()
  /** URL of the server that accepted writes when it was last asked. */
  private known: string | undefined
  private finding: Promise<string> | undefined
  private isWatching = false

  constructor(urls: readonly string[]) {
    this.urls = urls
  }

  /** @throws Error if no server accepts writes, or the one that did has just stopped */
  async open(client: pg.Client, connect: () => Promise<pg.Client>): Promise<pg.Client> {
    const url = this.known ?? (await this.find())
    const { hostname, port } = new URL(url)
    client.host = hostname.replace(/^\[|\]$/g, '')
    client.port = Number(port || 5432)
    this.clients.set(client, url)
    client.once('end', () => this.clients.delete(client))
    void this.watch()
    try {
      await connect()
      await checkPrimary(client)
    } catch (error) {
      if (this.known === url) this.known = undefined
      end(client, error as Error)
      this.clients.delete(client)
      throw error
    }
    return client
  }

  /** Asks all servers at once. */
  private find(): Promise<string> {
    this.finding ??= Promise.any(this.urls.map(askPrimary))
      .then((url) => (this.known = url))
      .catch((error: AggregateError) => {
        const [first] = error.errors as (Error & { code?: string })[]
        const servers = this.urls.map((url) => new URL(url).host).join(', ')
        // The code of a server that is down: callers try again.
        throw Object.assign(new Error(`no server of ${servers} accepts writes: ${first?.message}`, { cause: first }), {
          code: 'ECONNREFUSED',
        })
      })
      .finally(() => (this.finding = undefined))
    return this.finding
  }

  /**
   * While there are connections: a server that hangs or has lost power ends none of them, so they end here once another
   * server accepts writes.
   */
  private async watch(): Promise<void> {
    if (this.isWatching) return
    this.isWatching = true
    while (this.clients.size > 0) {
      await sleep(lookMs, undefined, { ref: false })
      const { known } = this
      if (known !== undefined && (await askPrimary(known).catch(() => undefined))) continue
      const found = await this.find().catch(() => undefined)
      if (found === undefined) continue
      for (const [client, url] of this.clients)
        if (url !== found) end(client, new Error(`${new URL(found).host} is the primary now`))
    }
    this.isWatching = false
  }
}

/** @throws Error unless the server accepts writes. Resolves with its URL. */
async function askPrimary(connectionString: string): Promise<string> {
  const client = new pg.Client({
    connectionString,
    application_name: 'tidemark-primary',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await checkPrimary(client)
    return connectionString
  } finally {
    void client.end().catch(() => {})
    setTimeout(() => end(client, new Error('the server did not respond')), answerMs).unref()
  }
}

async function checkPrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  if (rows[0]!.standby) throw Object.assign(new Error(`${client.host}:${client.port} is a standby`), { code: '57P03' })
}

/** Ends a connection without waiting for the server. */
const end = (client: pg.Client, why: Error): void => void client.connection.stream.destroy(why)
