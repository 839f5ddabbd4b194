/**
 * Event readiness plans of many organizations whose raise is due in one minute. Fleets are discovered, and plans made and scheduled by
 * the messages of the edge, so that reminders and reservations are the product's own. Seeded as rows are the policies, since making
 * one looks at its target, which is not measured, and the samples that a raise asks the mean of: CPU of 14 days, one an hour and target.
 */
import { minuteMs } from '#engine/value/day.ts'
import { calculate } from '#actors/autoscaling/policy/calculate.ts'
import { Publisher } from '#engine/run/publisher.ts'
import { uuidOf } from '#engine/value/id.ts'
import { readinessSaved, readinessScheduled } from '#streams/readiness.ts'
import type { Connections } from '#config/state/connect.ts'
import { plantedPolicies } from '#test/harness/autoscaler-row.ts'
import { each, publishFound } from './published.ts'
import { until } from './waited.ts'

export const targetsOfPlan = 5
/** Of an organization, over the policies of its one account: as many as an account may have (500). */
export const plansOfOrganization = 100
const policiesOfOrganization = plansOfOrganization * targetsOfPlan

const units = { min: 2, max: 10, desired: 4 }
const targetCpuPercent = 60
const multiplier = 3
/** What no target is raised to whose CPU is known: its mean is about 50 %. */
export const estimatedMax = calculate(units, { multiplier, averageCpu: null, targetCpuPercent }).scaled.max

const orgOf = (n: number): string => `bench-plans-${n}`
/** The simulated cloud knows accounts by their ids alone. */
const accountOf = (n: number): string => `${orgOf(n)}-acct`
const uidOf = (i: number): string => `asg-${i}`
const planIdOf = (n: number, i: number): string => uuidOf('bench-plan', orgOf(n), String(i))

const samplesSql = `
  INSERT INTO metric_sample (org_id, resource_uid, metric, ts, value, cloud_account_id, x_Version)
  SELECT {org:String}, concat('asg-', toString(number % {fleets:UInt64})), 'cpu_percent',
    toStartOfHour(now()) - toIntervalHour(intDiv(number, {fleets:UInt64}) + 1), 20 + cityHash64(number) % 60, {account:String}, 1
  FROM numbers({fleets:UInt64} * 336)`

const fleet = (n: number, i: number) => ({
  orgId: orgOf(n),
  data: {
    resourceUid: uidOf(i),
    name: uidOf(i),
    type: 'aws-asg',
    provider: 'aws',
    region: 'us-east-1',
    cloudAccountId: accountOf(n),
    status: 'running',
    hourlyRateUSD: 0.4,
    unitCount: units.desired,
    specs: { min_size: units.min, max_size: units.max, desired: units.desired },
  },
})

const policy = (n: number) => (i: number) => ({
  cloud_account_id: accountOf(n),
  target_uid: uidOf(i),
  name: uidOf(i),
  mode: 'monitor',
  effective_mode: 'monitor',
  min: units.min,
  max: units.max,
  target_cpu_percent: targetCpuPercent,
})

const numbered = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))

/** Fleets with policies and samples, five for each plan. Their policies' ids, by organization. */
export async function fleets(c: Connections, organizations: number): Promise<string[][]> {
  const ids: string[][] = []
  for (let n = 0; n < organizations; n++) {
    const query_params = { org: orgOf(n), account: accountOf(n), fleets: policiesOfOrganization }
    await c.clickhouse.command({ query: samplesSql, query_params })
    // Before the first discovery: what a lane has found not to be there it does not look for again.
    ids.push(await plantedPolicies({ orgId: orgOf(n), connections: c }, ...numbered(policiesOfOrganization, policy(n))))
  }
  const found = numbered(organizations, (n) => numbered(policiesOfOrganization, (i) => fleet(n, i))).flat()
  await publishFound(c, found)
  await until(c, found.length, `select count(*) as n from resource where org_id like 'bench-plans-%'`)
  return ids
}

/** Plans that raise their targets at `up`, each five of its own, and hold them for hours. Until all are scheduled. */
export async function schedulePlans(c: Connections, policies: readonly string[][], up: Date): Promise<void> {
  const publisher = new Publisher(c.log, c.clock, 'bench')
  const count = policies.length * plansOfOrganization
  const eachPlan = (work: (n: number, i: number) => Promise<unknown>) =>
    each(count, (k) => work(k % policies.length, Math.floor(k / policies.length)))
  await eachPlan((n, i) => {
    const planId = planIdOf(n, i)
    const data = { planId, isNew: true as const, terms: termsOf(policies[n]!, i, up), userId: 'u-1' }
    return publisher.publish({ subject: readinessSaved, orgId: orgOf(n), data, id: `${planId}/saved` })
  })
  await eachPlan((n, i) => {
    const planId = planIdOf(n, i)
    const data = { planId, from: 'draft' as const, userId: 'u-1' }
    return publisher.publish({ subject: readinessScheduled, orgId: orgOf(n), data, id: `${planId}/scheduled` })
  })
  await reached(c, count, 'scheduled')
}

const preScaleMinutes = 30

const termsOf = (policies: readonly string[], i: number, up: Date) => ({
  name: `Event ${i}`,
  description: null,
  eventStart: new Date(up.getTime() + preScaleMinutes * minuteMs).toISOString(),
  eventEnd: new Date(up.getTime() + 24 * 60 * minuteMs).toISOString(),
  preScaleMinutes,
  postEventMinutes: 0,
  expectedMultiplier: multiplier,
  timezone: 'UTC',
  policyIds: policies.slice(i * targetsOfPlan, (i + 1) * targetsOfPlan),
})

/** Until all plans are so. @throws Error where one of them has failed */
export async function reached(c: Connections, count: number, status: 'scheduled' | 'active'): Promise<void> {
  await until(c, count, `select count(*) as n from readiness_plan where status in ($1, 'failed')`, [status])
  const { rows } = await c.store.pool.query<{ reason: string }>(
    `select reason from readiness_plan where status = 'failed'`,
  )
  if (rows.length > 0) throw new Error(`${rows.length} plans have failed: ${rows[0]!.reason}`)
}
