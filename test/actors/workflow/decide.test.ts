/** When what was approved has to be begun. */
import { expect } from 'chai'
import { workflowActor } from '#actors/workflow/actor.ts'
import type { Op, WorkflowPlan, WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import type { WorkflowNeeds } from '#actors/workflow/needs.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { operationReported, workflowDecided, workflowDue } from '#streams/workflow.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { plan as stop, steps as waiting } from '#test/harness/workflow.ts'
import { hourMs, iso, now } from './asking.ts'

const needs = { admins: () => [] } as unknown as WorkflowNeeds
const job = { cloudAccountId: 'acct-1', jobId: 'j-1' }
const op: Op = { state: 'pending', call: '', actionId: 'a-1', tries: 0, failures: 0 }
const approvedBy = (userId: string, agoMs: number, stepId = 'stop/approve/1') => ({
  stepId,
  userId,
  at: iso(now - agoMs),
  planHash: hashOf(stop),
})

function workflow(fields: Partial<WorkflowJob>) {
  const one = new MemoryActor(workflowActor, { key: 'j-1' })
  one.now = now
  Object.assign(one.state, {
    template: 'stop',
    status: 'awaiting_user',
    stepId: 'stop/approve/1',
    plan: stop,
    planHash: hashOf(stop),
    steps: waiting,
    ops: [op],
    createdBy: 'u-1',
    createdAt: new Date(now - hourMs),
    ...fields,
  })
  const approve = (stepId = 'stop/approve/1') =>
    one.take(workflowDecided, { ...job, stepId, verdict: 'approve', userId: 'u-9' }, { at: now, needs })
  const due = (at: number) => one.take(workflowDue, { ...job, what: 'expires' }, { at, reminder: 'expires', needs })
  const hoursLeft = (at = now) => (one.reminders.get('expires')! - at) / hourMs
  return { one, approve, due, hoursLeft }
}

/** The approval needs `approvals` people, and those waited for lapse after `hours`. */
const steps = (approvals: number, hours: number): WorkflowStep[] =>
  waiting.map((step) => (step.kind === 'approval' ? { ...step, approvals, expiresHours: hours } : step))

describe('approvals of a workflow', () => {
  it('expire with the oldest of them, each by the hours of its own step', () => {
    const first = workflow({ steps: steps(2, 24), approvals: [approvedBy('u-2', 5 * hourMs)] })
    expect(first.approve().refused).to.equal(undefined)
    expect([first.one.state.status, first.hoursLeft()]).to.deep.equal(['running', 19])

    const owner: WorkflowStep = { ...waiting[1]!, id: 'owner', name: 'owner', status: 'succeeded', expiresHours: 8 }
    const second = workflow({
      steps: steps(1, 24).toSpliced(1, 0, owner),
      approvals: [approvedBy('u-2', 5 * hourMs, 'owner')],
    })
    second.approve()
    expect(second.hoursLeft(), 'three hours are left of eight').to.equal(3)
  })

  it('that came too late for the first of them expire at once', () => {
    const late = workflow({ steps: steps(2, 24), approvals: [approvedBy('u-2', 30 * hourMs)] })
    late.approve()
    expect(late.hoursLeft()).to.equal(0)
    late.due(now)
    expect([late.one.state.status, late.one.state.reason]).to.deep.equal(['cancelled', 'The approval has expired.'])
  })
})

describe('a workflow whose approval expires', () => {
  const resize: WorkflowPlan = {
    ...stop,
    template: 'resize',
    ops: [
      { kind: 'stop', expect: { exists: true }, done: { status: 'stopped' } },
      { kind: 'resize', size: 't3.small', expect: { status: 'stopped' }, done: { instanceType: 't3.small' } },
      { kind: 'start', expect: { status: 'stopped' }, done: { status: 'running' } },
    ],
  }
  const call = 'stop/execute/1/0/1'
  const running = (...ops: Op[]) =>
    workflow({
      template: 'resize',
      status: 'running',
      stepId: 'stop/execute/1',
      plan: resize,
      planHash: hashOf(resize),
      steps: waiting.map((step) => ({ ...step, status: step.kind === 'execute' ? 'running' : 'succeeded' })),
      ops,
    })
  const called: Op = { ...op, state: 'running', call, tries: 1 }

  it('goes on while its machine is being started again after a stop that failed', () => {
    const { one, due, hoursLeft } = running(called, op, op)
    const failed = { ...job, call, status: 'failed', errorMessage: 'The cloud gave up.' } as const
    const { emitted } = one.take(operationReported, failed, { at: now, needs })
    expect(emitted.map(({ type, data }) => [type, data.action])).to.deep.equal([['action.wanted', 'start']])
    expect([one.state.ops[0]!.state, one.state.undo?.code]).to.deep.equal(['failed', 'operation_failed'])
    due(now + hourMs)
    expect([one.state.status, hoursLeft(now + hourMs)], 'looked at again in an hour').to.deep.equal(['running', 1])
  })

  it('goes on while a call is under way, and is cancelled where none is', () => {
    const busy = running(called, op, op)
    busy.due(now)
    expect([busy.one.state.status, busy.hoursLeft()]).to.deep.equal(['running', 1])
    const idle = running(op, op, op)
    idle.due(now)
    expect([idle.one.state.status, idle.one.state.reason]).to.deep.equal(['cancelled', 'The approval has expired.'])
  })

  it('goes on once something was done for it', () => {
    const begun = running({ ...called, state: 'done' }, op, op)
    begun.due(now)
    expect([begun.one.state.status, begun.one.reminders.has('expires')]).to.deep.equal(['running', false])
  })
})
