import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const statuses = ['writing', 'ready', 'removed'] as const

const file = defineEntity({
  name: 'ExportFile',
  tableName: 'export_file',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID: the name of the file in the folder of exports. */
    id: p.text().primary().unique(),
    /** Who requested it: a person or a machine token; empty if unknown. */
    userId: p.text().default(''),
    /** The file name for downloads. */
    name: p.text(),
    format: p.enum(['csv', 'json', 'parquet'] as const),
    /** `removed`: it still counts as requested, but takes no space. */
    status: p.enum(statuses).$type<(typeof statuses)[number]>().default('ready'),
    rows: p.integer(),
    /** While it is being written: the space reserved for it. */
    bytes: p.bigint('number'),
    createdAt: p.datetime(3),
    /** At or after this time it may be deleted. */
    expiresAt: p.datetime(3),
  },
})

/** A report as a file, kept for a day. Written only by actors/export/change.ts and quota.ts. */
export class ExportFile extends file.class {}
file.setClass(ExportFile)
