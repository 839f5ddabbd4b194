/**
 * Tags and rules over one organization of 100,000 resources with a month of bills, each part compared in the same run
 * with the minimum it needs: (a) the preview of a tagging policy, by HTTP, against only reading the same rows and sums;
 * (b) discoveries per second with and without the tagging actor, alternating: new and unchanged resources; alone, and
 * with parents and networks; (c) a sweep over all resources: the first, after a change of policies, and without
 * changes; (d) the teams of all by ten rules, against reading what the rules query; (e) the report of teams with teams
 * by hand only, also by rule, and with shared costs.
 * Usage: npm run -s bench -- tagging [--resources 100000] [--discovered 10000] [--rounds 3] [--trials 9] [--only preview,discovery,sweep,allocation,report]
 */
import { parseArgs } from 'node:util'
import { addDays } from '#engine/value/day.ts'
import { allocationFacts, costByTeam } from '#analytics/attribution/questions.ts'
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { run, stream } from '#analytics/store/query.ts'
import { asReported, everything } from '#analytics/store/slice.ts'
import { resourceCostSums } from '#analytics/tagging/questions.ts'
import { withRules } from '#actors/attribution/rule.ts'
import { units } from '#streams/figure.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { discoveries } from './harness/discovering.ts'
import { organizationOf, type Organization } from './harness/organization.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'
import {
  allocationSpecs,
  bareInventory,
  insertTagged,
  kindSpec,
  sharedCostSpecs,
  taggingSpecs,
  tellTagged,
} from './harness/tagged.ts'
import { loadWide, wide } from './harness/wide-bill.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: '100000' },
    discovered: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    trials: { type: 'string', default: '9' },
    only: { type: 'string', default: 'preview,discovery,sweep,allocation,report' },
  },
})
const [resources, rows, rounds, trials] = [values.resources, values.discovered, values.rounds, values.trials].map(
  Number,
) as [number, number, number, number]
const parts = new Set(values.only.split(','))

let made = 0
const overSql = `select from tag_run where org_id = $1 and run_id = $2 and status = 'completed'`
const sweptSql = `
  select count(*)::int as n from resource_tagging t
  where org_id = $1 and policy_version = (select version from policy_set p where p.org_id = t.org_id and p.domain = 'tagging')`
const givenSql = 'select count(*)::int as n from allocated_resource where org_id = $1'
const byTag = { priority: 50, teamFromTag: { key: 'team' } }
const untagged = { tag_keys: [], tag_values: [] }

const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', INGEST_MESSAGES_PER_MINUTE: '0' } })
if (parts.has('discovery')) await discover()
if (['preview', 'sweep', 'allocation', 'report'].some((part) => parts.has(part))) await overOne()
await set.close()
process.exit(0)

async function discover(): Promise<void> {
  const c = await set.open()
  for (const around of [false, true]) {
    const { first, again } = await discoveries(set, c, { rows, around, rounds, without: ['tagging'] })
    const what = around ? 'with parents and networks' : 'by themselves'
    for (const [phase, { rate, ratio }] of [['new', first] as const, ['found again', again] as const]) {
      say(`${figure(rows)} resources ${what}, ${phase}: ${figure(rate)} a second`)
      goal('tagging', `${phase} ${what}, of discoveries without the actor`, ratio, { min: 0.8 })
    }
  }
  await c.close()
}

async function overOne(): Promise<void> {
  const one = await organizationOf(set)
  const { orgId, connections: c, product } = one
  const today = new Date(c.clock.now()).toISOString().slice(0, 10)
  const from = addDays(today, 1 - wide.days)
  const asked = {
    org: orgId,
    from,
    to: today,
    cost: 'billed_cost' as const,
    as_of: '',
    ...asReported,
    ...everything,
    ...untagged,
  }
  await timed(`${figure(resources)} resources, ${figure(resources * wide.days)} lines: loaded`, async () => {
    await loadWide(c.clickhouse, orgId, resources, from)
    await insertTagged(c.store.pool, orgId, resources)
    await tellTagged(c.clickhouse, orgId, resources)
  })
  if (parts.has('preview')) await preview(one, asked)
  product.get(tokens.engine).start()
  if (parts.has('sweep')) await sweeps(one)
  if (parts.has('allocation') || parts.has('report')) await allocate(one)
  if (parts.has('report')) await report(one, asked)
  await one.end()
}

async function timed(what: string, work: () => Promise<unknown>): Promise<number> {
  const seconds = (await millis(work)) / 1000
  say(`  ${what}: ${figure(seconds)} s`)
  return seconds
}

