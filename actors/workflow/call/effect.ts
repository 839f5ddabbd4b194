/** The calls that workflows ask for. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { mailTemplates } from '#streams/workflow.ts'

const job = { cloudAccountId: t.String(), jobId: t.String() }

/** What is done, and to what, stands in the job: `call` names the try, `index` the operation of its plan. */
const CallInput = t.Object({ ...job, call: t.String(), index: t.Integer({ minimum: 0 }), tries: t.Integer() })
export type CallInput = Static<typeof CallInput>

/** Carries out one operation; `operate.ts`. */
export const operate = { name: 'operate', schema: CallInput } satisfies Effect

const LookInput = t.Object({ ...job, call: t.String(), index: t.Union([t.Integer({ minimum: 0 }), t.Null()]) })
export type LookInput = Static<typeof LookInput>

/** Looks whether an operation, or without an index the whole plan, is so; `operate-look.ts`. */
export const lookOperation = { name: 'look-operation', schema: LookInput } satisfies Effect

const GatherInput = t.Object({ ...job, resourceUid: t.String(), ruleId: t.String(), n: t.Integer() })
export type GatherInput = Static<typeof GatherInput>

/** Gathers what is known of one resource now, then asks its audit; `gather.ts`. */
export const gatherFresh = { name: 'gather-fresh', schema: GatherInput } satisfies Effect

const MailInput = t.Object({
  ...job,
  template: t.Enum(mailTemplates),
  stepId: t.String(),
  userId: t.String(),
})
export type MailInput = Static<typeof MailInput>

/** Tells one administrator; `mail.ts`. */
export const mailAdmin = { name: 'mail-workflow', schema: MailInput } satisfies Effect
