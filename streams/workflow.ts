/** Workflows: a finding becomes a change that is planned, approved, made once and checked afterwards. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { operationKinds } from '#streams/cloud/resource/operation.ts'
import { text } from '#streams/text.ts'

export const stepKinds = ['precondition', 'approval', 'execute', 'pause_service', 'validate'] as const
export type StepKind = (typeof stepKinds)[number]

export const workflowStatuses = ['pending', 'running', 'awaiting_user', 'succeeded', 'failed', 'cancelled'] as const
export type WorkflowStatus = (typeof workflowStatuses)[number]
export const liveStatuses = ['pending', 'running', 'awaiting_user'] as const satisfies readonly WorkflowStatus[]

export const stepStatuses = [
  'pending',
  'running',
  'awaiting_user',
  'succeeded',
  'failed',
  'rejected',
  'skipped',
] as const
export type StepStatus = (typeof stepStatuses)[number]

/** What a workflow does: one operation each; `schedule` creates a schedule, `manual` is done by people. */
export const templateNames = ['start', 'stop', 'resize', 'set', 'delete', 'pause', 'schedule', 'manual'] as const
export type TemplateName = (typeof templateNames)[number]

export const auditEvents = ['created', 'approved', 'rejected', 'completed', 'failed'] as const
export type AuditEvent = (typeof auditEvents)[number]

export const subjectTypes = ['resource', 'resource_group'] as const
export type SubjectType = (typeof subjectTypes)[number]

/** Operations of a plan: start and stop go through the resource's power actor, the others have their own calls. */
export const plannedKinds = ['start', ...operationKinds, 'schedule'] as const
export type PlannedKind = (typeof plannedKinds)[number]

/** Mails about workflows. */
export const mailTemplates = [
  'remediation.approval_required',
  'remediation.succeeded',
  'remediation.failed',
  'remediation.cancelled',
] as const
export type MailTemplate = (typeof mailTemplates)[number]

