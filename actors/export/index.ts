import type { Capability } from '#actors/capability.ts'
import { ExportFile } from '#actors/export/entity.ts'
import { retention } from '#actors/export/retention.ts'

/** Reports as files, kept for a day. */
export const exports: Capability = { word: 'export', entities: [ExportFile], jobs: { retention }, migrates: true }
