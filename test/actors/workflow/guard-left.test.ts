import { expect } from 'chai'
import { workflowActor } from '#actors/workflow/actor.ts'
import { templates } from '#actors/workflow/plan/template.ts'
import { guardAnswered, guardLeft, type WorkflowStatus } from '#streams/workflow.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const job = { cloudAccountId: 'acct-1', jobId: 'job-1' }

/** One that has asked its guard for the second time, and what it was let do before. */
function asking(status: WorkflowStatus, grantN = 0) {
  const actor = new MemoryActor(workflowActor, { key: job.jobId })
  const steps = templates.delete.steps.map((step) => ({ ...step, status: 'pending' as const }))
  const stepId = status === 'running' ? 'delete/execute/1' : null
  Object.assign(actor.state, { status, stepId, steps, n: 2, grantN, createdAt: new Date(actor.now) })
  return actor
}

describe('a yes of the guard that nobody waits for any more', () => {
  const left = { type: guardLeft.name, data: { ...job, n: 2 } }

  it('is given back by a workflow that was cancelled meanwhile', () => {
    const { emitted } = asking('cancelled').take(guardAnswered, { ...job, n: 2, answer: 'yes' })
    expect(emitted).to.deep.equal([left])
  })

  it('is given back by one that has asked anew, by its own number', () => {
    const { emitted } = asking('running').take(guardAnswered, { ...job, n: 1, answer: 'yes' })
    expect(emitted).to.deep.equal([{ ...left, data: { ...job, n: 1 } }])
  })

  it('is kept where it comes twice and is gone by, and a no or a later is nothing to give back', () => {
    const twice = asking('running', 1).take(guardAnswered, { ...job, n: 1, answer: 'yes' })
    const no = asking('cancelled').take(guardAnswered, { ...job, n: 2, answer: 'no', code: 'protected' })
    expect([twice.emitted, no.emitted]).to.deep.equal([[], []])
  })
})
