/**
 * Changes of plain records outside of a turn, and the messages that follow from them. A row of the table `effect` is
 * written in the same transaction as the change and published at least once with its own id, so either both happen or
 * neither.
 */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Asker } from '#engine/actor/ask.ts'
import { engineRetries } from '#engine/actor/retry.ts'
import type { EffectWork } from './effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Publisher } from './publisher.ts'
import { decoder, type Static, type TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'

interface TellInput {
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

/** The key of the row that is there until the message with that id has been published. */
export const tellKey = (id: string): string => `${name}:${id}`

/** `id` is the id of the message: if it is sent twice, it takes effect once. */
export const tellRow = <S extends TSchema>(
  subject: Subject<S>,
  orgId: string,
  data: Static<S>,
  { id, time }: { id: string; time: Date },
): TellRow => ({
  key: tellKey(id),
  name,
  orgId,
  input: { subject: subject.name, id, time: time.toISOString(), data } satisfies TellInput,
})

/** Adds a row to the effects that the engine executes, once the transaction of `em` has committed. */
export async function tell(em: EntityManager, { key, name, orgId, input }: TellRow): Promise<void> {
  await em.execute('insert into effect (key, name, org_id, input) values (?, ?, ?, ?::jsonb)', [
    key,
    name,
    orgId,
    JSON.stringify(input),
  ])
}

/** Sends an actor a message about a change, in the transaction of the change. The subject is declared `once`. */
type Tell = <S extends TSchema>(subject: Subject<S>, data: Static<S>) => Promise<void>

/**
 * One change of plain records of an organization while it is in progress: none of it counts until its transaction has
 * committed.
 */
export interface RecordChange {
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
 * Runs `work` in a transaction. Its messages are stored with the change and published even if this process dies. They
 * are also sent immediately as commands with the same id, so that a following read sees their effect.
 */
export async function change<T>(
  { em, orgId, asker, now, transaction }: Changing,
  work: (change: RecordChange) => Promise<T>,
): Promise<T> {
  const told: { subject: Subject; data: never; id: string }[] = []
  const result = await transaction(em, (tx) => {
    const say: Tell = async (subject, data) => {
      checkData(subject, data)
      const id = randomUUID()
      told.push({ subject: subject, data: data as never, id })
      await tell(tx, tellRow(subject, orgId, data, { id, time: now() }))
    }
    return work({ em: tx, tell: say, orgId, now })
  })
  await Promise.all(told.map(({ subject, data, id }) => asker.ask(subject, orgId, data, id).catch(later)))
  return result
}

const decoders = new WeakMap<object, (data: unknown) => unknown>()

/**
 * A message that its subject refuses would become a dead letter although the change was made. @throws Fault `defect`
 */
function checkData(subject: { schema: TSchema }, data: unknown): void {
  const decode = decoders.get(subject) ?? decoder(subject.schema)
  decoders.set(subject, decode)
  try {
    decode(data)
  } catch (error) {
    throw Fault.defect(error)
  }
}

/** Whether PostgreSQL refused a duplicate because another request has just written the row. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23505'

/** The stored row is published anyway. */
function later(error: unknown): void {
  if (Fault.from(error).kind !== 'transient') throw error
}

/** Publishes the stored messages. Never gives up, because the change has already been committed. */
export function tellWork(subjects: readonly Subject[], publisher: Publisher): EffectWork {
  const known = new Map(subjects.map((subject) => [subject.name, subject]))
  return {
    name,
    pool: 'tell',
    retry: engineRetries.tell,
    async run(input, { orgId }) {
      const { subject: wanted, id, time, data } = input as TellInput
      const subject = known.get(wanted)
      // A newer version has stored it, and will publish it.
      if (!subject) throw Fault.transient('unknown_subject', `No such subject: ${wanted}`)
      await publisher.publish({ subject, orgId, data: data as never, id, time: new Date(time) })
    },
    failed: async () => {},
  }
}
