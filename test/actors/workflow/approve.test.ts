/** Who may approve a workflow, and what it is refused for before anything is changed. */
import { expect } from 'chai'
import { workflowActor } from '#actors/workflow/actor.ts'
import type { Op, WorkflowPlan, WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import type { WorkflowNeeds } from '#actors/workflow/needs.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { factsJudged, guardAnswered, workflowDecided, workflowTold } from '#streams/workflow.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { plan as stop, steps as waiting } from '#test/harness/workflow.ts'
import { hourMs, iso, now } from './asking.ts'

const job = { cloudAccountId: 'acct-1', jobId: 'j-1' }
const op: Op = { state: 'pending', call: '', actionId: 'a-1', tries: 0, failures: 0 }
const needs = {
  admins: () => [],
  resource: () => undefined,
  grounds: () => ({ tags: {}, groups: [] }),
} as unknown as WorkflowNeeds

function workflow(fields: Partial<WorkflowJob>) {
  const one = new MemoryActor(workflowActor, { key: 'j-1' })
  one.now = now
  const plan = fields.plan ?? stop
  Object.assign(one.state, {
    template: 'stop',
    status: 'awaiting_user',
    stepId: 'stop/approve/1',
    steps: waiting,
    ops: [op],
    createdBy: 'u-1',
    createdAt: new Date(now - hourMs),
    n: 7,
    grantN: 6,
    ...fields,
    plan,
    planHash: hashOf(plan),
  })
  const decided = (userId: string, verdict: 'approve' | 'reject' = 'approve', stepId = 'stop/approve/1') =>
    one.take(workflowDecided, { ...job, stepId, verdict, userId }, { at: now, needs })
  return { one, decided }
}

/** The steps where the approval needs so many people. */
const approvedBy = (approvals: number): WorkflowStep[] =>
  waiting.map((step) => (step.kind === 'approval' ? { ...step, approvals } : step))

describe('the approval of a workflow', () => {
  it('is never of the person who started it where the plan asks for four eyes', () => {
    const fourEyes: WorkflowPlan = { ...stop, fourEyes: true }
    const { one, decided } = workflow({ plan: fourEyes })
    expect(decided('u-1').refused).to.equal('four_eyes')
    expect([one.state.status, one.state.approvals]).to.deep.equal(['awaiting_user', []])
    expect([decided('u-2').refused, one.state.status]).to.deep.equal([undefined, 'running'])
  })

  it('may be of the person who started it where the plan does not', () => {
    const { one, decided } = workflow({})
    expect([decided('u-1').refused, one.state.status]).to.deep.equal([undefined, 'running'])
  })

  it('takes two different people where two are needed', () => {
    const { one, decided } = workflow({ steps: approvedBy(2) })
    expect([decided('u-2').refused, one.state.status]).to.deep.equal([undefined, 'awaiting_user'])
    expect([decided('u-2').refused, one.state.status]).to.deep.equal(['already_approved', 'awaiting_user'])
    expect([decided('u-3').refused, one.state.status]).to.deep.equal([undefined, 'running'])
    expect(one.state.approvals.map(({ userId, at, planHash }) => [userId, at, planHash])).to.deep.equal(
      ['u-2', 'u-3'].map((userId) => [userId, iso(now), hashOf(stop)]),
    )
  })

  it('is of the step that waits, and of no other', () => {
    const { one, decided } = workflow({})
    expect(decided('u-2', 'approve', 'stop/execute/1').refused).to.equal('not_awaiting')
    expect(decided('u-2', 'approve', 'stop/none/1').refused).to.equal('not_found')
    expect(one.state.status).to.equal('awaiting_user')
  })

  it('cancels the workflow when it is refused, with the reason and the person', () => {
    const { one, decided } = workflow({})
    const { calls } = decided('u-2', 'reject')
    expect([one.state.status, calls]).to.deep.equal(['cancelled', []])
    expect(one.state.audit.at(-1)).to.include({ stepName: 'approval', eventType: 'rejected', actor: 'u-2' })
    expect(decided('u-3').refused).to.equal('not_awaiting')
  })
})

describe('an approved workflow right before its first call', () => {
  const approved = { stepId: 'stop/approve/1', userId: 'u-2', at: iso(now), planHash: hashOf(stop) }
  const wanted = { instance_type: 't3.small' }
  const judgedAs = (said: object, plan: WorkflowPlan = { ...stop, targetSpec: wanted }) => {
    const { one } = workflow({
      plan,
      status: 'running',
      stepId: 'stop/execute/1',
      steps: waiting.map((step) => ({ ...step, status: step.kind === 'execute' ? 'running' : 'succeeded' })),
      approvals: [approved],
    })
    const facts = { ...job, n: 7, outcome: 'fires', targetSpec: wanted, ...said }
    const done = one.take(factsJudged, facts as never, { at: now, needs })
    const step = one.state.steps.find(({ id }) => id === 'stop/execute/1')
    return { code: (step?.output as { code?: string } | undefined)?.code, status: one.state.status, done }
  }

  it('fails without a call where the resource or its target is another one than was approved', () => {
    for (const [said, code] of [
      [{ outcome: 'changed' }, 'changed_since_approval'],
      [{ targetSpec: { instance_type: 't3.large' } }, 'changed_since_approval'],
      [{ outcome: 'gone' }, 'resource_gone'],
      [{ outcome: 'clear' }, 'no_longer_fires'],
      [{ outcome: 'hold' }, 'facts_unavailable'],
    ] as const) {
      const judged = judgedAs(said)
      expect([judged.status, judged.code, judged.done.calls], JSON.stringify(said)).to.deep.equal(['failed', code, []])
    }
  })

  it('goes on where the rule still finds what was approved', () => {
    const judged = judgedAs({})
    expect([judged.status, judged.done.emitted.length + judged.done.calls.length > 0]).to.deep.equal(['running', true])
  })

  it('changes nothing for an answer to an earlier question', () => {
    const judged = judgedAs({ n: 6, outcome: 'gone' })
    expect([judged.status, judged.code, judged.done.calls]).to.deep.equal(['running', undefined, []])
  })
})

describe('the refusal of a workflow', () => {
  it('ends it, and tells its recommendation once', () => {
    const { one, decided } = workflow({ recommendationId: 'rec-1', told: 4 })
    const told = decided('u-2', 'reject').emitted.filter(({ type }) => type === workflowTold.name)
    expect([one.state.status, told.map(({ data }) => (data as { state: string }).state)]).to.deep.equal([
      'cancelled',
      ['cancelled'],
    ])
  })
})

describe('a workflow whose guard says later', () => {
  it('writes down each reason once, however often it comes, and when it asks again', () => {
    const { one, decided } = workflow({})
    decided('u-2')
    const later = (code: string) => {
      const said = { answer: 'later', code, message: `Not now: ${code}.`, retryAt: iso(now + 60_000) } as const
      const { facts } = one.take(guardAnswered, { ...job, n: one.state.n, ...said }, { at: now, needs })
      return facts.filter(({ row }) => (row as { event: string }).event === 'guard_later').length
    }
    expect([later('frozen'), later('frozen'), later('at_limit')]).to.deep.equal([1, 0, 1])
    expect(one.reminders.get('guard')).to.equal(now + 60_000)
  })
})
