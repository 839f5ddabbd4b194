/** Fleets that are scaled by a policy and for an event, whatever their cloud. */
import { expect } from 'chai'
import { metricSample } from '#streams/metric/messages.ts'
import type { Connected } from '#test/harness/connected.ts'
import { setClock } from '#test/harness/people.ts'
import { planBody } from '#test/harness/readiness.ts'
import { until } from '#test/harness/product.ts'

const minuteMs = 60_000

export interface Fleet {
  uid: string
  type: string
  /** What was done to it that it had not before. */
  done: () => readonly string[]
}

export async function policyFor(org: Connected, { uid, type }: Fleet, fields: object): Promise<string> {
  const body = { name: `${type} policy`, mode: 'autopilot', cloudAccountID: org.accountId, target: { type, uid } }
  const terms = { cooldownSeconds: 60, triggers: [], ...fields }
  const { id } = await org.done('POST', '/autoscaler-policies', { ...body, ...terms })
  await org.reached('the policy', async () => (await org.data(`/autoscaler-policies/${id}`)).status === 'active')
  return id as string
}

/** Behind the cooldown of what a policy has done. */
export const cooled = (org: Connected): Promise<unknown> =>
  setClock(new Date(org.connections.clock.now() + 70_000), org.orgId)

/** The load of a fleet as a producer tells it, of these last minutes and some to come. */
export async function told(org: Connected, resourceUid: string, percent: number): Promise<void> {
  const now = Math.floor(org.connections.clock.now() / minuteMs)
  const samples = Array.from({ length: 8 }, (_, at) => ({
    metric: 'cpu_percent' as const,
    value: percent,
    ts: new Date((now - 3 + at) * minuteMs).toISOString(),
  }))
  await org.publish(metricSample, [{ resourceUid, samples }], { place: org.accountId })
}

/** Until a policy has done this and nothing else, oldest first: kinds with the bounds it asked for. What failed is asked for again. */
export async function tells(org: Connected, id: string, expected: readonly unknown[]): Promise<void> {
  let found: unknown[] = []
  await org.reached('what the policy has done', async () => {
    const events = await org.data(`/autoscaler-policies/${id}/events?limit=100`)
    found = events.flatMap(({ kind, toMin, toMax }: any) => (kind === 'failure' ? [] : [[kind, toMin, toMax]]))
    return found.length >= expected.length
  })
  expect(found).to.deep.equal(expected)
}

/** Has a plan of three times the load go up half an hour before its event and back behind it. `up`: once it is up. */
export async function planned(org: Connected, policyId: string, up: () => Promise<unknown>): Promise<any> {
  await setClock(new Date('2030-11-29T12:00:00Z'), org.orgId)
  const { id } = await org.done('POST', '/event-readiness', planBody([policyId]))
  const path = `/event-readiness/${id}`
  const become = (status: string) =>
    org.reached(`${status} of the plan`, async () => (await org.data(path)).status === status)
  await org.done('POST', `${path}/schedule`)
  await become('scheduled')
  const { targets } = await org.data(path)
  await setClock(new Date('2030-11-29T13:30:00Z'), org.orgId)
  await become('active')
  await up()
  await setClock(new Date('2030-11-29T18:45:00Z'), org.orgId)
  await become('completed')
  const { originalMin, originalMax, originalDesired } = targets[0]
  return [originalMin, originalMax, originalDesired]
}

const callsOf = async ({ connections, orgId }: Connected, id: string): Promise<unknown> =>
  connections.store.rows('select calls from autoscaler_policy where org_id = $1 and policy_id = $2', [orgId, id])

/** The policy leaves what it has reached as it is, though its cooldown is over and it is as busy as it should be. */
export async function restful(org: Connected, id: string, fleet: Fleet, percent: number): Promise<void> {
  const [calls, done] = [await callsOf(org, id), [...fleet.done()]]
  await setClock(new Date(org.connections.clock.now() + 6 * minuteMs), org.orgId)
  await told(org, fleet.uid, percent)
  // What is measured shows once it has been judged.
  await until('what is measured', async () => {
    const { currentTarget } = await org.data(`/autoscaler-policies/${id}`)
    return currentTarget.cpuPercent === percent
  })
  expect(await callsOf(org, id)).to.deep.equal(calls)
  expect(fleet.done()).to.deep.equal(done)
}