const id = text({ minLength: 1, maxLength: 256 })
const account = text({ minLength: 1, maxLength: 1024 })
const moment = t.String({ format: 'date-time' })
const user = text({ maxLength: 256 })
const reason = t.Optional(text({ maxLength: 1000 }))
const n = t.Integer({ minimum: 1 })
const ofAccount = { kind: 'actor', place: (data: { cloudAccountId: string }) => data.cloudAccountId } as const
const ofOrg = { kind: 'actor', place: () => orgWide } as const
const job = { cloudAccountId: account, jobId: id }
const jobExample = { cloudAccountId: 'acct-1', jobId: '7f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }

/**
 * Command: start a workflow for an open recommendation. Runs alone, so that of two for one recommendation only one
 * starts. Replies `{ jobId }`.
 */
export const workflowWanted = subject({
  ...ofAccount,
  name: 'workflow.wanted',
  summary: 'Start a workflow for a recommendation.',
  once: true,
  schema: t.Object({
    ...job,
    recommendationId: id,
    subjectType: t.Enum(subjectTypes),
    /** The uid of the resource, or the id of a group that contains it. */
    subjectId: text({ minLength: 1, maxLength: 1024 }),
    /** Who requested it: a person, or a token without a person. */
    userId: user,
  }),
  examples: [
    {
      ...jobExample,
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      subjectType: 'resource',
      subjectId: 'i-1',
      userId: 'u-1',
    },
  ],
})

/**
 * Command: approve or reject a waiting step, by a person with the permission. Without an id, the first step with the
 * name. Replies `{ jobId }`.
 */
export const workflowDecided = subject({
  ...ofAccount,
  name: 'workflow.decided',
  summary: 'Approve or reject a step of a workflow.',
  once: true,
  schema: t.Object({
    ...job,
    stepId: t.Optional(id),
    stepName: t.Optional(id),
    verdict: t.Enum(['approve', 'reject']),
    userId: user,
    reason,
  }),
  examples: [
    { ...jobExample, stepId: 'stop/approve/1', verdict: 'approve', userId: 'u-2' },
    { ...jobExample, stepName: 'approval', verdict: 'reject', userId: 'u-2', reason: 'It is needed in February.' },
  ],
})

/**
 * Command, also sent by a recommendation that is dismissed or closed: end the workflow. Completed steps stay. Replies
 * `{ jobId }`.
 */
export const workflowCancelled = subject({
  ...ofAccount,
  name: 'workflow.cancelled',
  summary: 'Cancel a workflow. Changes it has made remain.',
  once: true,
  schema: t.Object({
    ...job,
    /** Empty: the service itself. */
    userId: user,
    reason,
    /** Whether a recommendation sent it, which does not wait for a reply. */
    isTold: t.Optional(t.Boolean()),
  }),
  examples: [{ ...jobExample, userId: 'u-1', reason: 'Not this month.' }],
})

const dueKinds = ['expires', 'guard', 'facts', 'retry', 'look', 'limit', 'settled'] as const
export type DueKind = (typeof dueKinds)[number]

/** Reminder; `settled` is sent to itself after the messages to its recommendation. */
export const workflowDue = subject({
  ...ofAccount,
  name: 'workflow.due',
  summary: 'A time that a workflow was waiting for has come.',
  schema: t.Object({ ...job, what: t.Enum(dueKinds) }),
  examples: [{ ...jobExample, what: 'expires' }],
})

/** To the audit of a resource: query whether the rule still matches, and with which finding. */
export const factsAsked = subject({
  ...ofAccount,
  name: 'facts.asked',
  summary: 'Check whether a rule applies to a resource.',
  once: true,
  schema: t.Object({ ...job, resourceUid: ResourceUid, ruleId: text({ maxLength: 32 }), n }),
  examples: [{ ...jobExample, resourceUid: 'i-1', ruleId: 'RC-1001', n: 1 }],
})

/**
 * From a lookup: `changed`, the resource is not the one that was planned for; `so`, it is already in the desired state.
 */
const judgements = ['fires', 'clear', 'hold', 'gone', 'changed', 'so'] as const

export const factsJudged = subject({
  ...ofAccount,
  name: 'facts.judged',
  summary: 'Whether a rule applies to a resource, and the target it suggests.',
  schema: t.Object({
    ...job,
    resourceUid: ResourceUid,
    n,
    outcome: t.Enum(judgements),
    targetSpec: t.Union([t.Record(t.String(), t.Unknown()), t.Null()]),
  }),
  examples: [{ ...jobExample, resourceUid: 'i-1', n: 1, outcome: 'fires', targetSpec: null }],
})

const clock = text({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'HH:MM' })

/**
 * When changes may be made. A window that ends before it starts extends past midnight and belongs to the day on which
 * it starts.
 */
export const ChangeWindow = t.Object({
  days: t.Array(t.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7, description: '1 is Monday' }),
  from: clock,
  to: clock,
  timezone: text({ minLength: 1, maxLength: 64, description: 'IANA time zone' }),
})
export type ChangeWindow = Static<typeof ChangeWindow>

/** To the guard of the organization: query whether this may be done now. Of two queries of a job the later counts. */
export const guardAsked = subject({
  ...ofOrg,
  name: 'guard.asked',
  summary: 'Check whether a workflow may make its planned change.',
  schema: t.Object({
    ...job,
    n,
    resourceUid: ResourceUid,
    template: t.Enum(templateNames),
    /** Number of people who have approved. */
    approvals: t.Integer({ minimum: 0 }),
    /** US dollars that the resource costs in 30 days. */
    costUsd: t.Number({ minimum: 0 }),
    /** Of the workflow's policies: the current time must be in each. */
    windows: t.Array(ChangeWindow, { maxItems: 20 }),
    /** Part of it is done, and the rest was halted. */
    hasBegun: t.Optional(t.Boolean()),
  }),
  examples: [{ ...jobExample, n: 1, resourceUid: 'i-1', template: 'stop', approvals: 1, costUsd: 276.48, windows: [] }],
})

export const guardAnswers = ['yes', 'later', 'no'] as const

export const guardAnswered = subject({
  ...ofAccount,
  name: 'guard.answered',
  summary: 'Whether a workflow may make its planned change.',
  schema: t.Object({
    ...job,
    n,
    answer: t.Enum(guardAnswers),
    /** For `later` and `no`: a code, and a sentence for people. */
    code: t.Optional(id),
    message: t.Optional(text()),
    /** For `later`: when to query again. */
    retryAt: t.Optional(moment),
  }),
  examples: [
    { ...jobExample, n: 1, answer: 'yes' },
    {
      ...jobExample,
      n: 2,
      answer: 'later',
      code: 'frozen',
      message: 'Changes are frozen until 2 January.',
      retryAt: '2026-01-02T00:00:00.000Z',
    },
  ],
})

