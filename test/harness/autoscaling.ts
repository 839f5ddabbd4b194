/** Autoscaler policies as rows, for what only reads them. */
import { randomUUID } from 'node:crypto'
import type { Current, Proposal } from '#actors/autoscaling/entity.ts'
import type { AutoscalerTerms, Trigger } from '#streams/autoscaling.ts'
import type { Tenant } from '#test/harness/product.ts'

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
  recommendation: null as Proposal | null,
  is_told: false,
  points: [] as [number, number][],
  counted_at: 0,
  need: null as number | null,
  unit_usd: null as number | null,
  in_flight: null,
  failures: 0,
  is_replaced: false,
  plans: [],
  hold: null,
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
