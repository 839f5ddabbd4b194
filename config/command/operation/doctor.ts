import { newestGeneration } from '#analytics/rollup/monthly-cost/cost-month.ts'
import type { Check } from '#http/site/health.ts'
import { checkLocal, command } from '#config/command/line/build.ts'
import type { Result } from '#config/command/line/command.ts'
import { withInstance, type Instance } from '#config/product/instance.ts'
import { isFull, isLow, toDiskText, type StoreDisk } from '#config/state/disk.ts'
import { readSettings } from '#config/settings/settings.ts'
import type { Connections } from '#config/state/connect.ts'
import { lastEnd, type UnaskedEnd } from '#config/process/end.ts'
import { billWarnings, openExports, toldLeftOut, toldOpen, toldWarnings } from '#config/state/bills.ts'
import { leftOut, type LeftOut } from '#analytics/billing/bill.ts'
import { version } from '#config/process/version.ts'

/** Whether days added up from now on win over those published: not so once PostgreSQL was restored from an older copy. */
async function generations({ store, shards }: Connections): Promise<Check> {
  const published = (await shards.each(({ client }) => newestGeneration(client))).reduce((a, b) => (a > b ? a : b))
  const { rows } = await store.pool.query('select last_value::text as drawn from generation')
  const drawn = BigInt((rows[0] as { drawn: string }).drawn)
  if (published <= drawn) return { name: 'generations', ok: true }
  const message = `ClickHouse has published generation ${published}, but PostgreSQL is at ${drawn}; see docs/back-up.md, Restore`
  return { name: 'generations', ok: false, message }
}

/** Months of accounts with charges that another bill has too. */
const monthsTold = 10

const leftOutOf = async ({ shards }: Connections): Promise<LeftOut[]> =>
  (
    await shards.each(async (shard) =>
      shards.own(shard, await leftOut(shard.client, monthsTold), ({ org_id: orgId }) => orgId),
    )
  )
    .flat()
    .toSorted((a, b) => Number(b.left_out_usd) - Number(a.left_out_usd))
    .slice(0, monthsTold)

const backlogSql = `
  select (select count(*) from outbox)::int as outbox, (select count(*) from mark)::int as marks,
    (select count(*) from effect)::int as effects, (select count(*) from dead_letter where replayed_at is null)::int as dead`

interface Backlog {
  outbox: number
  marks: number
  effects: number
  dead: number
}

const nodeCheck = (): Check => ({
  name: 'node',
  ok: Number(process.versions.node.split('.')[0]) >= 24,
  version: process.versions.node,
})

const toLine = ({ ok, name, version: its, message }: Check): string =>
  `${ok ? 'ok  ' : 'FAIL'} ${name} ${its ?? ''} ${message ?? ''}`.trimEnd()

/** The disk of each store; a full one has failed. */
const toDiskChecks = (disks: readonly StoreDisk[]): Check[] =>
  disks.map((disk) => ({
    name: `disk-${disk.store}`,
    ok: !isFull(disk),
    message: `${toDiskText(disk)}${isFull(disk) ? '; changes are refused' : isLow(disk) ? '; filling up' : ''}`,
  }))

/** Runs one part of the list; if it fails, that is a failed check and the list goes on. */
class List {
  readonly checks: Check[] = [nodeCheck()]

  async part<T>(name: string, read: () => Promise<T>, without: T): Promise<T> {
    try {
      return await read()
    } catch (error) {
      this.checks.push({ name, ok: false, message: (error as Error).message })
      return without
    }
  }

  get isWell(): boolean {
    return this.checks.every(({ ok }) => ok)
  }
}

export const doctor = command({
  name: 'doctor',
  summary: 'Check stores, streams and lanes, and report problems',
  takes: {},
  run: async () => {
    checkLocal('doctor')
    try {
      return await withInstance(examine)
    } catch (error) {
      return examineWithoutStores(error as Error)
    }
  },
})

async function examine({ connections, isRunning, url, natsUrl, analystsUrl, settings }: Instance): Promise<Result> {
  const { pool } = connections.store
  const list = new List()
  const { readiness } = await import('#config/state/readiness.ts')
  const ready = await list.part('readiness', readiness(connections), [])
  list.checks.push(...ready.filter(({ name }) => name !== 'disk' && (isRunning || name !== 'lanes')))
  list.checks.push(...toDiskChecks(await list.part('disk', () => connections.disks.read(), [])))
  const generation = await list.part('generations', () => generations(connections), undefined)
  if (generation) list.checks.push(generation)
  const readBacklog = async () => (await pool.query<Backlog>(backlogSql)).rows[0]
  const waiting = await list.part('pending', readBacklog, undefined)
  const open = await list.part('bill-exports', () => openExports(pool), [])
  const warnings = await list.part('bill-warnings', () => billWarnings(pool), { total: 0, accounts: [] })
  const twice = await list.part('bill-overlaps', () => leftOutOf(connections), undefined)
  const end = lastEnd(settings.dataDir)
  const at = { version, isRunning, url, nats: natsUrl, analysts: analystsUrl }
  const lines = [
    `tidemark ${version}, data folder ${settings.dataDir}, ${isRunning ? `running${url ? ` at ${url}` : ''}` : 'not running'}`,
    `NATS for producers: ${natsUrl}`,
    ...(analystsUrl ? [`ClickHouse for analysts: ${analystsUrl}`] : []),
    ...list.checks.map(toLine),
    ...(waiting
      ? [
          `pending: ${waiting.outbox} outbox rows, ${waiting.marks} days to aggregate, ${waiting.effects} calls; dead letters: ${waiting.dead}`,
        ]
      : []),
    ...toldEnd(end),
    ...toldOpen(open),
    ...toldWarnings(warnings),
    ...(twice ? toldLeftOut(twice) : []),
  ]
  return {
    data: {
      ...at,
      ok: list.isWell,
      checks: list.checks,
      waiting,
      lastEnd: end,
      openExports: open,
      billWarnings: warnings,
      leftOut: twice,
    },
    text: lines.join('\n'),
    code: list.isWell ? 0 : 1,
  }
}

/** What is known without the stores: why they could not be opened, their disks, and how the last process ended. */
async function examineWithoutStores({ message }: Error): Promise<Result> {
  const settings = readSettings()
  const { disksIn } = await import('#config/state/disk.ts')
  const checks = [nodeCheck(), { name: 'stores', ok: false, message }, ...toDiskChecks(await disksIn(settings))]
  const end = lastEnd(settings.dataDir)
  const lines = [`tidemark ${version}, data folder ${settings.dataDir}`, ...checks.map(toLine), ...toldEnd(end)]
  return { data: { version, ok: false, checks, lastEnd: end }, text: lines.join('\n'), code: 1 }
}

const toldEnd = (end: UnaskedEnd | undefined): string[] =>
  end ? [`last unexpected exit: ${end.at}, process ${end.pid}: ${end.why}`] : []
