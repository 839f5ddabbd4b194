/**
 * Changes of plain records outside of a turn, with the messages that follow from them: a row beside the change, in its
 * transaction, is published at least once under an id of its own, so the change and the message happen both or neither.
 */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Asker } from '#engine/actor/ask.ts'
import type { EffectWork } from './effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Publisher } from './publisher.ts'
import { decoder, type Static, type TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'

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

/** Adds a row to what the engine carries out, once the transaction of `em` has committed. */
export async function tell(em: EntityManager, { key, name, orgId, input }: TellRow): Promise<void> {
  await em.execute('insert into effect (key, name, org_id, input) values (?, ?, ?, ?::jsonb)', [
    key,
    name,
    orgId,
    JSON.stringify(input),
  ])
}

/** Tells an actor of a change, in its transaction. The subject is declared `once`. */
export type Tell = <S extends TSchema>(subject: Subject<S>, data: Static<S>) => Promise<void>

/** One change of plain records of one organization while it is made: nothing of it counts until its transaction has committed. */
export interface Change {
  readonly em: EntityManager
  readonly tell: Tell
  readonly orgId: string
  readonly now: () => Date
}

export interface Changing {
  em: EntityManager
  orgId: string
  asker: Pick<Asker, 'ask'>
  now: () => Date
  /** Runs the work in a transaction of `em`. */
  transaction: <T>(em: EntityManager, work: (em: EntityManager) => Promise<T>) => Promise<T>
}

/**
 * Runs `work` in a transaction. What it tells stands beside the change and is published however this process ends; it is
 * asked at once too, under the same id, so that who reads afterwards finds it done.
 */
export async function change<T>(
  { em, orgId, asker, now, transaction }: Changing,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const told: { subject: Subject; data: never; id: string }[] = []
  const result = await transaction(em, (tx) => {
    const say: Tell = async (subject, data) => {
      checked(subject, data)
      const id = randomUUID()
      told.push({ subject: subject as unknown as Subject, data: data as never, id })
      await tell(tx, tellRow(subject, orgId, data, { id, time: now() }))
    }
    return work({ em: tx, tell: say, orgId, now })
  })
  await Promise.all(told.map(({ subject, data, id }) => asker.ask(subject, orgId, data, id).catch(later)))
  return result
}

const decoders = new WeakMap<object, (data: unknown) => unknown>()

/** What its subject does not allow would end among the dead letters, with the change made. @throws Fault `defect` */
function checked(subject: { schema: TSchema }, data: unknown): void {
  const decode = decoders.get(subject) ?? decoder(subject.schema)
  decoders.set(subject, decode)
  try {
    decode(data)
  } catch (error) {
    throw Fault.defect(error)
  }
}

/** Whether PostgreSQL refused what must be there once, because somebody else has just written it. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23505'

/** It is published anyway. */
function later(error: unknown): void {
  if (Fault.from(error).kind !== 'transient') throw error
}

/** Publishes what was told. It does not give up: the store has promised it. */
export function tellWork(subjects: readonly Subject[], publisher: Publisher): EffectWork {
  const known = new Map(subjects.map((subject) => [subject.name, subject]))
  return {
    name,
    pool: 'tell',
    triesMax: Number.MAX_SAFE_INTEGER,
    pauseMs: 500,
    async run(input, { orgId }) {
      const { subject: wanted, id, time, data } = input as Told
      const subject = known.get(wanted)
      // A newer version has told it, and will publish it.
      if (!subject) throw Fault.transient('unknown_subject', `No such subject: ${wanted}`)
      await publisher.publish({ subject, orgId, data: data as never, id, time: new Date(time) })
    },
    failed: async () => {},
  }
}
