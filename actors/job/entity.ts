import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

/** A run that is over, and what it failed by. */
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
    /** Null until the organization has something to do it for. */
    nextDueAt: p.datetime(3).nullable(),
    /** The run that ended last, when, and what it failed by. */
    endedRunId: p.text().default(''),
    endedAt: p.datetime(3).nullable(),
    failure: p.text().nullable(),
    /** The runs that ended last, newest first, `endsMax` at most. */
    ended: p.json<EndedRun[]>().default([]),
    /** The newest day (YYYY-MM-DD) or month (YYYY-MM) that is finished; empty at first. */
    through: p.text().default(''),
    /** The run that goes on, of a job that has one at a time, and the one that is to follow it; empty for none. */
    liveRunId: p.text().default(''),
    nextRunId: p.text().default(''),
  },
})

/** One scheduled job of one organization. Written only by the job actor. */
export class Job extends schema.class {}
schema.setClass(Job)
