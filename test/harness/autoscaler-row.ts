/** Autoscaler policies as rows, for what only reads them, and somebody who answers for their actors. */
import { randomUUID } from 'node:crypto'
import type { Current, Proposal } from '#actors/autoscaling/entity.ts'
import { decoder } from '#engine/value/schema.ts'
import { tokens } from '#config/wiring/tokens.ts'
import type { AutoscalerTerms, Trigger } from '#streams/autoscaling.ts'
import { testProduct, type Tenant } from '#test/harness/product.ts'

export const at = '2030-01-07T13:00:00.000Z'

const shared = {
  cloud_account_id: 'acct-1',
  target_uid: 'asg-1',
  provider: 'aws',
  target_type: 'aws-asg',
  name: 'Web',
  mode: 'recommend',
  effective_mode: 'recommend',
  min: 2,
  max: 10,
  target_cpu_percent: 60,
  cooldown_seconds: 300,
  triggers: [] as Trigger[],
  adoption: null as string | null,
  step: null as AutoscalerTerms['step'],
  max_hourly_usd: null as number | null,
  current: { min: 2, max: 10, desired: 4, cpuPercent: null, observedAt: at } as Current,
  last_write_at: null as string | null,
  created_by: 'u-1',
  created_at: at,
  updated_at: at,
}

const live = {
  ...shared,
  status: 'active',
  status_reason: '',
  is_paused: false,
  is_gone: false,
  seen_at: 0,
  failure: '',
  needs_infrastructure: false,
  recommendation: null as Proposal | null,
  is_told: false,
  points: [] as [number, number][],
  counted_at: 0,
  need: null as number | null,
  unit_usd: null as number | null,
  stop: null,
  in_flight: null,
  failures: 0,
  is_replaced: false,
  plans: [],
  hold: null,
  saving: null,
  ended_plans: [],
  calls: 0,
  told: 0,
}

const removed = { ...shared, removed_at: '2030-01-08T13:00:00.000Z' }

type Kept = Pick<Tenant, 'orgId' | 'connections'>

async function planted<R extends object>(
  table: string,
  { orgId, connections }: Kept,
  row: R,
  list: readonly Partial<R & { policy_id: string }>[],
): Promise<string[]> {
  const rows = list.map((fields) => ({ org_id: orgId, policy_id: randomUUID() as string, ...row, ...fields }))
  await connections.store.pool.query(
    `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  )
  return rows.map(({ policy_id }) => policy_id)
}

export type PlantedPolicy = typeof live & { policy_id: string }
export type PlantedRemoval = typeof removed & { policy_id: string }

/** Makes one of each; their ids, in this order. A target has one at most. */
export const plantedPolicies = (of: Kept, ...list: Partial<PlantedPolicy>[]): Promise<string[]> =>
  planted('autoscaler_policy', of, live, list)

export const plantedRemovals = (of: Kept, ...list: Partial<PlantedRemoval>[]): Promise<string[]> =>
  planted('autoscaler_removed', of, removed, list)

const draft = {
  name: 'Black Friday',
  description: null,
  event_start: '2030-11-29T14:00:00.000Z',
  event_end: '2030-11-29T18:00:00.000Z',
  pre_scale_minutes: 30,
  post_event_minutes: 45,
  expected_multiplier: 3,
  timezone: 'UTC',
  status: 'draft',
  reason: '',
  targets: [],
  owed: [],
  revision: 1,
  logged: 0,
  created_by: 'u-1',
  created_at: at,
  updated_at: at,
}

/** A readiness plan of nothing, for what only reads it. */
export const plantedPlan = async ({ orgId, connections }: Kept, id: string, fields: object = {}): Promise<void> =>
  void (await connections.store.pool.query(
    'insert into readiness_plan select * from jsonb_populate_record(null::readiness_plan, $1)',
    [JSON.stringify({ org_id: orgId, id, ...draft, ...fields })],
  ))

/** What is asked of the actors of policies. */
export interface Asked {
  name: string
  data: any
}

const own = /^(?:autoscaler|scaling-infrastructure)\./

/** Answers for the actors of policies until `end`: what the edge makes of what they say is seen without a cloud. */
export async function answering(
  work: (asked: Asked) => Promise<unknown>,
): Promise<{ asked: Asked[]; end: () => void }> {
  const { product } = await testProduct()
  const asker = product.get(tokens.asker)
  const asked: Asked[] = []
  const ask = asker.ask.bind(asker)
  asker.ask = async (subject, orgId, data, id) => {
    if (!own.test(subject.name)) return ask(subject, orgId, data, id)
    const one = { name: subject.name, data: decoder(subject.schema)(data) }
    asked.push(one)
    return work(one)
  }
  return { asked, end: () => void (asker.ask = ask) }
}

/** The row that a new policy comes to. */
export const rowOf = ({
  policyId,
  cloudAccountId,
  targetUid,
  provider,
  targetType,
  mode,
  terms,
}: any): Partial<PlantedPolicy> => ({
  policy_id: policyId,
  cloud_account_id: cloudAccountId,
  target_uid: targetUid,
  provider,
  target_type: targetType,
  mode,
  effective_mode: mode,
  name: terms.name,
  min: terms.min,
  max: terms.max,
  target_cpu_percent: terms.targetCpuPercent,
  cooldown_seconds: terms.cooldownSeconds,
  triggers: terms.triggers,
  adoption: terms.adoption,
  step: terms.step,
  max_hourly_usd: terms.maxHourlyUsd,
  current: { min: terms.min, max: terms.max, desired: terms.min, cpuPercent: null, observedAt: at },
})

/** Sets columns of one policy. */
export async function changed({ orgId, connections }: Kept, id: string, fields: Partial<PlantedPolicy>): Promise<void> {
  const names = Object.keys(fields)
  await connections.store.pool.query(
    `update autoscaler_policy p set ${names.map((name) => `${name} = r.${name}`).join(', ')}
     from jsonb_populate_record(null::autoscaler_policy, $3) r where p.org_id = $1 and p.policy_id = $2`,
    [orgId, id, JSON.stringify(fields)],
  )
}

/** Takes a policy away, and leaves its record. */
export async function takenAway(of: Kept, id: string): Promise<void> {
  const sql =
    'delete from autoscaler_policy where org_id = $1 and policy_id = $2 returning to_jsonb(autoscaler_policy) as row'
  const { row } = (await of.connections.store.pool.query(sql, [of.orgId, id])).rows[0]
  await plantedRemovals(of, { ...row, removed_at: removed.removed_at })
}

/** What policies did, as ClickHouse keeps it: the oldest first. */
export async function plantedEvents({ orgId, connections }: Kept, policyId: string, ...list: object[]): Promise<void> {
  const values = list.map((fields, n) => ({
    org_id: orgId,
    policy_id: policyId,
    n: n + 1,
    event_id: `e-${n + 1}`,
    at: `2030-01-07 13:00:0${n}.000`,
    kind: 'write',
    from_min: 2,
    from_max: 10,
    to_min: 6,
    to_max: 10,
    reason: 'CPU was high.',
    mode: 'autopilot',
    cloud_account_id: 'acct-1',
    target_uid: 'asg-1',
    target_type: 'aws-asg',
    provider: 'aws',
    x_Version: '1',
    ...fields,
  }))
  await connections.clickhouse.insert({ table: 'policy_event', values, format: 'JSONEachRow' })
  await connections.store.countWritten([orgId], 'policy_event')
}
