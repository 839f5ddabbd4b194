import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const note = defineEntity({
  name: 'Note',
  tableName: 'note',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** YYYY-MM-DD. */
    day: p.text(),
    /** 1 to 200 characters. */
    text: p.text(),
    /** User id, or the id of a machine token. */
    authorId: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'day'] }],
})

/** What people want to be known about a day. Written only by actors/note/change.ts. */
export class Note extends note.class {}
note.setClass(Note)
