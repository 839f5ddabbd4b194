/** Stores finished exports, and deletes old ones. */
import { rm } from 'node:fs/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { ExportFile } from '#actors/export/entity.ts'
import { keptMs, pathOf } from '#actors/export/folder.ts'
import type { RecordChange } from '#engine/run/tell.ts'

/** A file that has been written. */
export type ExportMade = Pick<ExportFile, 'id' | 'rows' | 'bytes' | 'createdAt'>

/** Marks the file as ready: its link works until it is a day old. */
export async function keepExport({ em, orgId }: RecordChange, { id, createdAt, ...made }: ExportMade): Promise<void> {
  const expiresAt = new Date(createdAt.getTime() + keptMs)
  await em.nativeUpdate(ExportFile, { orgId, id }, { ...made, createdAt, expiresAt, status: 'ready' })
}

/** Deletes an organization's exports that are more than a day old, with the files that this process can reach. */
export async function dropExports(em: EntityManager, folder: string, orgId: string, now: Date): Promise<void> {
  const old = await em.find(ExportFile, { orgId, expiresAt: { $lte: now } })
  for (const { id } of old) await rm(pathOf({ folder }, id), { force: true })
  await em.nativeDelete(ExportFile, { orgId, id: { $in: old.map(({ id }) => id) } })
}
