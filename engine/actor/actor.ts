import type { EntityClass } from '@mikro-orm/core'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from './subject.ts'
import type { Address } from './address.ts'
import type { Turn } from './turn.ts'
import type { TurnReads } from './ports.ts'

/** Handles one message of a turn. Synchronous, and pure but for `state` (the actor's own row) and `turn` (its effects). */
export type Handler<E, M> = (state: E, message: M, turn: Turn) => void

/** One message of a mailbox, as `needs` sees it before the turn. */
export interface Waiting {
  subject: Subject
  address: Address
  data: unknown
}

export interface ReactionOptions<E = object> {
  /** Runs alone in its batch, after everything before it has committed: for a message that closes what came before. */
  barrier?: boolean
  /** Is for actors that have a row alone: where there is none, the message means nothing to this kind and no turn is run. */
  existing?: boolean
  /** Leaves the row as it is, whatever the message says. */
  steady?: boolean
  /** The kind that has a row of the same address and hears the message first: what that ignores, this kind does not hear. */
  follows?: string
  /** What an echo is to this kind, of a subject that has some. Without it, no message is passed over that an actor of this kind hears. */
  echo?: Echo<E>
}

/**
 * An echo is a message that says what was said of the same key before, when all who hear it learnt nothing but when that was.
 * `nothing`: once one was heard, no other one of the key's place changes anything.
 */
export type Echo<E> = 'nothing' | LeadingEcho<E> | FollowingEcho<E>

/** Of the one kind that keeps when a key was last heard of. Its row has the message's key. */
export interface LeadingEcho<E> {
  role: 'leads'
  /** What an echo changes of the row; `except` is empty where the message has none. */
  sets: (time: Date, except: string) => Partial<E>
  /** What a message that changes nothing else may change besides: no echo will. */
  passing?: readonly (keyof E & string)[]
  /** Whether an echo behind this row would change that alone, however late it comes. */
  isQuiet: (row: E) => boolean
}

/** What the reaction of an actor to a message went by. */
export interface Leaning<L> {
  address: Address
  on: L
}

/** Of a kind whose row has the message's key too. */
export interface FollowingEcho<E, L = unknown> {
  role: 'follows'
  /** Properties that a message which changes nothing else may change: no echo will. */
  passing: readonly (keyof E & string)[]
  /** What the reaction went by besides the message, and by what of the row that is looked up. */
  leans(row: E, needs: unknown): L
  /** Whether it would go by the same now, for each. */
  stands(asked: readonly Leaning<L>[], reads: TurnReads): Promise<readonly boolean[]>
}

export interface Reaction<E> extends ReactionOptions<E> {
  subject: Subject
  key: (data: never) => string
  handle: Handler<E, never>
}

/** Binds a subject to its handler; the message type follows from the subject's schema. `key` names the actor it is for. */
export type On<E> = <S extends TSchema>(
  subject: Subject<S>,
  key: (data: Static<S>) => string,
  handle: Handler<E, Static<S>>,
  options?: ReactionOptions<E>,
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
    if (reactions.has(name)) throw new Error(`${definition.kind} declares two reactions to ${name}`)
    reactions.set(name, reaction)
  }
  return { ...definition, reactions }
}
