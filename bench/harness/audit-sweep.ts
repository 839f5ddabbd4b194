/** A sweep over one organization with bills of a month and samples of two weeks, and the same without actors, streams and state. */
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { accountState } from '#actors/recommendation/sweep/gather/context.ts'
import { gatherFacts } from '#actors/recommendation/sweep/gather/index.ts'
import type { ResourceAudit } from '#actors/recommendation/audit/entity.ts'
import { findingOf } from '#actors/recommendation/audit/finding.ts'
import { judge } from '#actors/recommendation/audit/judge.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import { pages, type SweptResource } from '#actors/recommendation/sweep/page.ts'
import { weigh } from '#actors/recommendation/audit/weigh.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { run } from '#analytics/store/query.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { organizationOf, type Organization } from './organization.ts'
import { figure, goal, say, type Stage } from './stage.ts'
import { insertTagged } from './tagged.ts'
import { loadWide, uid, wide } from './wide-bill.ts'

/** The kinds of actors that recommendations add to discoveries. */
export const audited = ['audit', 'recommendation'] as const

const sampledDays = 14
const metrics = ['cpu_percent', 'memory_percent'] as const

/** One in ten machines has nothing to do. */
const samples = `
  INSERT INTO metric_sample (org_id, resource_uid, metric, ts, value, cloud_account_id, x_Version)
  WITH number % {resources:UInt64} AS r, intDiv(number, {resources:UInt64}) AS hour
  SELECT {org:String}, ${uid}, {metric:String}, toDateTime64({until:String}, 3, 'UTC') - toIntervalHour(hour + 1),
    if(r % 10 = 0, 1, 20 + cityHash64(r, hour) % 60), concat('acct-', toString(r % {accounts:UInt64})), 1
  FROM numbers({first:UInt64}, {count:UInt64})`

const rowsOfInsert = 2_000_000

export async function swept(set: Stage, resources: number): Promise<void> {
  const one = await organizationOf(set)
  await timed(`${figure(resources)} resources, bills of ${wide.days} days, samples of ${sampledDays}: loaded`, () =>
    load(one, resources),
  )
  await one.connections.store.pool.query(bareTables)
  await bare(one)
  const { seconds: least, findings, asked } = await bare(one)
  say(`  gathered, judged and inserted without actors: ${figure(least)} s, ${figure(findings)} findings`)
  const dearest = [...asked].toSorted(([, a], [, b]) => b - a).slice(0, 4)
  say(`  of which ${dearest.map(([name, ms]) => `${name} ${figure(ms / 1000)} s`).join(', ')}`)
  one.product.get(tokens.engine).start()
  const first = await sweep(one, 'first look')
  const again = await sweep(one, 'nothing to change')
  await compare(one, resources, findings)
  goal('audit', 'd  a sweep, first look, of the same without actors', least / first, { min: 0.2 })
  goal('audit', 'd  a sweep, nothing to change, of the same without actors', least / again, { min: 0.2 })
  const whole = (seconds: number) => figure((seconds * 100_000) / resources)
  say(`  by that, 100,000 resources take ${whole(first)} s at first and ${whole(again)} s every day`)
  await one.end()
}

async function timed(what: string, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  say(`  ${what}: ${figure(seconds)} s`)
  return seconds
}

async function load({ connections: c, orgId }: Organization, resources: number): Promise<void> {
  const today = dayOf(new Date(c.clock.now()))
  await loadWide(c.clickhouse, orgId, resources, addDays(today, 1 - wide.days))
  await insertTagged(c.store.pool, orgId, resources)
  const count = sampledDays * 24 * resources
  for (const metric of metrics)
    for (let first = 0; first < count; first += rowsOfInsert)
      await c.clickhouse.command({
        query: samples,
        query_params: {
          org: orgId,
          metric,
          resources,
          accounts: wide.accounts,
          until: `${today} 00:00:00`,
          first,
          count: Math.min(rowsOfInsert, count - first),
        },
        clickhouse_settings: { max_partitions_per_insert_block: '0' },
      })
}

const endedSql = `select from job where org_id = $1 and name = 'recommendation-sweep' and ended_run_id = $2`

async function sweep({ orgId, connections: c, send, settled }: Organization, what: string): Promise<number> {
  const seconds = await timed(`sweep, ${what}`, async () => {
    const { refreshID } = await send('POST', '/recommendations/refresh')
    while ((await c.store.pool.query(endedSql, [orgId, refreshID])).rowCount === 0) await c.clock.sleep(20)
  })
  await settled()
  return seconds
}

const standsSql = `
  select (select count(*) from resource_audit where org_id = $1 and facts_at is not null)::int as audits,
    (select count(*) from recommendation where org_id = $1)::int as findings`

