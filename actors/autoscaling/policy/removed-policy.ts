/** Stores the last state of removed policies. */
import { defineActor, type Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import { autoscalerRemoved } from '#streams/autoscaling.ts'
import { RemovedAutoscalerPolicy, type AutoscalerPolicy } from '#actors/autoscaling/entity.ts'

type PolicyRemoval = Static<typeof autoscalerRemoved.schema>

const policySql = `
  select policy_id as "policyId", target_uid as "targetUid", provider, target_type as "targetType", name, mode, min, max,
    target_cpu_percent as "targetCpuPercent", cooldown_seconds as "cooldownSeconds", triggers, adoption, step,
    max_hourly_usd as "maxHourlyUsd", effective_mode as "effectiveMode", current, last_write_at as "lastWriteAt",
    created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt", hold
  from autoscaler_policy where org_id = $1 and cloud_account_id = $2 and target_uid = $3 and policy_id = $4`

type Row = Omit<RemovedAutoscalerPolicy, 'orgId' | 'cloudAccountId' | 'removedAt'> & Pick<AutoscalerPolicy, 'hold'>

/** By policy id. The message runs alone, so the rows are those that the turn of the policy finds. */
async function needs(waiting: readonly Waiting[], reads: TurnReads): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>()
  for (const { address, data } of waiting) {
    const { targetUid, policyId } = data as PolicyRemoval
    const [row] = await reads.rows<Row>(policySql, [address.orgId, address.place, targetUid, policyId])
    if (row) found.set(policyId, row)
  }
  return found
}

export const removedActor = defineActor({
  kind: 'autoscaler-removed',
  entity: RemovedAutoscalerPolicy,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'policyId' },
  initial: () => ({ removedAt: new Date(0) }),
  needs,
  reactions: (on) => [
    on(
      autoscalerRemoved,
      ({ policyId }) => policyId,
      (row, { policyId }, turn) => {
        const policy = turn.needs.get(policyId)
        // While a plan holds the target, the removal is refused, as by the policy itself.
        if (!policy || (policy.hold && !(policy.hold.state === 'restoring' && policy.hold.call === ''))) return
        const { hold: _, ...kept } = policy
        Object.assign(row, kept, { removedAt: turn.now, updatedAt: turn.now })
      },
      { barrier: true },
    ),
  ],
})
