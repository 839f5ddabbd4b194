/**
 * Messages that follow from a change made outside of a turn: a row beside the change, in its transaction, is published at
 * least once under an id of its own, so the change and the message happen both or neither.
 */
import type { EffectWork } from '#engine/effect.ts'
import { Fault } from '#engine/fault.ts'
import type { Publisher } from '#engine/publisher.ts'
import type { Static, TSchema } from '#engine/schema.ts'
import type { Subject } from '#engine/subject.ts'

interface Told {
  subject: string
  id: string
  /** ISO 8601. */
  time: string
  data: unknown
}

/** A row for the table `effect`. */
export interface TellRow {
  key: string
  name: string
  orgId: string
  input: unknown
}

const name = 'tell'

/** `id` is that of the message: told twice, it has its effect once. */
export const tellRow = <S extends TSchema>(
  subject: Subject<S>,
  orgId: string,
  data: Static<S>,
  { id, time }: { id: string; time: Date },
): TellRow => ({
  key: `${name}:${id}`,
  name,
  orgId,
  input: { subject: subject.name, id, time: time.toISOString(), data } satisfies Told,
})

/** Publishes what was told. It does not give up: the store has promised it. */
export function tellWork(subjects: readonly Subject[], publisher: () => Publisher): EffectWork {
  const known = new Map(subjects.map((subject) => [subject.name, subject]))
  return {
    name,
    triesMax: Number.MAX_SAFE_INTEGER,
    pauseMs: 500,
    async run(input, { orgId }) {
      const { subject: wanted, id, time, data } = input as Told
      const subject = known.get(wanted)
      // A newer version has told it, and will publish it.
      if (!subject) throw Fault.transient('unknown_subject', `No such subject: ${wanted}`)
      await publisher().publish({ subject, orgId, data: data as never, id, time: new Date(time) })
    },
    failed: async () => {},
  }
}
