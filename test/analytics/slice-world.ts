/** One organization of chance with everything that decides what a slice of cost holds, and questions of chance about it. */
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { Query } from '#analytics/store/query.ts'
import { costColumns, savingBases } from '#analytics/store/slice.ts'
import { clickhouseTime } from '#analytics/store/time.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { organizationOf, settle } from '#test/http/report/random-organization.ts'

const seed = 'slices'
const hour = 3_600_000
const invoices = ['', 'in-1', 'in-2']
const regions = ['us-east', 'eu-west', '']
const teams = ['core', 'web', 'old', 'unassigned']
const dayOf = (n: number): string => new Date(Date.UTC(2025, 11, 1 + n)).toISOString().slice(0, 10)

/**
 * A closed month, teams, tags of three sources and estimates; then invoices, savings and groups, and days that are restated twice, an
 * hour apart, so that some sums are those before the present ones and others are kept. Gives times of before, between and after.
 */
export async function sliceWorld(ch: ClickHouseClient, org: string): Promise<string[]> {
  const made = organizationOf(seed)
  await settle(ch, org, made)
  const insert = (table: string, values: object[]) => ch.insert({ table, values, format: 'JSONEachRow' })
  const days = Array.from({ length: 30 }, (_, n) => ({ orgId: org, cloudAccountId: 'a-1', day: dayOf(2 * n) }))
  const resources = made.resources.slice(0, 20)
  await insert(
    'saving_daily',
    resources.map(({ uid, account, region, type }, n) => ({
      org_id: org,
      day: dayOf(3 * n),
      cloud_account_id: account,
      provider: 'aws',
      region,
      service_name: 'compute',
      resource_type: type,
      purchase_type: 'on_demand',
      resource_uid: uid,
      saved: `${n}.25`,
      x_Version: '1',
    })),
  )
  const known = resources
    .filter((resource) => resource.known)
    .map(({ uid, account }) => ({
      org_id: org,
      resource_uid: uid,
      cloud_account_id: account,
      x_Version: '1',
    }))
  const moments = known.flatMap((own) => days.map(({ day }, n) => ({ own, at: `${day} 12:00:00.000`, n })))
  await insert(
    'metric_sample',
    moments.map(({ own, at: ts, n }) => ({ ...own, metric: 'cpu_percent', ts, value: n })),
  )
  await insert(
    'resource_change',
    moments.map(({ own, at, n }) => ({ ...own, at, change_id: `c-${n}`, kind: 'state_transition' })),
  )
  const group = { org_id: org, group_id: 'g-1' }
  const at = '2026-01-01 00:00:00.000'
  await insert('resource_group_state', [{ ...group, name: 'g', deleted: 0, x_Version: '1' }])
  await insert(
    'resource_group_member',
    resources.map(({ uid }) => ({ ...group, resource_uid: uid, added_at: at, removed: 0, x_Version: '1' })),
  )
  const first = Date.now()
  for (const round of [1, 2, 3]) {
    const lines = days.map(({ day }, n) =>
      fact(org, `restated-${n}`, `${round * (n + 1)}.0${n + 10}`, {
        x_CloudAccountId: 'a-1',
        x_Day: day,
        x_Version: String(round),
        InvoiceId: invoices[n % 3],
        RegionId: regions[n % 3],
        ResourceId: n % 4 === 0 ? '' : made.resources.filter(({ account }) => account === 'a-1')[n % 5]!.uid,
        ResourceType: 'aws-ec2',
      }),
    )
    await insert('cost_fact', lines)
    await recomputeCostDays(ch, days, String(round + 1), { now: new Date(first + round * hour) })
  }
  return [0.5, 1.5, 2.5, 4].map((hours) => clickhouseTime(first + hours * hour))
}

type Params = Record<string, unknown>

/**
 * Parameters of chance for a question: whatever is declared of it narrows now and then. The first two are narrowed by nothing, of the
 * sums that came before the present ones and of those that are kept.
 */
export function randomParams(
  { name, params, example }: Query,
  org: string,
  times: readonly string[],
  n: number,
): Params {
  const roll = (sides: number, ...words: string[]) => Math.floor(chance(seed, name, n, ...words) * sides)
  const pick = <T>(list: readonly T[], ...words: string[]): T => list[roll(list.length, ...words)]!
  const some = (list: readonly string[], what: string) =>
    n < 2 || roll(4, what) > 0 ? [] : [...new Set([pick(list, what, '1'), pick(list, what, '2')])]
  const [from, to] = [roll(40, 'from'), roll(30, 'days')]
  const keys = some(['env', 'owner', 'loc'], 'keys')
  const labels = some(['env', 'owner', 'loc'], 'labels')
  const told: Params = {
    org,
    cost: pick(costColumns, 'cost'),
    from: dayOf(from),
    to: dayOf(from + to),
    prev_from: dayOf(from - to - 1),
    prev_to: dayOf(from - 1),
    savings: n < 2 ? '' : pick(['', ...savingBases], 'savings'),
    as_of: n < 2 ? times[2 - n] : roll(3, 'past') > 0 ? '' : pick(times, 'time'),
    providers: some(['aws', 'gcp', 'azure'], 'providers'),
    accounts: some(['a-1', 'a-2', 'a-3', 'a-4'], 'accounts'),
    regions: some([...regions, 'us-west'], 'regions'),
    types: some(['aws-ec2', 'aws-rds', 'gcp-vm', ''], 'types'),
    teams: some(teams, 'teams'),
    scoped: Number(roll(4, 'scoped') === 0),
    scope_accounts: some(['a-1', 'a-2', 'a-3'], 'scope accounts'),
    scope_teams: some(teams, 'scope teams'),
    tag_keys: keys,
    tag_values: keys.map((key) => pick(['x', 'y', ''], 'value', key)),
    dim_tags: labels,
    dim_values: labels.map((key) => some(['x', 'y', 'z', ''], key)),
    invoices: some(invoices, 'invoices'),
    services: some(['compute', 'storage', 'network'], 'services'),
    purchases: some(['on_demand', 'reserved'], 'purchases'),
    categories: some(['Usage', 'Credit'], 'categories'),
    uids: some(['r-0', 'r-1', 'r-2', 'r-3', 'r-4'], 'uids'),
    uid: pick(['r-0', 'r-1', 'r-2', 'r-3', 'r-4'], 'uid'),
    untagged: Number(roll(4, 'untagged') === 0),
    group: pick(['', '', '', 'g-1'], 'group'),
    limit: 500,
    days_min: 1,
    usd_min: 0,
    percent: -1000,
    since: name.startsWith('metric') ? `${dayOf(from)} 00:00:00.000` : dayOf(-60),
    until: `${dayOf(from + to)} 00:00:00.000`,
    from_ms: Date.parse(dayOf(from)),
    to_ms: Date.parse(dayOf(from + to)),
    dim_types: ['org', 'cloud_account', 'team'],
    dim_keys: [org, 'a-1', 'core'],
    baseline_days: [7, 6, 5],
  }
  const given = Object.entries(params.properties).map(([key, schema]) => {
    const choices = 'enum' in schema ? (schema.enum as string[]) : undefined
    const isFlag = 'maximum' in schema && schema.maximum === 1 && !(key in told)
    return [key, told[key] ?? (choices ? pick(choices, key) : isFlag ? roll(2, key) : example[key])] as const
  })
  return Object.fromEntries(given)
}
