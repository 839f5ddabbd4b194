/** Scaling in the demo organization: a policy that only monitors, and a plan for an event in a month. */
import { dayMs, dayOf, hourMs, startOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { autoscalerSaved } from '#streams/autoscaling.ts'
import { readinessSaved, readinessScheduled } from '#streams/readiness.ts'

/** The machines of the shop. Groups without a cluster are left for users to try out. */
const fleet = 'shop-general'
/** Days until the event. Below: hours of the day (UTC) when it begins and ends. */
const daysAhead = 30
const [fromHour, toHour] = [14, 18]

const fleetSql = `
  select r.cloud_account_id as account, r.uid from resource r
  join cloud_account a on a.org_id = r.org_id and a.id = r.cloud_account_id and a.status in ('connected', 'degraded')
  where r.org_id = $1 and r.name = $2 and r.type = 'aws-eks-nodegroup' and r.deleted_at is null limit 1`

interface Fleet {
  account: string
  uid: string
}

/** Creates each once: the object's id is also the id of its message. What people have changed meanwhile stays. */
export async function makeScaling(running: Running, orgId: string): Promise<void> {
  const [found] = await running.connections.store.rows<Fleet>(fleetSql, [orgId, fleet])
  if (!found) return
  const policyId = uuidOf('demo', orgId, 'policy', found.uid)
  if (await tryMake(() => makePolicy(running, orgId, policyId, found)))
    await tryMake(() => makePlan(running, orgId, policyId))
}

/** False if people have made their own meanwhile, in a demo organization from an earlier version. */
async function tryMake(make: () => Promise<unknown>): Promise<boolean> {
  try {
    await patiently(make)
    return true
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'conflict' || error.kind === 'refused')) return false
    throw error
  }
}

function makePolicy({ product }: Running, orgId: string, policyId: string, { account, uid }: Fleet): Promise<unknown> {
  const data = {
    cloudAccountId: account,
    targetUid: uid,
    policyId,
    isNew: true as const,
    mode: 'monitor' as const,
    provider: 'aws',
    targetType: 'aws-eks-nodegroup',
    needsInfrastructure: false,
    terms: {
      name: 'Shop front',
      min: 3,
      max: 12,
      targetCpuPercent: 60,
      cooldownSeconds: 300,
      triggers: [{ preset: 'business-hours' as const, timezone: 'Europe/Berlin', minCapacity: 4 }],
      adoption: null,
      step: null,
      maxHourlyUsd: null,
    },
    userId: 'demo',
  }
  return product.get(tokens.asker).ask(autoscalerSaved, orgId, data, policyId)
}

async function makePlan({ connections: { clock }, product }: Running, orgId: string, policyId: string): Promise<void> {
  const asker = product.get(tokens.asker)
  const planId = uuidOf('demo', orgId, 'plan')
  const day = startOf(dayOf(clock.now() + daysAhead * dayMs))
  const terms = {
    name: 'Season sale',
    description: 'Three times the normal afternoon traffic',
    eventStart: new Date(day + fromHour * hourMs).toISOString(),
    eventEnd: new Date(day + toHour * hourMs).toISOString(),
    preScaleMinutes: 30,
    postEventMinutes: 45,
    expectedMultiplier: 3,
    timezone: 'Europe/Berlin',
    policyIds: [policyId],
  }
  await asker.ask(readinessSaved, orgId, { planId, isNew: true, terms, userId: 'demo' }, planId)
  await asker.ask(readinessScheduled, orgId, { planId, from: 'draft', userId: 'demo' }, `${planId}/scheduled`)
}
