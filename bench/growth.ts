/**
 * How cost grows: each size in its own stores, everything else the same, compared with `SELECT 1` of the same stores.
 * Facts (13 months, 50,000 resources, 24 lines per resource and day): seconds to sum a million, five queries, lines
 * ingested per second at that size, bytes of disk per fact, memory of product and stores.
 * Resources: five inventory queries by HTTP (the first of each counts them), new discoveries per second at that size, a
 * recommendation sweep up to a number of resources, bytes of their table per resource, memory.
 * Accounts: 200,000 facts whose bills name connected sub-accounts, and other accounts: rows of sums, seconds of
 * summing, seconds until a disconnected one counts for its payer, report queries by account and the list of accounts by
 * HTTP.
 * Usage: npm run -s bench -- growth [--facts 1000000,10000000] [--resources 10000,100000] [--accounts 8,56,5000] [--rows 20000] [--swept 10000] [--trials 9]
 * Fifty million facts take some twenty minutes, a million resources ten.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { relinkCostDays } from '#analytics/rollup/stale-day/cost-link.ts'
import { run } from '#analytics/store/query.ts'
import { withRules } from '#actors/attribution/rule.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { accounts as billed, load } from './harness/bill.ts'
import { accountRow, connectMembers, memberOf } from './harness/member.ts'
import { organizationOf, type Organization } from './harness/organization.ts'
import { family, shareMiB } from './harness/proc.ts'
import { questions } from './harness/question.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'
import { insertTagged } from './harness/tagged.ts'
import { bill, billing, discovery, publish, type Workload } from './harness/workload.ts'

const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '1000000,10000000' },
    resources: { type: 'string', default: '10000,100000' },
    accounts: { type: 'string', default: '8,56,5000' },
    rows: { type: 'string', default: '20000' },
    swept: { type: 'string', default: '10000' },
    trials: { type: 'string', default: '9' },
  },
})
const sizes = (list: string): number[] => list.split(',').filter(Boolean).map(Number)
const [rows, swept, trials] = [values.rows, values.swept, values.trials].map(Number) as [number, number, number]
const diskSql = `SELECT sumIf(bytes_on_disk, table = 'cost_fact') AS fact, sumIf(bytes_on_disk, table != 'cost_fact') AS daily
  FROM system.parts WHERE active AND (table LIKE 'cost%' OR table LIKE 'usage%' OR table LIKE 'billed%')`

/** Facts of an organization with so many accounts, and sub-accounts that each of its bills may name. */
const [accountFacts, subAccountsMax] = [200_000, 63]
/** Rows of one generation. */
const sumsSql = `SELECT (SELECT count() FROM cost_daily) AS days, (SELECT count() FROM cost_service_daily) AS services`

const asked = [
  ...sizes(values.facts).map((facts) => ({ facts })),
  ...sizes(values.resources).map((resources) => ({ resources })),
  ...sizes(values.accounts).map((accounts) => ({ accounts })),
]
// One size a process, so that none has the memory of another.
if (asked.length > 1) for (const one of asked) await inProcess(one)
else
  for (const one of asked)
    await ('facts' in one
      ? ofFacts(one.facts)
      : 'resources' in one
        ? ofResources(one.resources)
        : ofAccounts(one.accounts))
process.exit(0)

async function inProcess(size: Readonly<Record<string, number>>): Promise<void> {
  const own = ['facts', 'resources', 'accounts'].flatMap((name) => [`--${name}`, String(size[name] ?? '')])
  const others = ['rows', 'swept', 'trials'] as const
  const child = fork(import.meta.filename, [...own, ...others.flatMap((name) => [`--${name}`, values[name]])])
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.exit(code ?? 1)
}

