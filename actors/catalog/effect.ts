/** The calls that provisioning asks for. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'

const job = { cloudAccountId: t.String(), jobId: t.String() }

/** What is asked for stands in the job. */
const StepInput = t.Object({ ...job, step: t.String(), attempt: t.Integer({ minimum: 1 }), call: t.String() })
export type StepInput = Static<typeof StepInput>

/** Makes one step, or undoes it; `provision.ts`. */
export const provisionStep = { name: 'provision-step', schema: StepInput } satisfies Effect

const DatabaseInput = t.Object({ ...job, databaseId: t.String(), call: t.String() })
export type DatabaseInput = Static<typeof DatabaseInput>

/** Makes a database, or drops it; `database-call.ts`. */
export const callDatabase = { name: 'provision-database', schema: DatabaseInput } satisfies Effect

const jobMails = ['provisioning.expiring', 'provisioning.failed'] as const
export type JobMail = (typeof jobMails)[number]

const MailInput = t.Object({ ...job, template: t.Enum(jobMails), userId: t.String() })
export type MailInput = Static<typeof MailInput>

/** Tells one administrator; `mail.ts`. */
export const mailJob = { name: 'mail-provisioning', schema: MailInput } satisfies Effect
