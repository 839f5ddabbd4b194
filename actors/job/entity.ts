import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

/** A run that has ended, and its error if it failed. */
interface EndedRun {
  runId: string
  failure: string | null
}

export const endsMax = 20

const schema = defineEntity({
  name: 'Job',
  tableName: 'job',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    name: p.text().primary(),
    /** Null until the organization has something that needs the job. */
    nextDueAt: p.datetime(3).nullable(),
    /** The last run that ended. Below: when, and its error. */
    endedRunId: p.text().default(''),
    endedAt: p.datetime(3).nullable(),
    failure: p.text().nullable(),
    /** The last runs that ended, newest first, at most `endsMax`. */
    ended: p.json<EndedRun[]>().default([]),
    /** The newest complete day (YYYY-MM-DD) or month (YYYY-MM); empty at first. */
    through: p.text().default(''),
    /**
     * For a job with one run at a time: the run in progress. Below: the run that follows it. Empty if there is none.
     */
    liveRunId: p.text().default(''),
    nextRunId: p.text().default(''),
  },
})

/** One scheduled job of one organization. Written only by the job actor. */
export class Job extends schema.class {}
schema.setClass(Job)