async function ofFacts(facts: number): Promise<void> {
  const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', ANSWER_CACHE_MIB: '0' } })
  const org = await organizationOf(set)
  const { clickhouse } = org.connections
  const { rollupSeconds } = await load(clickhouse, { orgId: org.orgId, facts, perResourceDay: 24 })
  say(`${figure(facts)} facts: a million added up in ${figure((rollupSeconds * 1e6) / facts)} s`)
  await askAll(org, reports(org))
  await takenIn(org, 'lines of bills', billing(await bill(rows), 1))
  const [disk] = await rowsOf<{ fact: string; daily: string }>(org, diskSql)
  say(
    `  disk: ${figure(Number(disk!.fact) / facts)} bytes a fact, ${figure(Number(disk!.daily) / facts)} of sums a fact; memory ${memory()}`,
  )
  await org.end()
  await set.close()
}

async function ofResources(resources: number): Promise<void> {
  const set = await stage({
    env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', INGEST_MESSAGES_PER_MINUTE: '0' },
  })
  const org = await organizationOf(set)
  const { pool } = org.connections.store
  await insertTagged(pool, org.orgId, resources)
  const { rows: some } = await pool.query<{ id: string; size: string }>(
    `select id, pg_total_relation_size('resource') as size from resource where org_id = $1 limit 1`,
    [org.orgId],
  )
  say(`${figure(resources)} resources: ${figure(Number(some[0]!.size) / resources)} bytes of their table each`)
  // Young processes keep no answers.
  await org.connections.clock.sleep(Math.max(0, 11_000 - performance.now()))
  await askAll(org, inventory(org, some[0]!.id))
  await takenIn(org, 'new discoveries', discovery(rows))
  // Those that were discovered are the first that are swept.
  await sweptIn(org, rows + Math.min(swept, resources))
  say(`  memory ${memory()}`)
  await org.end()
  await set.close()
}

async function ofAccounts(accounts: number): Promise<void> {
  const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', ANSWER_CACHE_MIB: '0' } })
  const org = await organizationOf(set)
  const { orgId } = org
  const { clickhouse, store } = org.connections
  const subAccounts = Math.min(subAccountsMax, Math.floor(accounts / billed) - 1)
  await connectMembers(store.pool, clickhouse, { orgId, accounts, subAccounts })
  const { rollupSeconds } = await load(clickhouse, { orgId, facts: accountFacts, perResourceDay: 24, subAccounts })
  const [sums] = await rowsOf<{ days: string; services: string }>(org, sumsSql)
  say(
    `${figure(accounts)} accounts, ${subAccounts * billed} of them sub-accounts of bills: a million added up in ${figure(rollupSeconds)} s; ` +
      `rows of sums ${figure(Number(sums!.days))} by resource, ${figure(Number(sums!.services))} by service`,
  )
  await askAll(org, [...reports(org), ...byAccount(org)])
  if (subAccounts > 0) await disconnectIn(org)
  say(`  memory ${memory()}`)
  await org.end()
  await set.close()
}

/** Reports and lists by account, by HTTP. */
function byAccount({ get }: Organization): Asked {
  const month = 'from=2025-12-01&to=2025-12-31'
  return [
    ['by account, a month', () => get(`/reports/costs/breakdown?group_by=cloud_account_id&${month}`)],
    ['by sub-account, a month', () => get(`/reports/costs/breakdown?group_by=sub_account&${month}`)],
    ['a page of accounts', () => get('/cloud-accounts?limit=100')],
    ['accounts by path', () => get('/cloud-accounts?limit=100&search=/Unit%207')],
    ['states of bills', () => get('/billing/sync-status')],
    ['charges in two bills', () => get(`/reports/bill-overlaps?${month}`)],
  ]
}

/** One member, whose lines are on every day of 13 months. */
async function disconnectIn({ orgId, connections }: Organization): Promise<void> {
  const gone = { provider: 'aws', number: '0'.padStart(12, '0'), removed: 1 }
  const values = [accountRow(orgId, memberOf(0), gone, '2')]
  await connections.clickhouse.insert({ table: 'account_state', values, format: 'JSONEachRow' })
  const began = performance.now()
  await relinkCostDays(connections.clickhouse, orgId, [memberOf(0)], '3')
  say(
    `  a member is disconnected: its 13 months count for the payer in ${figure((performance.now() - began) / 1000)} s`,
  )
}

