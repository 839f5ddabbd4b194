/** What people decide about autoscaler policies and readiness plans, each once: for what is written down of it. */
import { randomUUID } from 'node:crypto'
import type { SecurityEventType } from '#streams/security.ts'
import { plantedPlan } from '#test/harness/autoscaler-row.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { testProduct, until } from '#test/harness/product.ts'
import { planBody } from '#test/harness/readiness.ts'
import { connected } from '#test/harness/workflow.ts'

type Told = [type: SecurityEventType, detail: object]

async function asked(who: Founder, method: string, path: string, body?: object): Promise<any> {
  const answer = await ask(method, path, { token: who.accessToken, ...(body && { body }) })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body?.data
}

/** Makes a policy that the clock has raise its minimum to 4, and applies that. What is written down of it, the oldest first. */
async function decidedPolicy(who: Founder): Promise<{ policyID: string; told: Told[] }> {
  const cloudAccountID = await connected(who.accessToken)
  const target = { type: 'aws-asg', uid: `asg-${who.orgId}` }
  const trigger = { preset: 'peak-hours', timezone: 'UTC', start: '00:00', end: '23:59', minCapacity: 4 }
  const bounds = { min: 2, max: 10, targetCPUPercent: 60, cooldownSeconds: 0 }
  const body = { name: 'Web', mode: 'recommend', cloudAccountID, target, ...bounds, triggers: [trigger] }
  const { id: policyID } = await asked(who, 'POST', '/autoscaler-policies', body)
  const path = `/autoscaler-policies/${policyID}`
  await until('a recommendation', async () => !!(await asked(who, 'GET', path)).latestRecommendation)
  await asked(who, 'POST', `${path}/apply`)
  const detail = { policyID, targetUID: target.uid, cloudAccountID, toMin: '4', toMax: '10' }
  return {
    policyID,
    told: [
      ['autoscaler_changed', { policyID, change: 'created' }],
      ['policy_applied', detail],
    ],
  }
}

/** What is written down of it, the oldest first. */
export async function decidedPlans(who: Founder): Promise<Told[]> {
  const { policyID, told } = await decidedPolicy(who)
  const { connections } = await testProduct()
  const standing = async (status: string) => {
    const id = randomUUID()
    await plantedPlan({ orgId: who.orgId, connections }, id, { status })
    return id
  }
  const { id } = await asked(who, 'POST', '/event-readiness', planBody([policyID]))
  await asked(who, 'PATCH', `/event-readiness/${id}`, { name: 'Cyber Monday' })
  await asked(who, 'POST', `/event-readiness/${id}/schedule`)
  await asked(who, 'POST', `/event-readiness/${id}/cancel`)
  const [failed, completed] = [await standing('failed'), await standing('completed')]
  await asked(who, 'POST', `/event-readiness/${failed}/retry`, { to: 'draft' })
  await asked(who, 'POST', `/event-readiness/${completed}/reopen`)
  await asked(who, 'DELETE', `/event-readiness/${id}`)
  return [
    ...told,
    ['plan_created', { planID: id }],
    ['plan_changed', { planID: id }],
    ['plan_scheduled', { planID: id }],
    ['plan_cancelled', { planID: id }],
    ['plan_retried', { planID: failed }],
    ['plan_reopened', { planID: completed }],
    ['plan_deleted', { planID: id }],
  ]
}
