import type { WorkflowNeeds } from './needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
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
  type DueKind,
} from '#streams/workflow.ts'
import { want } from './begin.ts'
import { reachLimit, report, retry } from '#actors/workflow/call/carry-out.ts'
import { decide, completeManually, expire, stop } from './decide.ts'
import { fail, isLive, settle } from './end.ts'
import { WorkflowJob, type WorkflowPlan } from './entity.ts'
import { takeGuardAnswer, takeJudgement } from '#actors/workflow/guard/judge.ts'
import { look, validationCall } from '#actors/workflow/call/look.ts'
import { workflowNeeds } from './needs.ts'
import { askGuard, completeStep } from './step.ts'
import { stepOf } from './tell.ts'

const ofJob = ({ jobId }: { jobId: string }): string => jobId

const nothing: WorkflowPlan = {
  template: 'manual',
  templateRevision: 0,
  title: '',
  ruleId: '',
  actionType: '',
  resource: { uid: '', name: '', type: '', provider: '', region: '' },
  ops: [],
  targetSpec: null,
  target: {},
  estimate: { costUsd: 0, savingsUsd: 0 },
  instruction: '',
  fourEyes: false,
  windows: [],
  policies: [],
}

/** One change that a recommendation asks for: planned, approved, made once, looked at afterwards (decisions G-70, G-71). */
export const workflowActor = defineActor({
  kind: 'workflow',
  entity: WorkflowJob,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'id' },
  initial: () => ({
    recommendationId: '',
    resourceUid: '',
    subjectType: 'resource' as const,
    subjectId: '',
    template: 'manual' as const,
    status: 'pending' as const,
    stepId: null,
    plan: nothing,
    planHash: '',
    steps: [],
    ops: [],
    approvals: [],
    audit: [],
    n: 0,
    told: 0,
    grantN: 0,
    looks: 0,
    undo: null,
    isHeld: false,
    reason: '',
    createdBy: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
    completedAt: null,
  }),
  needs: workflowNeeds,
  reactions: (on) => [
    on(workflowWanted, ofJob, want, { barrier: true }),
    on(workflowDecided, ofJob, decide),
    on(workflowCancelled, ofJob, stop),
    on(workflowDone, ofJob, completeManually, { existing: true }),
    on(factsJudged, ofJob, takeJudgement, { existing: true }),
    on(guardAnswered, ofJob, takeGuardAnswer, { existing: true }),
    on(operationReported, ofJob, takeReport, { existing: true }),
    on(workflowDue, ofJob, due, { existing: true }),
    on(workflowForgotten, ofJob, (row, _, turn) => void (isLive(row) || turn.remove()), { existing: true }),
  ],
})

/** Of a look at the end, or of a call. */
function takeReport(row: WorkflowJob, said: Static<typeof operationReported.schema>, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)
  if (step?.kind !== 'validate' || said.call !== validationCall(step)) return report(row, said, turn)
  if (said.status === 'succeeded') completeStep(row, turn)
}

const isGate = (row: WorkflowJob): boolean => ['execute', 'pause_service'].includes(stepOf(row)?.kind ?? '')

const dueBy: Readonly<Record<DueKind, (row: WorkflowJob, turn: Turn<WorkflowNeeds>) => void>> = {
  expires: expire,
  guard: (row, turn) => void (isGate(row) && askGuard(row, turn)),
  facts: (row, turn) =>
    fail(
      row,
      'facts_unavailable',
      'The data for the rule could not be collected in time, so nothing was changed.',
      turn,
    ),
  retry,
  look,
  settled: settle,
  limit: (row, turn) => (stepOf(row)?.kind === 'validate' ? notSeen(row, turn) : reachLimit(row, turn)),
}

function due(row: WorkflowJob, { what }: Static<typeof workflowDue.schema>, turn: Turn<WorkflowNeeds>): void {
  if (isLive(row)) dueBy[what](row, turn)
}

function notSeen(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const message =
    row.template === 'manual'
      ? 'Nobody marked it as done, and the finding is still open.'
      : 'The cloud does not show the planned result. Check the resource.'
  fail(row, 'not_as_planned', message, turn)
}
