/** Changes of notes. The one writer of Note. */
import { randomUUID } from 'node:crypto'
import { Note } from '#actors/note/entity.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import type { RecordChange } from '#engine/run/tell.ts'

/** @throws Fault `refused` `limit_reached` */
export async function makeNote(
  { em, orgId, now }: RecordChange,
  authorId: string,
  { day, text }: { day: string; text: string },
): Promise<Note> {
  await checkRowLimit(em, 'note', orgId)
  const made = em.create(Note, { orgId, id: randomUUID(), day, text: text.trim(), authorId, createdAt: now() })
  await em.persist(made).flush()
  return made
}

/** @throws Fault `missing` */
export async function removeNote({ em, orgId }: RecordChange, id: string): Promise<void> {
  const count = isUuid(id) ? await em.nativeDelete(Note, { orgId, id }) : 0
  if (count === 0) throw Fault.missing('note', id)
}
