/** The external calls of workflows. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { mailTemplates } from '#streams/workflow.ts'

const job = { cloudAccountId: t.String(), jobId: t.String() }

/** The operation and its target are in the job: `call` identifies the try, `index` the operation in the plan. */
const CallInput = t.Object({ ...job, call: t.String(), index: t.Integer({ minimum: 0 }), tries: t.Integer() })
export type CallInput = Static<typeof CallInput>

/** Executes one operation; implemented in `operate.ts`. */
export const operate = { name: 'operate', schema: CallInput } satisfies Effect

const LookInput = t.Object({ ...job, call: t.String(), index: t.Union([t.Integer({ minimum: 0 }), t.Null()]) })
export type LookInput = Static<typeof LookInput>

/** Checks whether an operation, or without an index the whole plan, is done; implemented in `operate-look.ts`. */
export const lookOperation = { name: 'look-operation', schema: LookInput } satisfies Effect

const GatherInput = t.Object({ ...job, resourceUid: t.String(), ruleId: t.String(), n: t.Integer() })
export type GatherInput = Static<typeof GatherInput>

/** Collects current facts of one resource, then asks its audit; implemented in `gather.ts`. */
export const gatherFresh = { name: 'gather-fresh', schema: GatherInput } satisfies Effect

const MailInput = t.Object({
  ...job,
  template: t.Enum(mailTemplates),
  stepId: t.String(),
  userId: t.String(),
})
export type MailInput = Static<typeof MailInput>

/** Notifies one administrator; implemented in `mail.ts`. */
export const mailAdmin = { name: 'mail-workflow', schema: MailInput } satisfies Effect
