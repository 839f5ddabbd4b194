/** Operations that an executor outside this process makes, from the order to its end. */
import { expect } from 'chai'
import { workflowActor } from '#actors/workflow/actor.ts'
import type { Op, WorkflowPlan } from '#actors/workflow/entity.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { templates } from '#actors/workflow/plan/template.ts'
import { execResult } from '#streams/action/exec.ts'
import { operationReported, workflowDue } from '#streams/workflow.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { plan as stop } from '#test/harness/workflow.ts'
import { hourMs, now } from './asking.ts'

const plan: WorkflowPlan = {
  ...stop,
  template: 'delete',
  ops: [{ kind: 'delete', expect: { exists: true }, done: { exists: false } }],
  target: { exists: false },
}
const call = 'delete/execute/1/0/1'
const job = { cloudAccountId: 'acct-1', jobId: 'j-1' }
const op: Op = { state: 'running', call, actionId: 'a-1', tries: 1, failures: 0 }
/** The base64 of i-1. */
const intent = (tries: number) => `j-1/0/${tries}.aS0x`
const minuteMs = 60_000

function ordered() {
  const one = new MemoryActor(workflowActor, { key: 'j-1' })
  one.now = now
  Object.assign(one.state, {
    template: 'delete',
    status: 'running',
    stepId: 'delete/execute/1',
    plan,
    planHash: hashOf(plan),
    resourceUid: 'i-1',
    steps: templates.delete.steps.map((step) => ({
      ...step,
      status: { execute: 'running', validate: 'pending' }[step.kind as string] ?? 'succeeded',
    })),
    ops: [op],
    n: 2,
    grantN: 1,
    createdBy: 'u-1',
    createdAt: new Date(now - hourMs),
  })
  const needs = { admins: () => [] }
  const order = () => one.take(operationReported, { ...job, call, status: 'ordered' }, { at: now, needs })
  const hear = (intentId: string, status: 'accepted' | 'running' | 'succeeded' | 'failed', more = {}) =>
    one.take(execResult, { intentId, status, occurredAt: new Date(now).toISOString(), ...more }, { at: now, needs })
  const late = (at: number) => one.take(workflowDue, { ...job, what: 'limit' }, { at, reminder: 'limit', needs })
  const limit = () => (one.reminders.get('limit')! - now) / minuteMs
  return { one, order, hear, late, limit }
}

describe('an operation ordered from an executor', () => {
  it('has an hour to be picked up, then a quarter of an hour after each report, and is not looked at', () => {
    const { one, order, hear, limit } = ordered()
    order()
    expect([limit(), one.state.ops[0]]).to.deep.equal([60, { ...op, order: 'sent' }])
    hear(intent(1), 'accepted')
    expect([limit(), one.state.ops[0]]).to.deep.equal([15, { ...op, order: 'taken' }])
    hear(intent(1), 'running')
    expect([limit(), one.reminders.has('look')]).to.deep.equal([15, false])
    hear(intent(1), 'succeeded')
    expect([one.state.ops[0]!.state, one.state.stepId]).to.deep.equal(['done', 'delete/validate/1'])
  })

  it('is done by an executor that is faster than the order is noted', () => {
    const { one, order, hear, limit } = ordered()
    hear(intent(1), 'accepted')
    order()
    expect([limit(), one.state.ops[0]!.order]).to.deep.equal([15, 'taken'])
    hear(intent(1), 'succeeded')
    expect(one.state.ops[0]!.state).to.equal('done')
  })

  it('fails with the reason where nobody picks it up, or nobody reports its end', () => {
    const unheard = ordered()
    unheard.order()
    unheard.late(now + hourMs)
    expect([unheard.one.state.status, unheard.one.state.reason]).to.deep.equal([
      'failed',
      'No executor picked the call up within an hour.',
    ])
    const unended = ordered()
    unended.order()
    unended.hear(intent(1), 'accepted')
    unended.late(now + 15 * minuteMs)
    expect([unended.one.state.status, unended.one.state.reason]).to.deep.equal([
      'failed',
      'The executor accepted the call but did not report its end within 15 minutes.',
    ])
  })

  it('is ordered again after a failure that may pass, under another id; results of other tries change nothing', () => {
    const { one, order, hear } = ordered()
    order()
    for (const other of [intent(2), 'j-1/1/1.aS0x', 'j-1/0/1.aS0y', 'no intent']) hear(other, 'succeeded')
    expect(one.state.ops[0]!.state).to.equal('running')
    hear(intent(1), 'failed', { retryable: true, errorMessage: 'busy' })
    expect([one.state.ops[0]!.state, one.state.ops[0]!.failures, one.state.reason]).to.deep.equal([
      'pending',
      1,
      'busy',
    ])
    const again = one.take(workflowDue, { ...job, what: 'retry' }, { at: now, reminder: 'retry', needs: {} })
    expect(again.calls.map(({ name, input }) => [name, input.call, input.tries])).to.deep.equal([
      ['operate', 'delete/execute/1/0/2', 2],
    ])
    hear(intent(1), 'succeeded')
    expect(one.state.ops[0]!.state).to.equal('running')
    hear(intent(2), 'failed', { errorMessage: 'no such disk' })
    expect([one.state.status, one.state.reason]).to.deep.equal(['failed', 'no such disk'])
  })
})
