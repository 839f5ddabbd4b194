/**
 * A bill of any size, made inside the stores from numbers alone, so that it is the same every time: 13 months, 50,000
 * resources that come and go, eight accounts of three clouds. ClickHouse adds it up with the product's own rollup.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Pool } from 'pg'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'

/** Both included. */
export const days = { from: '2025-01-01', to: '2026-01-31', count: 396 }
export const resources = 50_000
export const accounts = 8

/** The uid of the `r`-th resource, which `aws` has when it is one of the first three accounts'. */
export const uidOf = (r: number): string =>
  `arn:cloud:aws:resource/i-${((r * 2_654_435_761) % 2 ** 32).toString(16).toUpperCase().padStart(8, '0')}`

export interface Bill {
  orgId: string
  facts: number
  /** Lines a resource has on a day: 24 is an hourly export, 1 the finest a rollup by resource and day can be. */
  perResourceDay: number
  /** Sub-accounts that the lines of each account name; none unless given. */
  subAccounts?: number
}

/** What each line is made of, as ClickHouse sees line `number`. PostgreSQL says the same below. */
const lines = `
  WITH {perDay:UInt64} AS per_day, {perResourceDay:UInt64} AS n,
    toInt32(intDiv(number, per_day)) AS nth_day, intDiv(number % per_day, n) AS place, number % n AS line,
    (place + nth_day * {step:UInt64}) % {resources:UInt64} AS r, r % ${accounts} AS a,
    intDiv(r, ${accounts}) % 17 AS kind, concat('region-', toString(a * 3 + intDiv(r, ${accounts}) % 3)) AS region
  SELECT {org:String} AS x_OrgId, concat('acct-', toString(a)) AS x_CloudAccountId,
    toDate32({from:Date32}) + nth_day AS x_Day, concat(toString(x_Day), '/', toString(number)) AS x_LineId,
    ['aws', 'aws', 'aws', 'gcp', 'gcp', 'azure', 'azure', 'azure'][a + 1] AS x_Provider,
    ['on_demand', 'on_demand', 'reserved', 'spot', 'savings_plan'][kind % 5 + 1 - (r % 160 < 40 AND kind % 5 > 0)] AS x_PurchaseType,
    'actual' AS x_Source,
    toDateTime64('2026-02-01 00:00:00', 3, 'UTC') AS x_ExportedAt,
    toDecimal128(toString((r * 31 + line * 17 + nth_day * 7) % 10000 + 1), 14) / 1000 AS BilledCost,
    BilledCost AS EffectiveCost, BilledCost AS ContractedCost, BilledCost AS ListCost, 'Usage' AS ChargeCategory,
    toDecimal128(1 + (r + nth_day) % 3, 14) AS ConsumedQuantity, 'Hrs' AS ConsumedUnit,
    toDateTime(x_Day, 'UTC') + line * 3600 AS ChargePeriodStart, ChargePeriodStart + 3600 AS ChargePeriodEnd,
    region AS RegionId, concat('service-', toString(kind)) AS ServiceName,
    concat(x_Provider, '-type-', toString(kind)) AS ResourceType,
    if(r % 100 = 0, '', concat('arn:cloud:', x_Provider, ':resource/i-', leftPad(hex(toUInt32(r * 2654435761)), 8, '0'))) AS ResourceId,
    map('env', ['prod', 'test', 'dev'][r % 3 + 1], 'team', concat('team-', toString(r % 40))) AS Tags,
    if({subAccounts:UInt64} = 0, '', leftPad(toString(a * {subAccounts:UInt64} + intDiv(r, ${accounts}) % greatest(1, {subAccounts:UInt64})), 12, '0')) AS SubAccountId,
    if(empty(SubAccountId), '', concat('Payments of the market ', SubAccountId)) AS SubAccountName,
    toUInt128(1) AS x_Version
  FROM numbers({first:UInt64}, {count:UInt64})`

const columns = `x_OrgId, x_CloudAccountId, x_Day, x_LineId, x_Provider, x_PurchaseType, x_Source, x_ExportedAt, BilledCost,
  EffectiveCost, ContractedCost, ListCost, ChargeCategory, ConsumedQuantity, ConsumedUnit, ChargePeriodStart, ChargePeriodEnd, RegionId, ServiceName,
  ResourceType, ResourceId, Tags, SubAccountId, SubAccountName, x_Version`

