import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const deadLetter = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letter',
  policies: [tenantPolicy],
  properties: {
    id: p.text().primary(),
    lane: p.integer(),
    seq: p.bigint(),
    orgId: p.text(),
    subject: p.text(),
    type: p.text(),
    messageId: p.text(),
    /** The actor kind whose turn refused it; empty if no turn ran. */
    actor: p.text(),
    code: p.text(),
    reason: p.text(),
    attempts: p.integer(),
    headers: p.json<Record<string, string>>(),
    body: p.blob(),
    at: p.datetime(6).defaultRaw('now()'),
    replayedAt: p.datetime(6).nullable(),
  },
  indexes: [{ name: 'dead_letter_org', properties: ['orgId', 'at'] }],
})

/**
 * A dead-lettered message. Written by the engine's commits; `replayedAt` by the code that replays it; swept by
 * `config/upkeep/sweep-bills.ts`.
 */
export class DeadLetter extends deadLetter.class {}
deadLetter.setClass(DeadLetter)
