import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type {
  AuditEvent,
  ChangeWindow,
  PlannedKind,
  StepStatus,
  SubjectType,
  TemplateName,
  WorkflowStatus,
} from '#streams/workflow.ts'
import type { TemplateStep } from '#actors/workflow/plan/template.ts'

/** The desired or observed state of a resource; missing fields are not requested, or unknown. */
export interface Sight {
  exists?: boolean
  status?: ResourceStatus
  instanceType?: string
  specs?: Record<string, unknown>
}

/** One planned call, with the required state before it and the state after it. */
export interface PlannedOp {
  kind: PlannedKind
  size?: string
  specs?: Record<string, unknown>
  expect: Sight
  done: Sight
}

/** What was approved. It never changes; each approval contains its hash. */
export interface WorkflowPlan {
  template: TemplateName
  templateRevision: number
  title: string
  ruleId: string
  actionType: string
  resource: { uid: string; name: string; type: string; provider: string; region: string }
  ops: PlannedOp[]
  targetSpec: Record<string, unknown> | null
  /** The state of the resource when it was planned; missing in older plans, so that they keep their hash. */
  was?: Sight
  /** The state after all operations. */
  target: Sight
  /** US dollars for 30 days. */
  estimate: { costUsd: number; savingsUsd: number }
  /** Only for `manual`: what people have to do. */
  instruction: string
  /** The person who started it may not approve it. */
  fourEyes: boolean
  windows: ChangeWindow[]
  /** Policies that added to it. */
  policies: string[]
}

export interface WorkflowStep extends TemplateStep {
  status: StepStatus
  startedAt?: string
  completedAt?: string
  output?: Record<string, unknown>
  errorMessage?: string
}

/** Progress of an operation. `call` identifies its newest try. */
export interface Op {
  state: 'pending' | 'running' | 'done' | 'failed'
  call: string
  /** Id of the action for the cloud, the same for all tries. */
  actionId: string
  /** Number of calls started. Below: how many of them failed. */
  tries: number
  failures: number
  /** No call has reached the cloud: it was already so, or the resource was in use by others. */
  isUnmade?: boolean
  /** For a call that an external executor makes: whether it has taken it up. */
  order?: 'sent' | 'taken'
}

/** Why the change failed, and the call that reverts what was done before. */
export interface Undo {
  call: string
  actionId: string
  tries: number
  message: string
  code: string
}

export interface Approval {
  stepId: string
  userId: string
  at: string
  planHash: string
}

export interface AuditEntry {
  stepName: string
  eventType: AuditEvent
  /** The id of a person, or `system`. */
  actor: string
  reason?: string
  createdAt: string
}

const schema = defineEntity({
  name: 'WorkflowJob',
  tableName: 'workflow_job',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    recommendationId: p.text(),
    resourceUid: p.text(),
    subjectType: p.text().$type<SubjectType>(),
    subjectId: p.text(),
    template: p.text().$type<TemplateName>(),
    status: p.text().$type<WorkflowStatus>(),
    /** Id of the current step; null before the start and after the end. */
    stepId: p.text().nullable(),
    plan: p.json<WorkflowPlan>(),
    /** Hash of `plan`, SHA-256 in hex. */
    planHash: p.text(),
    steps: p.json<WorkflowStep[]>(),
    ops: p.json<Op[]>(),
    approvals: p.json<Approval[]>(),
    audit: p.json<AuditEntry[]>(),
    /** Number of its questions and messages: answers to older ones are ignored. */
    n: p.integer(),
    /** Number of `workflow_event` lines written, which also numbers messages to the recommendation. */
    told: p.integer(),
    /** Number of the question for which the guard has granted a change; 0 for none. */
    grantN: p.integer(),
    /** Checks since the last call, or since the final validation began. */
    looks: p.integer(),
    /** A machine that was stopped is being started again, because a later operation failed. */
    undo: p.json<Undo>().nullable(),
    /** Whether nobody else may start or stop the resource in the meantime. */
    isHeld: p.boolean(),
    /** Why it ended, or what it waits for. */
    reason: p.text(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['orgId', 'id'] },
    { properties: ['orgId', 'status', 'createdAt', 'id'] },
    { properties: ['orgId', 'createdAt', 'id'] },
    { properties: ['orgId', 'recommendationId', 'status'] },
    { properties: ['orgId', 'resourceUid', 'status'] },
    {
      name: 'workflow_job_live',
      expression: 'create index "workflow_job_live" on "workflow_job" ("status") where "completed_at" is null',
    },
  ],
})

/** A change proposed by a recommendation, executed step by step. Written only by the workflow actor. */
export class WorkflowJob extends schema.class {}
schema.setClass(WorkflowJob)