type Asked = readonly (readonly [what: string, ask: () => Promise<unknown>])[]

/** Five questions of reports as the product asks them, without HTTP. */
function reports({ orgId: org, connections, product }: Organization): Asked {
  const titles = [
    'summary, a month',
    'trend by day, 30 days',
    'dearest resources, a month',
    'teams, a month',
    'tag keys, a month',
  ]
  const asker = { reads: product.get(tokens.reads), ask: (() => Promise.resolve([])) as never }
  return titles.map((title) => {
    const found = questions.find((one) => one.title === title)
    if (!found) throw new Error(`There is no question ${title}.`)
    const { query, params } = found
    const ask = async () =>
      run(connections.clickhouse, query, (await withRules(asker, query, { org, ...params })) as never)
    return [title, ask] as const
  })
}

/** Five questions of the inventory by HTTP. */
function inventory({ get }: Organization, id: string): Asked {
  return [
    ['a page', () => get('/resources?limit=20')],
    ['by name', () => get('/resources?limit=20&search=web-77')],
    ['by tag', () => get('/resources?limit=20&tag=team:Team%207')],
    ['one', () => get(`/resources/${id}`)],
    ['how many', () => get('/resources/count')],
  ]
}

async function askAll(org: Organization, asked: Asked): Promise<void> {
  const bare = ['SELECT 1', () => rowsOf(org, 'SELECT 1')] as const
  const times = new Map<string, number[]>()
  for (let trial = -2; trial < trials; trial++)
    for (const [what, ask] of [bare, ...asked]) {
      const began = performance.now()
      await ask()
      times.set(what, [...(times.get(what) ?? []), performance.now() - began])
    }
  const told = ([what, [first, , ...list]]: [string, number[]]) =>
    `${what} ${figure(quantile(list, 0.5))} (first ${figure(first!)})`
  say(`  ms: ${[...times].map(told).join('; ')}`)
}

/** Of one account, all of it published before the engine starts. */
async function takenIn(org: Organization, what: string, work: Workload): Promise<void> {
  const { lane, to } = await publish(org.connections, work, org.orgId)
  const { pool } = org.connections.store
  const began = performance.now()
  org.product.get(tokens.engine).start()
  while ((await pool.query('select from lane where lane = $1 and cursor < $2', [lane, to])).rowCount !== 0)
    await org.connections.clock.sleep(5)
  say(`  ${what}: ${figure((work.rows * 1000) / (performance.now() - began))} a second`)
  await org.settled()
}

/** From being asked for until so many were looked at. */
async function sweptIn({ orgId, connections, send }: Organization, count: number): Promise<void> {
  const looked = `select count(*)::int as n from resource_audit where org_id = $1 and facts_at > $2`
  const begun = new Date(connections.clock.now())
  const began = performance.now()
  await send('POST', '/recommendations/refresh')
  const at = async () => (await connections.store.pool.query<{ n: number }>(looked, [orgId, begun])).rows[0]!.n
  let n = 0
  while ((n = await at()) < count) await connections.clock.sleep(50)
  say(`  a sweep of recommendations: ${figure((n * 1000) / (performance.now() - began))} resources a second`)
}

async function rowsOf<T>({ connections }: Organization, query: string): Promise<T[]> {
  return (await connections.clickhouse.query({ query, format: 'JSONEachRow' })).json<T>()
}

/** Of this process with the product in it, and of the stores. */
function memory(): string {
  return `${figure(shareMiB(process.pid))} MiB, of all stores ${figure(
    family(process.pid)
      .slice(1)
      .reduce((sum, pid) => sum + shareMiB(pid), 0),
  )} MiB`
}
