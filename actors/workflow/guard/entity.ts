import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { TemplateName } from '#streams/workflow.ts'

/** A change that a workflow was granted. */
export interface Grant {
  jobId: string
  n: number
  cloudAccountId: string
  resourceUid: string
  template: TemplateName
  /** ISO 8601. */
  at: string
  /** US dollars for 30 days. */
  costUsd: number
  /** Resource groups that contained the resource. */
  groups: string[]
  /** Until the workflow has left. */
  isLive: boolean
}

const schema = defineEntity({
  name: 'Guard',
  tableName: 'guard',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Always `all`. */
    key: p.text().primary(),
    /** Oldest first: live ones, and those of the last 30 days. */
    grants: p.json<Grant[]>(),
  },
})

/** Changes that an organization's workflows were recently granted. Written only by the guard actor. */
export class Guard extends schema.class {}
schema.setClass(Guard)
