/** A change of plain records in one transaction, with the messages that tell actors of it. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Asker } from '#engine/ask.ts'
import { Fault } from '#engine/fault.ts'
import type { Subject } from '#engine/subject.ts'
import { tellRow } from '#engine/tell.ts'
import { transaction } from '#http/store/keyed.ts'
import { tell } from '#http/store/tell.ts'
import type { Tell } from '#http/edge/services.ts'

interface Told {
  subject: Subject
  data: never
  id: string
}

/**
 * Runs `work` in a transaction. What it tells stands beside the change and is published however this process ends; it is
 * asked at once too, under the same id, so that who reads afterwards finds it done.
 */
export async function change<T>(
  em: EntityManager,
  orgId: string,
  asker: Asker,
  now: () => Date,
  work: (em: EntityManager, tell: Tell) => Promise<T>,
): Promise<T> {
  const told: Told[] = []
  const result = await transaction(em, (tx) =>
    work(tx, async (subject, data) => {
      const id = randomUUID()
      told.push({ subject: subject as unknown as Subject, data: data as never, id })
      await tell(tx, tellRow(subject, orgId, data, { id, time: now() }))
    }),
  )
  await Promise.all(told.map(({ subject, data, id }) => asker.ask(subject, orgId, data, id).catch(later)))
  return result
}

/** It is published anyway. */
function later(error: unknown): void {
  if (Fault.from(error).kind !== 'transient') throw error
}
