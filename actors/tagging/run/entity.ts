import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { Static } from '#engine/value/schema.ts'
import type { TagRunWanted } from '#streams/tagging.ts'

export const tagRunStatuses = ['queued', 'completed', 'failed'] as const
type TagRunStatus = (typeof tagRunStatuses)[number]

const schema = defineEntity({
  name: 'TagRun',
  tableName: 'tag_run',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** `sweep`, of which one runs at a time, or the id of the run. */
    key: p.text().primary(),
    runId: p.text(),
    status: p.enum(tagRunStatuses).$type<TagRunStatus>(),
    wanted: p.json<Static<typeof TagRunWanted>>(),
    /** Whether another sweep was requested meanwhile, of all (`whole`) or not; null if none was. */
    again: p.json<{ whole: boolean }>().nullable(),
    /** Number of resources sent a message. */
    resources: p.integer(),
    failure: p.text().nullable(),
    startedAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
})

/** A run over the tags of an organization. Written only by the tag-run actor. */
export class TagRun extends schema.class {}
schema.setClass(TagRun)