async function millis(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function read(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

type Asked = Parameters<typeof costByTeam.textFor>[0] & { org: string; from: string; to: string }

/** Each of the works in turn, `trials` times behind two that only warm the caches: milliseconds at p50. */
async function inTurns(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const took = works.map((): number[] => [])
  for (let trial = -2; trial < trials; trial++)
    for (const [i, work] of works.entries()) {
      const ms = await millis(work)
      if (trial >= 0) took[i]!.push(ms)
    }
  return took.map((list) => quantile(list, 0.5))
}

async function preview({ orgId, connections: c, send }: Organization, asked: Asked): Promise<void> {
  const bare = () =>
    Promise.all([
      c.store.pool.query(bareInventory, [orgId]),
      read(stream(c.clickhouse, resourceCostSums, asked as never)),
    ])
  const of = (spec: object | undefined) => () => send('POST', '/tagging/policies/preview', { spec })
  const [least = 0, all = 0, some = 0] = await inTurns([bare, of(taggingSpecs[0]), of(taggingSpecs[1])])
  say(`preview: of all ${figure(all)} ms, by two conditions ${figure(some)} ms; bare scan ${figure(least)} ms`)
  say(`  ${figure(all / least)} and ${figure(some / least)} times the scan`)
  goal('tagging', 'preview over all, p50', all / 1000, { max: 1 }, ' s')
}

function policy(
  { send }: Organization,
  domain: string,
  spec: object,
  enabled = true,
): Promise<Record<string, unknown>> {
  return send('POST', '/policies', { domain, targetType: 'organisation', name: `Rule ${++made}`, spec, enabled })
}

async function sweeps(one: Organization): Promise<void> {
  for (const spec of taggingSpecs) await policy(one, 'tagging', spec)
  say(`sweep over ${figure(resources)}`)
  await swept(one, 'first look')
  await policy(one, 'tagging', kindSpec)
  await swept(one, 'behind a change of policies')
  await swept(one, 'nothing to change')
  const { rows: known } = await one.connections.store.pool.query<{ n: number }>(sweptSql, [one.orgId])
  if (known[0]!.n !== resources) throw new Error(`${known[0]!.n} of ${resources} resources were looked at`)
}

async function swept({ orgId, connections: c, send, settled }: Organization, what: string): Promise<void> {
  const seconds = await timed(what, async () => {
    const { refreshID } = await send('POST', '/recommendations/refresh')
    while ((await c.store.pool.query(overSql, [orgId, refreshID])).rowCount === 0) await c.clock.sleep(20)
    await settled()
  })
  say(`    ${figure(resources / seconds)} resources a second`)
}

async function allocate(one: Organization): Promise<void> {
  const { orgId, connections: c, send, settled } = one
  say(`teams of ${figure(resources)} by ten rules`)
  const rules = await Promise.all(allocationSpecs.map((spec) => policy(one, 'allocation', spec, false)))
  await settled()
  const switched = (rule: Record<string, unknown>, more: object) => {
    const { id, domain, targetType, name, spec } = rule
    return send('PUT', `/policies/${String(id)}`, { domain, targetType, name, spec, enabled: true, ...more })
  }
  const facts = { org: orgId, accounts: [], uids: [] }
  const least = await timed('reading what rules are asked about', () =>
    read(stream(c.clickhouse, allocationFacts, facts)),
  )
  const first = await timed('first time, every row written', async () => {
    await Promise.all(rules.map((rule) => switched(rule, {})))
    await settled()
  })
  const again = await timed('again, nothing to write', async () => {
    await switched(rules[0]!, { name: 'Renamed' })
    await settled()
  })
  const { rows: given } = await c.store.pool.query<{ n: number }>(givenSql, [orgId])
  say(
    `    ${figure(given[0]!.n)} have a team by rule; ${figure(first / least)} and ${figure(again / least)} times that`,
  )
  await timed('preview of a rule, by HTTP', () => send('POST', '/allocation/policies/preview', { spec: byTag }))
}

/** What takes longer than a question may is told, and measured up to there. */
function refusal(error: Error & { code?: string }): undefined {
  if (error.code !== 'report_too_large') throw error
  say(`  refused: ${error.message}`)
}

async function report(one: Organization, asked: Asked): Promise<void> {
  const { connections: c, settled } = one
  for (const spec of sharedCostSpecs) await policy(one, 'shared-cost', spec)
  await settled()
  const ask: QueryRunner = (q, params) => run(c.clickhouse, q, params)
  const sums = new Set<bigint>()
  const way = (allocated: boolean, shared: boolean) => async () => {
    const reads = { rows: async <T>() => [{ allocated, shared }] as T[] }
    const found = await withRules({ reads, ask }, costByTeam, asked)
      .then((params) => run(c.clickhouse, costByTeam, params as never))
      .catch(refusal)
    // No answer is another answer.
    sums.add(found ? found.reduce((sum, { cost_usd }) => sum + units(cost_usd), 0n) : -1n)
  }
  const ways = { 'by hand': way(false, false), 'by rule too': way(true, false), 'with shared costs': way(true, true) }
  const took = await inTurns(Object.values(ways))
  say(`report of teams, a month of ${figure(resources)} resources, p50`)
  for (const [i, what] of Object.keys(ways).entries())
    say(`  ${what}: ${figure(took[i]!)} ms, ${figure(took[i]! / took[0]!)} times by hand`)
  goal('tagging', 'different totals of the three', sums.size, { max: 1 })
}
