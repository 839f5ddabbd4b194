/** The table of a workflow, against all that can happen to one. */
import { expect } from 'chai'
import { workflowActor } from '#actors/workflow/actor.ts'
import { compileWorkflows } from '#actors/workflow/custom/custom.ts'
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import { workflowMachine } from '#actors/workflow/machine.ts'
import type { RequestedWorkflow, ResourceFacts, WorkflowNeeds } from '#actors/workflow/needs.ts'
import type { RecommendationFacts } from '#actors/workflow/plan/plan.ts'
import type { Subject } from '#engine/actor/subject.ts'
import {
  factsJudged,
  guardAnswered,
  operationReported,
  workflowCancelled,
  workflowDecided,
  workflowDone,
  workflowDue,
  workflowForgotten,
  workflowWanted,
} from '#streams/workflow.ts'
import { listedMoves, watchMoves } from '#test/harness/moves.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { Random } from '#test/sim/scheduler.ts'
import { grounds } from './asking.ts'
import { approval, execute, owner, precondition, stop, validate } from './lists.ts'

const recommendation: RecommendationFacts = {
  id: 'r-1',
  status: 'open',
  ruleId: 'RC-1001',
  category: 'idle',
  actionType: 'stop',
  automation: 'executor',
  title: 'Stop EC2 instance web.',
  remediation: 'Stop the instance.',
  resourceUid: 'i-1',
  resourceName: 'web',
  resourceType: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  targetSpec: null,
  currentCostUsd: '276.48',
  savingsUsd: '152.64',
}
const target = { instance_type: 'm5a.xlarge' }
/** Resizes have the most calls. */
const recommendations: readonly RecommendationFacts[] = [
  recommendation,
  { ...recommendation, ruleId: 'RC-1101', actionType: 'resize', automation: 'api', targetSpec: target },
  { ...recommendation, ruleId: 'RC-1101', actionType: 'resize', automation: 'api', targetSpec: target },
  { ...recommendation, ruleId: 'RC-1301', actionType: 'delete', automation: 'api', resourceType: 'aws-ebs-volume' },
  { ...recommendation, actionType: 'none', automation: 'manual' },
]
const resource: ResourceFacts = {
  uid: 'i-1',
  name: 'web',
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  status: 'running',
  instanceType: 'm5.2xlarge',
  resourceGroup: '',
  specs: {},
  schedulable: true,
  tags: {},
  deletedAt: null,
}
const again = { id: 'again', name: 'again', kind: 'precondition' }
const lists = [
  { extraApprovals: 1 },
  stop(precondition, owner, approval, again, execute, validate),
  {
    template: 'manual',
    steps: [
      { ...precondition, id: 'manual/precondition/1' },
      { ...approval, id: 'manual/approve/1' },
      again,
      { ...validate, id: 'manual/validate/1' },
    ],
  },
]
const policies = lists.map((spec, i) => ({ id: `p-${i}`, name: `P${i}`, spec, createdAt: new Date(i) }))

const job = { cloudAccountId: 'acct-1', jobId: 'j-1' }
const kinds = ['expires', 'guard', 'facts', 'retry', 'look', 'limit', 'settled'] as const

type Delivered = readonly [Subject<any>, object]

const mostly = <T>(random: Random, often: T, ...seldom: readonly T[]): T =>
  random.chance(0.8) ? often : random.pick(seldom)

function report(random: Random, { ops, undo, stepId }: WorkflowJob): Delivered {
  const running = ops.find(({ state }) => state === 'running')
  const call = undo?.call ?? running?.call ?? `${stepId ?? 'none'}/look`
  const status = random.pick(['succeeded', 'succeeded', 'succeeded', 'running', 'failed', 'refused'])
  const refusal = random.pick(['halted', 'halted', 'unapproved'])
  return [
    operationReported,
    { ...job, call, status, refusal, retryable: random.chance(0.5), isTaken: random.chance(0.5) },
  ]
}

/** Those that lead on. */
function forward(random: Random, row: WorkflowJob): Delivered[] {
  const { ops, stepId, steps } = row
  const decided = steps.find(({ status }) => status === 'awaiting_user') ?? random.pick(steps)
  const verdict = mostly(random, 'approve', 'reject')
  const n = Math.max(1, row.n)
  const targetSpec = ops.length === 3 ? target : null
  const seldom = stepId?.includes('validate') ? ['expires', 'expires'] : []
  return [
    [workflowDecided, { ...job, stepId: decided.id, verdict, userId: `u-${random.below(4)}` }],
    [factsJudged, { ...job, resourceUid: 'i-1', n, outcome: mostly(random, 'fires', 'so', 'clear'), targetSpec }],
    [guardAnswered, { ...job, n, answer: mostly(random, 'yes', 'later', 'no') }],
    report(random, row),
    report(random, row),
    [workflowDue, { ...job, what: random.pick(['guard', 'retry', 'settled', 'limit', ...seldom]) }],
  ]
}

const others: readonly Delivered[] = [
  [workflowCancelled, { ...job, userId: 'u-1' }],
  [workflowDone, { ...job, how: 'applied', userId: 'u-1' }],
  [workflowForgotten, job],
  ...kinds.map((what): Delivered => [workflowDue, { ...job, what }]),
]

/** A message that may come now; one that leads on, and that the state has an entry for, comes more often. */
function nextMessage(random: Random, row: WorkflowJob): Delivered {
  const list = random.chance(0.92) ? forward(random, row) : others
  const heard = list.filter((one) => isHeard(row, one))
  return random.pick(heard.length > 0 && random.chance(0.9) ? heard : list)
}

const isHeard = (row: WorkflowJob, [subject, data]: Delivered): boolean =>
  Object.entries(workflowMachine.inputs).some(
    ([name, one]) =>
      one.subject.name === subject.name &&
      one.is(data as never) &&
      name in workflowMachine.transitions[workflowMachine.stateOf(row)],
  )

describe('the machine of a workflow', () => {
  it('makes every move that its table lists, and no other', () => {
    const random = new Random(1)
    const watch = watchMoves(workflowActor, workflowMachine)
    const refused = new Set<string | undefined>()
    for (let round = 0; round < 800; round++) {
      const found = random.pick(recommendations)
      const compiled = compileWorkflows(policies.filter(() => random.chance(0.4)))
      const requested: RequestedWorkflow = {
        recommendation: found,
        ofRecommendation: 0,
        ofOrganization: 0,
        isMember: true,
        account: { status: 'connected', verdict: 'read_write' },
      }
      const needs: WorkflowNeeds = {
        admins: () => [],
        wanted: () => requested,
        resource: () => ({ ...resource, status: random.chance(0.1) ? 'stopped' : 'running' }),
        workflows: () => compiled,
        grounds: () => grounds(),
      }
      const actor = new MemoryActor(workflowActor, { key: 'j-1' })
      const wanted = { ...job, recommendationId: 'r-1', subjectType: 'resource', subjectId: 'i-1', userId: 'u-0' }
      refused.add(actor.take(workflowWanted, wanted as never, { needs }).refused)
      for (let n = 0; n < 40 && actor.state.createdAt.getTime() > 0; n++) {
        const [subject, data] = nextMessage(random, actor.state)
        const done = actor.take(subject, data, { needs })
        refused.add(done.refused)
        if (done.removed) break
      }
    }
    expect(watch.stop()).to.deep.equal(listedMoves(workflowMachine))
    expect([...refused]).to.have.members([undefined, 'not_awaiting', 'already_approved', 'invalid_transition'])
  })
})
