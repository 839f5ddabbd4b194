/** Maximum rows per organization for objects that people create one at a time and that nothing else limits. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'

/**
 * By table: the maximum, and the name for messages. Far above any need, and far below what slows an installation down.
 */
export const rowLimits = {
  budget: [10_000, 'budgets'],
  cloud_account: [10_000, 'cloud accounts'],
  exchange_rate: [10_000, 'exchange rates'],
  export_schedule: [50, 'scheduled exports'],
  kubernetes_source: [1_000, 'Kubernetes usage sources'],
  member: [10_000, 'members and invitations'],
  note: [10_000, 'notes'],
  override: [100_000, 'overrides'],
  personal_access_token: [10_000, 'personal access tokens'],
  provisioned_connection: [10_000, 'connections'],
  provisioned_database: [10_000, 'databases'],
  readiness_plan: [10_000, 'readiness plans'],
  resource_group: [10_000, 'resource groups'],
  role: [1_000, 'roles'],
  team: [10_000, 'teams'],
  unit_metric: [1_000, 'unit metrics'],
} as const satisfies Readonly<Record<string, readonly [rows: number, called: string]>>

/** Whether one more row is allowed. Counts only up to the limit. @throws Fault `refused` `limit_reached` */
export async function checkRowLimit(em: EntityManager, table: keyof typeof rowLimits, orgId: string): Promise<void> {
  const [max, called] = rowLimits[table]
  const beyond = await em.execute<unknown[]>(`select 1 from ${table} where org_id = ? offset ? limit 1`, [
    orgId,
    max - 1,
  ])
  if (beyond.length > 0) throw Fault.refused('limit_reached', `An organization can have at most ${max} ${called}.`)
}
