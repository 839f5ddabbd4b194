/**
 * What-if queries about rules over history: 100,000 resources of four types with 30 daily fact sheets, evaluated again
 * by a rule that covers everything (tag governance) and by one that reads metrics, compared with a bare read of the
 * same columns, queried the same way and thrown away.
 * Usage: npm run -s bench -- what-if [--resources 100000] [--trials 3]
 */
import { parseArgs } from 'node:util'
import type { ClickHouseClient } from '@clickhouse/client'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { pathsOfSheets } from '#actors/recommendation/replay/replay.ts'
import { rulesAsked, type ReplayAsked, type SideAsked } from '#actors/recommendation/replay/request.ts'
import { layoutOf } from '#actors/recommendation/audit/fact-sheet.ts'
import { factSheets } from '#analytics/recommendation/questions.ts'
import { run, texts } from '#analytics/store/query.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { governedRules } from '#http/what-if/governance.ts'
import { judgedAnew, readingOf } from '#http/what-if/replay.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: { resources: { type: 'string', default: '100000' }, trials: { type: 'string', default: '3' } },
})
const [count, trials] = [Number(values.resources), Number(values.trials)] as [number, number]
const [org, from, to, days] = ['bench', '2026-01-01', '2026-01-30', 30] as const
const types = ['aws-ec2', 'aws-ebs-volume', 'aws-s3-bucket', 'aws-rds']

const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const connections = await set.open()
const { clickhouse } = connections
for (const [n, type] of types.entries()) await fill(clickhouse, type, n)
const caller = { orgId: org, reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] } } as unknown as Caller
const services = {
  analytics: ((q: never, params: object) => run(clickhouse, q, { ...params, org } as never)) as never,
  texts: ((q: never, params: object) => texts(clickhouse, q, { ...params, org } as never)) as never,
}
const present = { governance: governanceDefaults, policies: [] }

const governance = { ...governanceDefaults, requiredTags: ['owner', 'cost-center'] }
const ruleIds = governedRules(governanceDefaults, governance).map(({ id }) => id)
await measure('tags that all resources must carry', {
  before: { ...present, ruleIds },
  after: { ...present, ruleIds, governance },
})
const change = { ruleId: 'RC-1001', params: { cpu_max_percent: 20 } }
await measure('idle machines by another figure', {
  before: { ...present, ruleIds: ['RC-1001'] },
  after: { ...present, ruleIds: ['RC-1001'], change },
})
await connections.close()
await set.close()

async function measure(name: string, sides: { before: SideAsked; after: SideAsked }): Promise<void> {
  const [ours, bare] = [[] as number[], [] as number[]]
  let told = ''
  for (let trial = 0; trial < trials; trial++) {
    bare.push(await timed(() => read(sides)))
    ours.push(
      await timed(async () => {
        const input: ReplayAsked = { ...sides, own: [] }
        const { signal } = new AbortController()
        const found = await judgedAnew({ from, to, caller, services, goOn: () => {}, signal }, input)
        told = `${figure(found.resourceDays)} resource-days, ${figure(found.before.findings)} findings before and ${figure(found.after.findings)} after`
      }),
    )
  }
  const [ourMs, bareMs] = [quantile(ours, 0.5), quantile(bare, 0.5)]
  say(`${name}: ${told}`)
  say(
    `  ${figure(ourMs)} ms (goal 10,000), bare read ${figure(bareMs)} ms: ${figure(ourMs / bareMs)} times (goal: 6 at most)`,
  )
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function read({ before, after }: { before: SideAsked; after: SideAsked }): Promise<void> {
  const rules = [...rulesAsked(before), ...rulesAsked(after)]
  for (const type of types) {
    const layout = layoutOf(type)
    const { masks } = readingOf([layout.join()], pathsOfSheets(type, rules))
    const scope = { scoped: 0, scope_accounts: [], scope_teams: [] }
    if (!rules.some(({ applies }) => applies.types.some((name) => name === type || name === 'aws-*'))) continue
    const asked = { org, from, to, type, layouts: [layout.join()], masks, ...scope }
    for await (const _ of texts(clickhouse, factSheets, asked));
  }
}

/** Facts of a type in the order of its layout: costs and metrics that differ from day to day, everything else the same. */
async function fill(ch: ClickHouseClient, type: string, n: number): Promise<void> {
  const layout = layoutOf(type)
  const daily = layout.map((path) => Number(path.startsWith('metric.') || path === 'bill.cost_30d'))
  const fixed: Record<string, string> = {
    'res.status': '"running"',
    'res.managed': 'false',
    'res.age_days': '400',
    'res.taggable': 'true',
    'res.tag_count': '4',
    'specs.lifecycle': '"on-demand"',
  }
  await ch.command({
    query: `INSERT INTO fact_sheet
      SELECT {org:String}, {type:String}, concat('acct-', toString(n % 6)), concat('arn:aws:any:eu-west-1:123456789012:thing/', lower(hex(cityHash64(n, {n:UInt8})))),
        toDate32({from:String}) + d AS day, toDateTime64(toDate({from:String}), 3, 'UTC') + d * 86400 + 17100, 0,
        concat('{"name":"thing-', toString(n), '","provider":"aws","region":"eu-west-1","instanceType":"m5.large","resourceGroup":"","tags":{"env":"dev","team":"core","',
          if(n % 3 = 0, 'owner', 'made-by'), '":"a', toString(n % 50), '","app":"shop-', toString(n % 90), '"},"fed":"connector","env":"","steps":{"cpu_percent":300}}'),
        {layout:String},
        arrayMap((daily, fixed, i) -> if(daily = 1, toString((cityHash64(n, d, i) % 1000) / 10), fixed), {daily:Array(UInt8)}, {fixed:Array(String)}, arrayEnumerate({daily:Array(UInt8)})),
        if(n % 7 = 0, '{"RC-1103":{"o":"f","since":"2025-12-01T04:45:00.000Z","open":"known","usd":12.5,"savingUsd":12.5,"costUsd":40}}', ''), 1
      FROM (SELECT number % {count:UInt32} AS n, intDiv(number, {count:UInt32}) AS d FROM numbers({rows:UInt32}))`,
    query_params: {
      org,
      type,
      n,
      from,
      layout: layout.join(),
      daily,
      fixed: layout.map((path) => fixed[path] ?? ''),
      count: count / types.length,
      rows: (count / types.length) * days,
    },
    clickhouse_settings: { max_execution_time: 600 },
  })
}
