import type { EntityClass } from '@mikro-orm/core'
import type { Static, TSchema } from '#engine/schema.ts'
import type { Subject } from '#engine/subject.ts'
import type { Address } from '#engine/address.ts'
import type { Turn } from '#engine/turn.ts'
import type { TurnReads } from '#engine/ports.ts'

/** Handles one message of a turn. Synchronous, and pure but for `state` (the actor's own row) and `turn` (its effects). */
export type Handler<E, M> = (state: E, message: M, turn: Turn) => void

/** One message of a mailbox, as `needs` sees it before the turn. */
export interface Waiting {
  subject: Subject
  address: Address
  data: unknown
}

export interface ReactionOptions {
  /** Runs alone in its batch, after everything before it has committed: for a message that closes what came before. */
  barrier?: boolean
  /** Is for actors that have a row alone: where there is none, the message means nothing to this kind and no turn is run. */
  existing?: boolean
}

export interface Reaction<E> extends ReactionOptions {
  subject: Subject
  key: (data: never) => string
  handle: Handler<E, never>
}

/** Binds a subject to its handler; the message type follows from the subject's schema. `key` names the actor it is for. */
export type On<E> = <S extends TSchema>(
  subject: Subject<S>,
  key: (data: Static<S>) => string,
  handle: Handler<E, Static<S>>,
  options?: ReactionOptions,
) => Reaction<E>

export interface ActorDefinition<E extends object> {
  kind: string
  /** The row that is this actor's durable state. No other actor kind writes its table. */
  entity: EntityClass<E>
  /**
   * The properties that hold the address; together the row's primary key. `place` is left out by organization-wide kinds,
   * and the same as `key` for actors that are their own place.
   */
  address: { orgId: keyof E & string; place?: keyof E & string; key: keyof E & string }
  /** What a first activation's row holds besides its address. */
  initial: (address: Address) => Partial<NoInfer<E>>
  /** Reads of the stores that a batch's turns of this kind need; done once a batch, before its turns. */
  needs?: (waiting: readonly Waiting[], reads: TurnReads) => Promise<unknown>
  reactions: (on: On<E>) => readonly Reaction<E>[]
}

export interface Actor<E extends object = object> extends Omit<ActorDefinition<E>, 'reactions'> {
  reactions: ReadonlyMap<string, Reaction<E>>
}

/** @throws if two reactions share a subject: an actor kind handles each message in one place. */
export function defineActor<E extends object>(definition: ActorDefinition<E>): Actor<E> {
  const on: On<E> = (subject, key, handle, options = {}) => ({
    subject: subject as unknown as Subject,
    key: key as Reaction<E>['key'],
    handle: handle as Handler<E, never>,
    ...options,
  })
  const reactions = new Map<string, Reaction<E>>()
  for (const reaction of definition.reactions(on)) {
    const { name } = reaction.subject
    if (reactions.has(name)) throw new Error(`${definition.kind} reacts to ${name} twice`)
    reactions.set(name, reaction)
  }
  return { ...definition, reactions }
}
