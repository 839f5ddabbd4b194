/** Policies and plans of readiness from outside. */
import { expect } from 'chai'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import type { Counts } from '#streams/autoscaling.ts'
import type { PlanStatus } from '#streams/readiness.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import type { Fleet } from '#test/harness/fleet.ts'
import { ask } from '#test/harness/people.ts'
import { until, type Answer } from '#test/harness/product.ts'

/** The key of the test product is known, and what its services sign with follows from it. */
const secret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'internal-token').toString('base64')
export const executorToken = (orgId?: string) => internalToken(secret, 'executor', new Date(), orgId)

const hourMs = 3_600_000

export interface PolicyFields extends Counts {
  /** Percent. */
  target: number
  type: string
  /** Of the whole fleet. */
  hourlyRateUSD?: number
  unitCount?: number
  specs?: object
  instanceType?: string
  cloudAccountId?: string
}

/** Targets as their producer tells of them, all at once: 4 units each unless it says otherwise. */
export const discoverTargets = (f: Fleet, targets: Readonly<Record<string, object>>): Promise<void> =>
  f.publish(
    resourceDiscovered,
    Object.entries(targets).map(([resourceUid, fields]) => ({
      resourceUid,
      name: `name of ${resourceUid}`,
      type: 'aws-asg',
      provider: 'aws' as const,
      cloudAccountId: f.accountId,
      region: 'us-east-1',
      status: 'running' as const,
      unitCount: 4,
      ...fields,
    })),
  )

/** A target that its producer tells of, and its policy. The policy's id. */
export async function policyFor(f: Fleet, uid: string, fields: Partial<PolicyFields> = {}): Promise<string> {
  const { min, max, desired = 4, target, type = 'aws-asg', ...found } = fields
  await discoverTargets(f, { [uid]: { type, unitCount: desired, ...found } })
  return policyOn(f, uid, { type, ...(min !== undefined && { min }), ...(max && { max }), ...(target && { target }) })
}

/** The policy of a target that is there. Its id. */
export async function policyOn(f: Fleet, uid: string, fields: Partial<PolicyFields> = {}): Promise<string> {
  const { min = 2, max = 10, target = 70, type = 'aws-asg' } = fields
  const { status, body } = await f.send('POST', '/autoscaler-policies', {
    name: `policy of ${uid}`,
    // What is measured changes nothing by itself.
    mode: 'monitor',
    cloudAccountID: f.accountId,
    target: { type, uid },
    min,
    max,
    targetCPUPercent: target,
    cooldownSeconds: 300,
    triggers: [],
  })
  expect(status, JSON.stringify(body)).to.equal(201)
  return body.data.id as string
}

export const inHours = (hours: number): string => new Date(Date.now() + hours * hourMs).toISOString()

/** Body of a plan that is far ahead, for these policies. */
export const planBody = (policyIds: readonly string[], fields: object = {}) => ({
  name: 'Black Friday',
  description: 'The sale',
  eventStart: '2030-11-29T14:00:00.000Z',
  eventEnd: '2030-11-29T18:00:00.000Z',
  preScaleMinutes: 30,
  postEventMinutes: 45,
  expectedMultiplier: 3,
  timezone: 'Europe/Berlin',
  targets: policyIds.map((policyId) => ({ policyId })),
  ...fields,
})

/** One that has begun, and goes on for an hour. */
export const begun = () => ({ eventStart: inHours(-1), eventEnd: inHours(1), preScaleMinutes: 0, postEventMinutes: 0 })

export async function made(f: Fleet, policyIds: readonly string[], fields: object = {}): Promise<string> {
  const answer = await f.send('POST', '/event-readiness', planBody(policyIds, fields))
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
  return answer.body.data.id as string
}

export const planOf = async (f: Fleet, id: string): Promise<any> => (await f.get(`/event-readiness/${id}`)).body.data
export const statusOf = async (f: Fleet, id: string): Promise<PlanStatus> => (await planOf(f, id)).status as PlanStatus

/** What an executor says of a plan. */
export const tell = (f: Fleet, id: string, status: string, fields: object = {}): Promise<Answer> =>
  ask('POST', `/internal/event-readiness/${id}/status`, {
    token: executorToken(f.orgId),
    body: { status, revision: 1, occurredAt: new Date().toISOString(), ...fields },
  })

/** The next word of an executor, by status; from `scheduled` on a plan goes up by itself. */
const next: Partial<Record<PlanStatus, PlanStatus>> = {
  scheduling: 'scheduled',
  scaling_up: 'active',
  scaling_down: 'completed',
}

const course: readonly PlanStatus[] = ['scheduling', 'scheduled', 'scaling_up', 'active', 'scaling_down', 'completed']

/** Until a plan is there, or further: its policies say so, or the executor does in their place. */
export async function reach(f: Fleet, id: string, status: PlanStatus, fields: object = {}): Promise<void> {
  await until(`${status} of a plan`, async () => {
    const now = await statusOf(f, id)
    if (course.indexOf(now) >= course.indexOf(status)) return true
    const word = next[now]
    if (word) await tell(f, id, word, fields)
    return false
  })
}

/** All lines of a log. */
export const logOf = async (f: Fleet, id: string): Promise<any[]> =>
  (await f.get(`/event-readiness/${id}/logs?limit=100`)).body.data.items

export const transitionsOf = async (f: Fleet, id: string): Promise<string[]> =>
  (await logOf(f, id)).filter(({ kind }) => kind === 'transition').map(({ from, to }) => `${from}>${to}`)
