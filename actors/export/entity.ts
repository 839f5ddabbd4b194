import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const statuses = ['writing', 'ready', 'removed'] as const

const file = defineEntity({
  name: 'ExportFile',
  tableName: 'export_file',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID: what the file is called in the folder of exports. */
    id: p.text().primary().unique(),
    /** Who asked for it: a person, or a token of a machine; empty where nobody is known. */
    userId: p.text().default(''),
    /** What it is saved as. */
    name: p.text(),
    format: p.enum(['csv', 'json'] as const),
    /** Removed: it counts among those that were asked for, and takes nothing. */
    status: p.enum(statuses).$type<(typeof statuses)[number]>().default('ready'),
    rows: p.integer(),
    /** While it is written: what it may take. */
    bytes: p.bigint('number'),
    createdAt: p.datetime(3),
    /** From then on it may be gone. */
    expiresAt: p.datetime(3),
  },
})

/** A report as a file, kept for a day. Written only by actors/export/change.ts and room.ts. */
export class ExportFile extends file.class {}
file.setClass(ExportFile)
