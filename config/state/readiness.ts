import type { ClickHouseClient } from '@clickhouse/client'
import type { Check, Ready } from '#http/site/health.ts'
import { strayLanes } from './accept-store.ts'
import type { Connections } from './connect.ts'
import { outdatedText } from './installation.ts'
import { isLow, toDiskText } from './disk.ts'
import { version } from '#config/process/version.ts'

const unsyncedMessage = 'older than 2.10: a power failure may lose acknowledged messages'
const restore =
  'Restore the older store, or accept the data loss: tidemark stores accept nats. See docs/back-up.md, Restore'

const lackingText = (streams: readonly string[]): string =>
  `a NATS server is unavailable or has not caught up: ${streams.length} streams have fewer copies than they should (${streams[0]} and others)`

/** Seconds after its due time at which a waiting call is reported. */
const waitingSeconds = 60

// Calls in a queue wait on purpose, for the rate limit of their receiver.
const waitingSql = `
  select name, floor(extract(epoch from clock_timestamp() - due))::int as seconds from effect
  where due < clock_timestamp() - $1 * interval '1 s' and claimed_until < clock_timestamp() and queue = ''
  order by due limit 1`

/**
 * Checks that each store responds, that the stores match each other and contain the messages that the lanes process
 * next, that outbound calls are made, and that a live process runs every lane.
 */
export function readiness({ store, nats, log, shards, installation, disks, settings }: Connections): Ready {
  const check = async (name: string, ask: () => Promise<Partial<Check>>): Promise<Check> => {
    try {
      return { name, ok: true, ...(await ask()) }
    } catch {
      return { name, ok: false, message: 'is not responding' }
    }
  }
  return () =>
    Promise.all([
      check('postgres', async () => {
        const { rows } = await store.pool.query(
          `select current_setting('server_version') as version, current_setting('synchronous_commit') as sync`,
        )
        const { version, sync } = rows[0] as { version: string; sync: string }
        return sync === 'off'
          ? { ok: false, version, message: 'synchronous_commit is off: acknowledged data may be lost' }
          : { version }
      }),
      check('nats', async () => {
        await log.owner()
        const version = nats.info?.version ?? 'unknown'
        const [major = 0, minor = 0] = version.split('.').map(Number)
        const canSync = major > 2 || (major === 2 && minor >= 10)
        if (!canSync) return { version, syncsAlways: false, message: unsyncedMessage }
        return settings.natsUrl === undefined ? { version, syncsAlways: true } : { version }
      }),
      check('clickhouse', () => versionOf(shards.main)),
      // Another server that is unavailable is only reported: the organizations on the others continue.
      ...shards.all.slice(1).map(({ name, client }) =>
        check(`clickhouse-${name}`, () =>
          versionOf(client, AbortSignal.timeout(answerMs)).catch(async () => ({
            message: `is not responding: its organizations have to wait, ${await parkedIn(store)} messages are stored until then`,
          })),
        ),
      ),
      check('installation', async () => {
        const wrong = await installation.look()
        return wrong.length === 0 ? {} : { ok: false, message: wrong.map(({ message }) => message).join('; ') }
      }),
      check('version', async () => {
        await installation.look()
        if (!installation.isOutdated) return { version }
        // An older edge can still serve requests, because schemas only grow.
        return { ok: settings.role === 'edge', version, message: outdatedText(installation.newestProtocol) }
      }),
      check('streams', () => streamsOf({ store, log }, settings.lanes)),
      check('effects', () => effectsOf(store)),
      // A full disk is only reported: the process still reads.
      check('disk', async () => {
        const low = (await disks.read()).filter(isLow)
        return low.length === 0 ? {} : { message: low.map(toDiskText).join('; ') }
      }),
      check('lanes', async () => {
        const { rows } = await store.pool.query(
          'select lane from lane where lane < $1 and (owner is null or expires < now()) order by lane',
          [settings.lanes],
        )
        if (rows.length === 0) return {}
        return { ok: false, message: `${rows.length} of ${settings.lanes} lanes are not running in any process` }
      }),
    ])
}

/** Milliseconds. */
const answerMs = 5000

async function parkedIn({ pool }: Connections['store']): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from parked')
  return rows[0]!.count
}

async function versionOf(ch: ClickHouseClient, abort_signal?: AbortSignal): Promise<Partial<Check>> {
  const result = await ch.query({
    query: 'SELECT version() AS version',
    format: 'JSONEachRow',
    ...(abort_signal && { abort_signal }),
  })
  return { version: (await result.json<{ version: string }>())[0]!.version }
}

async function streamsOf({ store, log }: Pick<Connections, 'store' | 'log'>, lanes: number): Promise<Partial<Check>> {
  const stray = await strayLanes({ store, log })
  if (stray.length > 0) return { ok: false, message: `${stray.join(', ')}. ${restore}` }
  // Missing copies are only reported: the other servers of the cluster continue.
  const lacking = await log.lackingCopies(lanes)
  return lacking.length === 0 ? {} : { message: lackingText(lacking) }
}

/** Waiting calls are only reported: everything else works, so the process is ready. */
async function effectsOf({ pool }: Connections['store']): Promise<Partial<Check>> {
  const { rows } = await pool.query<{ name: string; seconds: number }>(waitingSql, [waitingSeconds])
  const [oldest] = rows
  return oldest ? { message: `an outbound call (${oldest.name}) has been waiting for ${oldest.seconds} s` } : {}
}