/** To the guard: the workflow has ended, or does not continue with what it was allowed to do. */
export const guardLeft = subject({
  ...ofOrg,
  name: 'guard.left',
  summary: 'A workflow has finished its permitted change.',
  schema: t.Object({ ...job, n }),
  examples: [{ ...jobExample, n: 1 }],
})

/** `ordered`: an executor outside this process should make the call. */
const operationStatuses = ['succeeded', 'ordered', 'running', 'failed', 'refused'] as const
/**
 * Why a call was not made: it was not approved, everything is halted, the resource has been replaced, or it is unknown
 * whether the call was made before.
 */
const refusals = ['unapproved', 'halted', 'changed', 'unknown'] as const
export type WorkflowRefusal = (typeof refusals)[number]

/** The result of one call or lookup. `call` names it: results of an older one are ignored. */
export const operationReported = subject({
  ...ofAccount,
  name: 'operation.reported',
  summary: 'The result of a call requested by a workflow.',
  once: true,
  schema: t.Object({
    ...job,
    call: id,
    status: t.Enum(operationStatuses),
    refusal: t.Optional(t.Enum(refusals)),
    /** For a failure: whether a retry may succeed; whether the cloud had accepted it. */
    retryable: t.Optional(t.Boolean()),
    isTaken: t.Optional(t.Boolean()),
    /** For a failure: no call was made. */
    isUnmade: t.Optional(t.Boolean()),
    /** Whether it was already in the desired state and no call was made. */
    isSo: t.Optional(t.Boolean()),
    errorMessage: t.Optional(text({ maxLength: 2000 })),
  }),
  examples: [
    { ...jobExample, call: 'stop/execute/1/0/1', status: 'succeeded' },
    { ...jobExample, call: 'stop/execute/1/0/1', status: 'refused', refusal: 'halted' },
  ],
})

/** To the power actor of a resource: only the job may start or stop it until it is released or the time has passed. */
export const powerHeld = subject({
  ...ofAccount,
  name: 'power.held',
  summary: 'Prevent others from starting or stopping a resource for a while.',
  schema: t.Object({ ...job, resourceUid: ResourceUid, until: moment }),
  examples: [{ ...jobExample, resourceUid: 'i-1', until: '2026-01-15T05:00:00.000Z' }],
})

export const powerFreed = subject({
  ...ofAccount,
  name: 'power.freed',
  summary: 'Allow others to start and stop a resource again.',
  schema: t.Object({ ...job, resourceUid: ResourceUid }),
  examples: [{ ...jobExample, resourceUid: 'i-1' }],
})

export const toldStates = ['begun', 'executing', 'succeeded', 'failed', 'cancelled'] as const

/** To the recommendation: the progress of its workflow. `n` counts the job's messages: of two the larger counts. */
export const workflowTold = subject({
  ...ofAccount,
  name: 'workflow.told',
  summary: 'The progress of the workflow for a recommendation.',
  schema: t.Object({
    ...job,
    recommendationId: id,
    state: t.Enum(toldStates),
    template: t.Enum(templateNames),
    userId: user,
    n,
  }),
  examples: [
    {
      ...jobExample,
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      state: 'succeeded',
      template: 'stop',
      userId: 'u-1',
      n: 3,
    },
  ],
})

/** From the recommendation to a manual workflow: the work is done. */
export const workflowDone = subject({
  ...ofAccount,
  name: 'workflow.done',
  summary: 'A manual task that a workflow was waiting for is done.',
  schema: t.Object({ ...job, how: t.Enum(['applied', 'cleared']), userId: user }),
  examples: [{ ...jobExample, how: 'applied', userId: 'u-1' }],
})

/** From the job `retention`: it ended long ago and is deleted. */
export const workflowForgotten = subject({
  ...ofAccount,
  name: 'workflow.forgotten',
  summary: 'An old workflow is deleted.',
  schema: t.Object(job),
  examples: [jobExample],
})

export const workflowMessages = [
  workflowWanted,
  workflowDecided,
  workflowCancelled,
  workflowDue,
  factsAsked,
  factsJudged,
  guardAsked,
  guardAnswered,
  guardLeft,
  operationReported,
  powerHeld,
  powerFreed,
  workflowTold,
  workflowDone,
  workflowForgotten,
]

export type WorkflowWanted = Static<typeof workflowWanted.schema>
export type OperationReport = Static<typeof operationReported.schema>