const states = `
  INSERT INTO resource_state (org_id, cloud_account_id, resource_uid, name, type, provider, region, tags, first_seen_at, observed_at, x_Version)
  SELECT {org:String}, concat('acct-', toString(a)), concat('arn:cloud:', p, ':resource/i-', leftPad(hex(toUInt32(r * 2654435761)), 8, '0')),
    concat('name-', toString(r)), concat(p, '-type-', toString(intDiv(r, ${accounts}) % 17)), p,
    concat('region-', toString(a * 3 + intDiv(r, ${accounts}) % 3)),
    map('env', ['prod', 'test', 'dev'][r % 3 + 1], 'team', concat('team-', toString(r % 40))),
    toDateTime64('2025-01-01 00:00:00', 3, 'UTC'), now64(3), 1
  FROM (SELECT number AS r, r % ${accounts} AS a, ['aws', 'aws', 'aws', 'gcp', 'gcp', 'azure', 'azure', 'azure'][a + 1] AS p
    FROM numbers({resources:UInt64}))`

/** Forty teams share out nine tenths of the resources. */
const teams = `
  INSERT INTO team_state (org_id, team_id, name, deleted, x_Version)
  SELECT {org:String}, concat('team-', toString(number)), concat('Team ', toString(number)), 0, 1 FROM numbers(40)`
const assignments = `
  INSERT INTO team_assignment (org_id, resource_uid, team_id, assigned_at, x_Version)
  SELECT {org:String}, concat('arn:cloud:', p, ':resource/i-', leftPad(hex(toUInt32(r * 2654435761)), 8, '0')),
    concat('team-', toString(r % 40)), now64(3), 1
  FROM (SELECT number AS r, ['aws', 'aws', 'aws', 'gcp', 'gcp', 'azure', 'azure', 'azure'][r % ${accounts} + 1] AS p
    FROM numbers({resources:UInt64}) WHERE number % 10 > 0)`

/** Hourly samples of three measures in the last 30 days, of as many resources as make a tenth of the facts. */
const samples = `
  INSERT INTO metric_sample (org_id, resource_uid, metric, ts, value, cloud_account_id, x_Version)
  SELECT {org:String}, concat('arn:cloud:aws:resource/i-', leftPad(hex(toUInt32(intDiv(number, 2160) * ${accounts} * 2654435761)), 8, '0')),
    ['cpu_percent', 'memory_percent', 'network_in_bytes'][number % 3 + 1],
    toDateTime64({to:Date32}, 3, 'UTC') + INTERVAL 1 DAY - INTERVAL (intDiv(number, 3) % 720 + 1) HOUR,
    (number * 7919) % 10000 / 100, 'acct-0', 1
  FROM numbers({count:UInt64})`

/** Lines of one insert: about what one file of a bill holds. */
const insertLines = 500_000

/** Puts the bill into ClickHouse and lets the rollup add it up; seconds for loading and for one rollup. */
export async function load(ch: ClickHouseClient, { orgId, facts, perResourceDay, subAccounts = 0 }: Bill) {
  const perDay = Math.ceil(facts / days.count)
  const step = Math.max(1, Math.floor(resources / days.count))
  const fixed = { org: orgId, perDay, perResourceDay, subAccounts, step, resources, from: days.from }
  let began = performance.now()
  for (let first = 0; first < facts; first += insertLines) {
    const query_params = { ...fixed, first, count: Math.min(insertLines, facts - first) }
    await ch.command({
      query: `INSERT INTO cost_fact (${columns}) ${lines}`,
      query_params,
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    })
  }
  await ch.command({ query: states, query_params: { org: orgId, resources } })
  await ch.command({ query: teams, query_params: { org: orgId } })
  await ch.command({ query: assignments, query_params: { org: orgId, resources } })
  await ch.command({ query: samples, query_params: { org: orgId, to: days.to, count: Math.floor(facts / 10) } })
  const loaded = performance.now() - began
  began = performance.now()
  const dirty: CostDay[] = dayList().flatMap((day) =>
    Array.from({ length: accounts }, (_, a) => ({ orgId, cloudAccountId: `acct-${a}`, day })),
  )
  // Twice: as in a month of new exports, each day then has rows that no report may count beside those that count.
  for (const generation of ['1', '2']) await recomputeCostDays(ch, dirty, generation)
  return { loadSeconds: loaded / 1000, rollupSeconds: (performance.now() - began) / 2000 }
}

