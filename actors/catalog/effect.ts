/** The external calls of provisioning. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'

const job = { cloudAccountId: t.String(), jobId: t.String() }

/** What is requested is in the job's row. */
const StepInput = t.Object({ ...job, step: t.String(), attempt: t.Integer({ minimum: 1 }), call: t.String() })
export type StepInput = Static<typeof StepInput>

/** Runs one step, or undoes it; implemented in `provision.ts`. */
export const provisionStep = { name: 'provision-step', schema: StepInput } satisfies Effect

const DatabaseInput = t.Object({ ...job, databaseId: t.String(), call: t.String() })
export type DatabaseInput = Static<typeof DatabaseInput>

/** Creates or drops a database; implemented in `database-call.ts`. */
export const callDatabase = { name: 'provision-database', schema: DatabaseInput } satisfies Effect

const jobMails = ['provisioning.expiring', 'provisioning.failed'] as const
export type JobMail = (typeof jobMails)[number]

const MailInput = t.Object({ ...job, template: t.Enum(jobMails), userId: t.String() })
export type MailInput = Static<typeof MailInput>

/** Notifies one administrator; implemented in `mail.ts`. */
export const mailJob = { name: 'mail-provisioning', schema: MailInput } satisfies Effect