/** Both must have looked at everything and found as much. */
async function compare({ orgId, connections: c }: Organization, resources: number, findings: number): Promise<void> {
  const { rows } = await c.store.pool.query<{ audits: number; findings: number }>(standsSql, [orgId])
  const [row] = rows
  if (row!.audits !== resources) throw new Error(`${row!.audits} of ${resources} resources were audited`)
  if (row!.findings !== findings)
    throw new Error(`${row!.findings} recommendations, ${findings} findings without actors`)
}

const bareTables = `
  create table bare_audit (org_id text, cloud_account_id text, uid text, resource jsonb, specs jsonb, facts jsonb, measured jsonb,
    outcomes jsonb, primary key (org_id, cloud_account_id, uid));
  create table bare_finding (org_id text, cloud_account_id text, uid text, rule_id text, finding jsonb,
    primary key (org_id, cloud_account_id, uid, rule_id))`
const auditsSql = `
  insert into bare_audit select $1, $2, one ->> 'uid', one -> 'resource', one -> 'specs', one -> 'facts', one -> 'measured', one -> 'outcomes'
  from jsonb_array_elements($3::jsonb) as one`
const findingsSql = `
  insert into bare_finding select $1, $2, one ->> 'resourceUid', one ->> 'ruleId', one from jsonb_array_elements($3::jsonb) as one`

const tables = new ReferenceTables()

/** Those of questions that nobody waits for. */
const bounds = { max_execution_time: 120, max_memory_usage: '4294967296' } as const

interface Bare {
  seconds: number
  findings: number
  /** Milliseconds of answers, by question to ClickHouse. */
  asked: ReadonlyMap<string, number>
}

async function bare({ orgId, connections: c, product }: Organization): Promise<Bare> {
  await c.store.pool.query('truncate bare_audit, bare_finding')
  const asked = new Map<string, number>()
  const ask: Parameters<typeof gatherFacts>[0]['ask'] = async (q, params) => {
    const began = performance.now()
    const rows = await run(c.clickhouse, q, params as never, bounds)
    asked.set(q.name, (asked.get(q.name) ?? 0) + performance.now() - began)
    return rows
  }
  const tools = { reads: product.get(tokens.reads), ask }
  const began = performance.now()
  const now = new Date(c.clock.now())
  const governance = governanceDefaults
  const grounds = { governance, references: tables.at({ now, families: [] }), overrides: [], now, faulty: thrown }
  let findings = 0
  for (let n = 0; n < wide.accounts; n++) {
    const account = `acct-${n}`
    const shared = { orgId, account, now, cost: 'billed_cost' as const, governance }
    const about = { ...shared, ...(await accountState(tools, orgId, account)) }
    for await (const page of pages(tools.reads, about, { signal: AbortSignal.timeout(600_000) })) {
      const reads = new Map(page.map(({ type }) => [type, programOf(type).metrics]))
      const gathered = await gatherFacts(tools, page, { ...about, reads })
      const judged = page.map((resource) => judgedOf(resource, gathered.get(resource.uid)!, grounds, account))
      const found = judged.flatMap((one) => one.findings)
      const written = judged.map(({ audit }) => audit)
      await c.store.pool.query(auditsSql, [orgId, account, JSON.stringify(written)])
      await c.store.pool.query(findingsSql, [orgId, account, JSON.stringify(found)])
      findings += found.length
    }
  }
  return { seconds: (performance.now() - began) / 1000, findings, asked }
}

function thrown(ruleId: string, error: unknown): never {
  throw new Error(`${ruleId} threw`, { cause: error })
}

type Gathered = Awaited<ReturnType<typeof gatherFacts>> extends Map<string, infer One> ? One : never

/** As the audit would have it behind its first sweep. */
function judgedOf(
  { uid: own, found }: SweptResource,
  { facts, measured, bornAt }: Gathered,
  grounds: Parameters<typeof judge>[1],
  cloudAccountId: string,
) {
  const { resource, specs, firstSeenAt } = found!
  const times = { firstSeenAt: new Date(firstSeenAt), bornAt: new Date(bornAt), factsAt: grounds.now }
  const unset = { env: '', since: {}, outcomes: {}, decided: {}, told: {}, orgSpendUsd: null }
  const known = { uid: own, cloudAccountId, resource, specs, facts, measured, ...times, ...unset }
  const row = known as unknown as ResourceAudit
  const { outcomes, firing, source } = judge(row, grounds)
  const cost = source('bill.cost_30d')
  const shown = weigh(firing, typeof cost === 'number' ? cost : 0).filter(({ heldBackBy }) => heldBackBy === '')
  return {
    audit: { uid: own, resource, specs, facts, measured, outcomes },
    findings: shown.map((one) => findingOf(row, one)),
  }
}
