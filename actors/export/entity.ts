import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/tenant-policy.ts'

const file = defineEntity({
  name: 'ExportFile',
  tableName: 'export_file',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID: what the file is called in the folder of exports. */
    id: p.text().primary().unique(),
    /** What it is saved as. */
    name: p.text(),
    format: p.enum(['csv', 'json'] as const),
    rows: p.integer(),
    bytes: p.bigint('number'),
    createdAt: p.datetime(3),
    /** From then on it may be gone. */
    expiresAt: p.datetime(3),
  },
})

/** A report as a file, kept for a day. Written only by actors/export/change.ts. */
export class ExportFile extends file.class {}
file.setClass(ExportFile)
