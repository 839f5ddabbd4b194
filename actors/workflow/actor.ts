import { defineActor } from '#engine/actor/actor.ts'
import { handlerOf } from '#engine/actor/machine.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { TSchema } from '#engine/value/schema.ts'
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
import { execResult, jobCallOf } from '#streams/action/exec.ts'
import { takeUp } from './call/order.ts'
import { WorkflowJob, type WorkflowPlan } from './entity.ts'
import { workflowMachine } from './machine.ts'
import { workflowNeeds } from './needs.ts'

const take = <S extends TSchema>(subject: Subject<S>) => handlerOf(workflowMachine, subject)

const takeReport = take(operationReported)

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

/** One change proposed by a recommendation: planned, approved, made once, checked afterwards (decisions G-70, G-71). */
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
    on(workflowWanted, ofJob, take(workflowWanted), { barrier: true }),
    on(workflowDecided, ofJob, take(workflowDecided)),
    on(workflowCancelled, ofJob, take(workflowCancelled)),
    on(workflowDone, ofJob, take(workflowDone), { existing: true }),
    on(factsJudged, ofJob, take(factsJudged), { existing: true }),
    on(guardAnswered, ofJob, take(guardAnswered), { existing: true }),
    on(operationReported, ofJob, takeReport, { existing: true }),
    on(
      execResult,
      ({ intentId }) => jobCallOf(intentId).jobId,
      (row, said, turn) => {
        const report = takeUp(row, said)
        if (report) takeReport(row, report, turn)
      },
      { existing: true },
    ),
    on(workflowDue, ofJob, take(workflowDue), { existing: true }),
    on(workflowForgotten, ofJob, take(workflowForgotten), { existing: true }),
  ],
})
