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

/** What a resource is to be like, or is seen to be like; what is left out is not asked for, or not known. */
export interface Sight {
  exists?: boolean
  status?: ResourceStatus
  instanceType?: string
  specs?: Record<string, unknown>
}

/** One call that is planned, with what has to be so before it and is so behind it. */
export interface PlannedOp {
  kind: PlannedKind
  size?: string
  specs?: Record<string, unknown>
  expect: Sight
  done: Sight
}

/** What was approved. It never changes; its hash stands with every approval. */
export interface WorkflowPlan {
  template: TemplateName
  templateRevision: number
  title: string
  ruleId: string
  actionType: string
  resource: { uid: string; name: string; type: string; provider: string; region: string }
  ops: PlannedOp[]
  targetSpec: Record<string, unknown> | null
  /** The resource as it was planned for; plans of before this was written down have none, and keep their hash. */
  was?: Sight
  /** Behind all of it. */
  target: Sight
  /** US dollars for 30 days. */
  estimate: { costUsd: number; savingsUsd: number }
  /** Of `manual`: what people have to do. */
  instruction: string
  /** Whoever began it may not approve it. */
  fourEyes: boolean
  windows: ChangeWindow[]
  /** The policies that added to it. */
  policies: string[]
}

export interface WorkflowStep extends TemplateStep {
  status: StepStatus
  startedAt?: string
  completedAt?: string
  output?: Record<string, unknown>
  errorMessage?: string
}

/** How far a call is. `call` names its newest try. */
export interface Op {
  state: 'pending' | 'running' | 'done' | 'failed'
  call: string
  /** Names the action for the far side, the same over all tries. */
  actionId: string
  /** Calls begun, and those among them that failed. */
  tries: number
  failures: number
  /** None of them has reached the cloud: it was so already, or others were about the resource. */
  isUnmade?: boolean
}

/** What failed, and the call that takes back what was done before it. */
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
    /** The id of the step it is at; null before it begins and once it is over. */
    stepId: p.text().nullable(),
    plan: p.json<WorkflowPlan>(),
    /** Of `plan`, SHA-256 in hex. */
    planHash: p.text(),
    steps: p.json<WorkflowStep[]>(),
    ops: p.json<Op[]>(),
    approvals: p.json<Approval[]>(),
    audit: p.json<AuditEntry[]>(),
    /** Counts what it asks of others and what it tells: what answers an older one means nothing. */
    n: p.integer(),
    /** Lines of `workflow_event` written; the recommendation is told by the same count. */
    told: p.integer(),
    /** What the guard has let it do: the number of the question; 0 for nothing. */
    grantN: p.integer(),
    /** Looks since the last call, or since the end was looked for. */
    looks: p.integer(),
    /** A machine that was stopped is being started again, since what was to follow failed. */
    undo: p.json<Undo>().nullable(),
    /** Whether nobody else may start or stop the resource meanwhile. */
    isHeld: p.boolean(),
    /** Why it ended as it did, or what it waits for. */
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

/** A change that a recommendation asks for, step by step. Written only by the workflow actor. */
export class WorkflowJob extends schema.class {}
schema.setClass(WorkflowJob)