function dayList(): string[] {
  const first = Date.parse(days.from)
  return Array.from({ length: days.count }, (_, i) => new Date(first + i * 86_400_000).toISOString().slice(0, 10))
}

const table = `
  CREATE TABLE bench_cost (org_id text, account text, day date, line_id text, provider text, region text, service text,
    type text, purchase text, category text, resource text, billed numeric(38, 14), tags jsonb)`

const copied = `
  INSERT INTO bench_cost
  SELECT $1, 'acct-' || r % ${accounts}, $5::date + nth_day, ($5::date + nth_day) || '/' || i, p,
    'region-' || r % ${accounts} * 3 + r / ${accounts} % 3, 'service-' || kind, p || '-type-' || kind,
    (ARRAY['on_demand', 'on_demand', 'reserved', 'spot', 'savings_plan'])[kind % 5 + 1 - (r % 160 < 40 AND kind % 5 > 0)::int], 'Usage',
    CASE WHEN r % 100 = 0 THEN '' ELSE 'arn:cloud:' || p || ':resource/' || substr(md5(r::text), 1, 16) END,
    ((r * 31 + line * 17 + nth_day * 7) % 10000 + 1) / 1000.0,
    jsonb_build_object('env', (ARRAY['prod', 'test', 'dev'])[r % 3 + 1], 'team', 'team-' || r % 40)
  FROM (
    SELECT i, nth_day, line, r, r / ${accounts} % 17 AS kind, (ARRAY['aws', 'aws', 'aws', 'gcp', 'gcp', 'azure', 'azure', 'azure'])[r % ${accounts} + 1] AS p
    FROM (
      SELECT i, (i / $3)::int AS nth_day, i % $4 AS line,
        ((i % $3) / $4 + (i / $3) * $6::bigint) % ${resources} AS r
      FROM generate_series(0, $2::bigint - 1) AS i
    ) AS numbered
  ) AS placed`

/** The same lines as a plain PostgreSQL table with the two indexes its questions can use. */
export async function loadPostgres(pool: Pool, { orgId, facts, perResourceDay }: Bill): Promise<void> {
  const step = Math.max(1, Math.floor(resources / days.count))
  await pool.query(table)
  await pool.query(copied, [orgId, facts, Math.ceil(facts / days.count), perResourceDay, days.from, step])
  await pool.query('CREATE INDEX ON bench_cost (org_id, day)')
  await pool.query('CREATE INDEX ON bench_cost (org_id, resource, day)')
  await pool.query('VACUUM ANALYZE bench_cost')
}

/** The accounts and resources of an organization as its actors would have written them: the reports count them. */
export async function loadInventory(pool: Pool, orgId: string, count = resources): Promise<void> {
  await pool.query(
    `INSERT INTO cloud_account (org_id, id, name, provider, external_id, status, created_at, updated_at)
     SELECT $1, 'acct-' || a, 'Account ' || a, 'aws', a::text, 'connected', now(), now() FROM generate_series(0, ${accounts} - 1) AS a`,
    [orgId],
  )
  await pool.query(
    `INSERT INTO resource (org_id, cloud_account_id, uid, id, name, type, provider, region, status, parent_uid, schedulable,
       tags, observed_at, seen_at, created_at, updated_at)
     SELECT $1, 'acct-' || r % ${accounts}, 'uid-' || r, gen_random_uuid(), 'name-' || r, 'aws-type-' || r % 17, 'aws',
       'region-' || r % 11, 'running', CASE WHEN r % 4 = 3 THEN 'uid-' || r / 16 * 16 + r % ${accounts} ELSE '' END, r % 2 = 0,
       jsonb_build_object('env', 'prod', 'team', 'team-' || r % 40), now(), now(), now(), now()
     FROM generate_series(1, $2::int) AS r`,
    [orgId, count],
  )
  await pool.query('ANALYZE resource')
}
