/** A month of an organization with many resources, made inside ClickHouse from numbers alone: one line a resource and day. */
import { addDays } from '#engine/value/day.ts'
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'

/** The analysed day is the last of them. Every hundredth resource costs three times as much on it. */
export const wide = { from: '2026-02-18', day: '2026-03-20', days: 31, accounts: 20, teams: 50 }

/** Of the r-th resource. */
export const uid = `concat('arn:cloud:aws:resource/i-', leftPad(hex(toUInt32(r * 2654435761)), 8, '0'))`

const lines = `
  INSERT INTO cost_fact (x_OrgId, x_CloudAccountId, x_Day, x_LineId, x_Provider, x_PurchaseType, x_Source, x_ExportedAt, BilledCost,
    EffectiveCost, ContractedCost, ListCost, ChargeCategory, ChargePeriodStart, ChargePeriodEnd, RegionId, ServiceName, ResourceType,
    ResourceId, x_UsageHours, x_Version)
  WITH intDiv(number, {resources:UInt64}) AS nth_day, number % {resources:UInt64} AS r,
    (9000 + cityHash64(r, nth_day) % 2001) / 10000 * if(nth_day = {days:UInt64} - 1 AND r % 100 = 0, 3, 1) AS share
  SELECT {org:String}, concat('acct-', toString(r % {accounts:UInt64})), toDate32({from:Date32}) + nth_day AS day,
    concat(toString(day), '/', toString(r)), 'aws', 'on_demand', 'actual', toDateTime64('2026-04-01 00:00:00', 3, 'UTC'),
    toDecimal128((1.2 + r % 997 / 100) * share, 14) AS cost, cost, cost, cost, 'Usage', toDateTime(day, 'UTC'), toDateTime(day, 'UTC') + 86399,
    concat('region-', toString(r % 5)), concat('service-', toString(r % 17)), concat('aws-type-', toString(r % 17)), ${uid},
    8 * share, 1
  FROM numbers({first:UInt64}, {count:UInt64})`

const states = `
  INSERT INTO resource_state (org_id, cloud_account_id, resource_uid, name, type, provider, first_seen_at, observed_at, x_Version)
  SELECT {org:String}, concat('acct-', toString(r % {accounts:UInt64})), ${uid}, concat('name-', toString(r)),
    concat('aws-type-', toString(r % 17)), 'aws', toDateTime64('2026-01-01 00:00:00', 3, 'UTC'), now64(3), 1
  FROM (SELECT number AS r FROM numbers({resources:UInt64}))`

const belonging = [
  `INSERT INTO team_state SELECT {org:String}, concat('team-', toString(number)), concat('Team ', toString(number)), 0, 1 FROM numbers({teams:UInt64})`,
  `INSERT INTO team_assignment SELECT {org:String}, ${uid}, concat('team-', toString(r % {teams:UInt64})), toDateTime64('2026-01-01 00:00:00', 3, 'UTC'), 1
   FROM (SELECT number AS r FROM numbers({resources:UInt64}))`,
  `INSERT INTO resource_group_state SELECT {org:String}, concat('group-', toString(number)), concat('Group ', toString(number)), 0, 1 FROM numbers({teams:UInt64})`,
  `INSERT INTO resource_group_member SELECT {org:String}, concat('group-', toString(intDiv(r, 7) % {teams:UInt64})), ${uid},
     toDateTime64('2026-01-01 00:00:00', 3, 'UTC'), 0, 1 FROM (SELECT number AS r FROM numbers({resources:UInt64}))`,
]

/** Lines of one insert. */
const insertLines = 500_000

/** Puts the month of `resources`, its 31 days from `from` on, into ClickHouse and lets the rollup add it up. */
export async function loadWide(ch: ClickHouseClient, org: string, resources: number, from = wide.from): Promise<void> {
  const params = { org, resources, ...wide, from }
  const count = wide.days * resources
  for (let first = 0; first < count; first += insertLines)
    await ch.command({
      query: lines,
      query_params: { ...params, first, count: Math.min(insertLines, count - first) },
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    })
  for (const query of [states, ...belonging]) await ch.command({ query, query_params: params })
  const days = Array.from({ length: wide.days * wide.accounts }, (_, i) => ({
    orgId: org,
    cloudAccountId: `acct-${i % wide.accounts}`,
    day: addDays(from, Math.floor(i / wide.accounts)),
  }))
  await recomputeCostDays(ch, days, '1')
}

/** What cannot be read less than once: every sum of the days, and nothing done with it. */
export const scan = `SELECT sum(billed_cost) FROM cost_daily_slot WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {day:Date32}`
