/**
 * Declares actor kinds: a row, its address, and a handler per message type. `actors/` defines all kinds of the product
 * with it.
 */
import type { EntityClass } from '@mikro-orm/core'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from './subject.ts'
import type { Address } from './address.ts'
import type { Turn } from './turn.ts'
import type { TurnReads } from './ports.ts'

/**
 * Handles one message of a turn. Synchronous and pure, except for `state` (the actor's own row) and `turn` (its
 * effects).
 */
type Handler<E, M, N = unknown> = (state: E, message: M, turn: Turn<N>) => void

/** One message of a mailbox, as `needs` sees it before the turn. */
export interface Waiting {
  subject: Subject
  address: Address
  data: unknown
}

interface ReactionOptions<E = object> {
  /**
   * Runs in a batch of its own, after everything before it has committed: for a message that ends what came before it.
   */
  barrier?: boolean
  /** Only for actors that have a row. Without a row, no turn is run. */
  existing?: boolean
  /** Never changes the row. */
  steady?: boolean
  /**
   * The kind that receives the message first and has a row with the same address. If it ignores a message, this kind
   * does not receive it.
   */
  follows?: string
  /**
   * How this kind handles echoes of the subject. If a receiving kind does not declare it, no message is skipped as an
   * echo.
   */
  echo?: Echo<E>
}

/**
 * An echo is a message with the same content as the previous one for its key, where that previous message changed
 * nothing but the time the key was last seen. Echoes are skipped without a turn.
 * `nothing`: after one message, further ones for the same place change nothing.
 */
type Echo<E> = 'nothing' | LeadingEcho<E> | FollowingEcho<E>

/** For the one kind that stores when a key was last seen. Its row has the message's key. */
export interface LeadingEcho<E> {
  role: 'leads'
  /** The columns that an echo sets. `except` is empty if the message has none. */
  sets: (time: Date, except: string) => Partial<E>
  /** Properties that a message may change and still be the first of an echo; echoes do not set them. */
  passing?: readonly (keyof E & string)[]
  /** Whether an echo after this row changes only the columns of `sets`, however late it arrives. */
  isQuiet: (row: E) => boolean
}

/** The inputs, other than the message, that the reaction of one actor used. */
export interface Leaning<L> {
  address: Address
  on: L
}

/** For a kind that follows the leading one. Its row has the message's key too. */
export interface FollowingEcho<E, L = unknown> {
  role: 'follows'
  /** Properties that a message may change and still be the first of an echo; echoes do not set them. */
  passing: readonly (keyof E & string)[]
  /** The inputs the reaction used other than the message, and the parts of the row by which they are read. */
  leans(row: E, needs: unknown): L
  /** For each, whether the reaction would use the same inputs now. */
  stands(asked: readonly Leaning<L>[], reads: TurnReads): Promise<readonly boolean[]>
}

export interface Reaction<E> extends ReactionOptions<E> {
  subject: Subject
  key: (data: never) => string
  handle: Handler<E, never>
}

/**
 * Binds a subject to its handler; the message type follows from the subject's schema. `key` names the actor it is for.
 */
type On<E, N = unknown> = <S extends TSchema>(
  subject: Subject<S>,
  key: (data: Static<S>) => string,
  handle: Handler<E, Static<S>, N>,
  options?: ReactionOptions<E>,
) => Reaction<E>

export interface ActorDefinition<E extends object, N = unknown> {
  kind: string
  /** The row that is this actor's durable state. No other actor kind writes its table. */
  entity: EntityClass<E>
  /**
   * The properties that contain the address; together they are the row's primary key. Organization-wide kinds leave out
   * `place`; for actors that are their own place it is the same as `key`.
   */
  address: { orgId: keyof E & string; place?: keyof E & string; key: keyof E & string }
  /** The properties of a new actor's row other than its address. */
  initial: (address: Address) => Partial<NoInfer<E>>
  /** Reads from the stores what the turns of a batch need. Runs once per batch and kind, before the turns. */
  needs?: (waiting: readonly Waiting[], reads: TurnReads) => Promise<N>
  reactions: (on: On<E, NoInfer<N>>) => readonly Reaction<E>[]
}

export interface Actor<E extends object = object> extends Omit<ActorDefinition<E>, 'reactions'> {
  reactions: ReadonlyMap<string, Reaction<E>>
}

/** @throws if two reactions share a subject: an actor kind handles each message in one function. */
export function defineActor<E extends object, N = undefined>(definition: ActorDefinition<E, N>): Actor<E> {
  const on: On<E, N> = (subject, key, handle, options = {}) => ({
    subject,
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
