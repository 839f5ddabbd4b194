/**
 * Recognizes messages that contain nothing new. For each key, the lane remembers the last content, as long as its
 * receivers learned nothing but its time. A later message with the same content is an echo: it is not read, and no turn
 * is run. Only the columns in which the leading kind stores when a key was last seen are written. The memory belongs to
 * this owner of the lane and to what it has committed or is about to: another owner processes everything once itself.
 */
import type { FollowingEcho } from '#engine/actor/actor.ts'
import { actorId } from '#engine/lane/activation.ts'
import { EchoMessage, echoId, type KnownContent } from './echo-message.ts'
import { isSilent, type TurnOutcome, type Portion } from './mailbox.ts'
import { addressee, envelopesMax, foreign, happenedAt, kindOf, readMessage } from './message.ts'
import type { Message, Print, MessageRefusal } from './message.ts'
import type { LogMessage, TurnReads } from '#engine/actor/ports.ts'
import type { EchoPlan, Registry } from '#engine/actor/registry.ts'
import type { RowShape } from '#engine/actor/row.ts'
import { subjectToken, tokenId } from '#engine/actor/subject.ts'
import type { Address } from '#engine/actor/address.ts'

type Item = Message | MessageRefusal
type State = Record<string, unknown>

/**
 * The result of a turn. `columns` are the changed ones; undefined if there was no row before, or there is none
 * afterwards.
 */
export interface FinishedTurn {
  kind: string
  address: Address
  outcome: TurnOutcome
  columns: readonly string[] | undefined
}

/** What a batch needs to know about an actor to remember content from its turns. */
export interface Learning {
  stateOf: (id: string) => State | undefined
  needsOf: (kind: string) => unknown
}

export class Echoes {
  private readonly registry: Registry
  private readonly countMax: number
  /**
   * By kind, for all that receive a subject with echoes and do not declare `nothing`: columns that echoes may leave
   * unchanged, or set.
   */
  private readonly passing: ReadonlyMap<string, ReadonlySet<string>>
  /** Kinds that lead or follow. */
  private readonly roles: ReadonlySet<string>
  private young = new Map<string, KnownContent>()
  private old = new Map<string, KnownContent>()
  /** The number of the younger generation. */
  private era = 1
  /** Actors whose rows the previous batch has written, and this one writes, although they are not in memory. */
  private written: ReadonlySet<string> = new Set()
  private writing: ReadonlySet<string> = new Set()
  /**
   * For the current batch: the message of each key (undefined if there are several), and keys of which more than the
   * time has changed.
   */
  private told = new Map<string, Message | undefined>()
  private loud = new Set<string>()

  constructor(registry: Registry, countMax: number) {
    this.registry = registry
    this.countMax = countMax
    this.passing = passingOf(registry)
    const plans = [...registry.echoes.values()]
    this.roles = new Set(
      plans.flatMap(({ leader, followers }) => [leader, ...followers].map(({ actor }) => actor.kind)),
    )
  }

  get size(): number {
    return this.young.size + this.old.size
  }

  /** The messages of a log message; those that may be echoes are not read yet. */
  read(given: LogMessage): Item[] {
    const plan = this.countMax > 0 ? this.registry.echoes.get(kindOf(given.subject)) : undefined
    const heads = plan?.scanner.scan(given.body, envelopesMax)
    if (!plan || !heads) return readMessage(this.registry, given)
    const log = foreign(given)
    let list: Item[] | undefined
    const whole = (): Item[] => (list ??= readMessage(this.registry, log))
    const found = heads.map((head, index) => {
      const print = printOf(log, head)
      const known = print && this.known(print.id)
      const time = known?.hash === print?.hash ? timeOf(log, head) : undefined
      const isEcho = known !== undefined && time !== undefined
      return { print, echo: isEcho && new EchoMessage({ log, index, time, print: print!, known }, whole) }
    })
    if (found.every(({ echo }) => echo)) return found.map(({ echo }) => echo as EchoMessage)
    if (whole().length !== found.length) return whole()
    return found.map(({ echo, print }, index) => echo || attachPrint(whole()[index]!, print))
  }

  private known(id: string): KnownContent | undefined {
    return this.young.get(id) ?? this.old.get(id)
  }

  /**
   * Those of the batch's messages that are echoes: for each key all of them, or none. Messages that run individually
   * are read.
   */
  async among(messages: readonly Message[], portion: Portion, reads: TurnReads): Promise<Set<EchoMessage>> {
    this.told = new Map()
    this.loud = new Set()
    this.writing = new Set()
    if (portion !== 'batch') return new Set()
    const asked = messages.filter((m) => m instanceof EchoMessage)
    const groups = Map.groupBy(asked, ({ known }) => known)
    if (groups.size > 0) for (const known of this.touched(messages)) groups.delete(known)
    for (const [known, group] of groups) if (!isSaidAgain(known, group)) groups.delete(known)
    for (const [plan, all] of Map.groupBy(groups.keys(), ({ plan: own }) => own))
      for (const known of await this.fallen(plan, all, groups, reads)) groups.delete(known)
    const echoes = new Set([...groups.values()].flat())
    for (const m of messages) if (m.print && !echoes.has(m as EchoMessage)) this.note(m.print.id, m)
    return echoes
  }

  /** If a batch has several messages about one key, none of them is remembered. */
  private note(id: string, m: Message): void {
    this.told.set(id, this.told.has(id) ? undefined : m)
  }

  /** What is known of keys that other messages of the batch may affect. */
  private touched(messages: readonly Message[]): KnownContent[] {
    return messages.flatMap((m) => {
      if (m instanceof EchoMessage) return []
      return m.receivers.flatMap((receiver) => {
        const { actor, reaction } = receiver
        if (reaction.steady || !this.mayTouch(actor.kind, reaction.existing)) return []
        const address = addressee(m, receiver)
        return (address && this.known(echoId(address))) ?? []
      })
    })
  }

  /**
   * A reaction for existing rows affects nothing while its actor has no row, as long as something is known of its key.
   */
  private mayTouch(kind: string, isExisting = false): boolean {
    return this.passing.has(kind) && !(isExisting && !this.roles.has(kind))
  }

  /** Those for which a following kind would now use other inputs. */
  private async fallen(
    { followers }: EchoPlan,
    all: readonly KnownContent[],
    groups: ReadonlyMap<KnownContent, readonly EchoMessage[]>,
    reads: TurnReads,
  ): Promise<KnownContent[]> {
    const answers = await Promise.all(
      followers.map(({ echo }, place) => {
        const asked = all.map((known) => ({ address: groups.get(known)![0]!.print.address, on: known.on[place] }))
        return echo.stands(asked, reads)
      }),
    )
    return all.filter((_, index) => answers.some((stands) => !stands[index]))
  }

  /** What is written for an echo: the actor, and the columns of its row. From now on it counts as received. */
  take({ known, print, time }: EchoMessage): { shape: RowShape; columns: RowShape['columns']; changes: State } {
    known.time = time
    if (known.era !== this.era) this.keep(known)
    const { shape, echo, columns } = known.plan.leader
    const changes = echo.sets(new Date(time), print.except) as State
    return { shape, columns: print.except === '' ? columns.unnamed : columns.named, changes }
  }

  /** Whether rows of these actors have to be read that the previous batch has written and not committed yet. */
  awaits(called: readonly { id: string }[]): boolean {
    return this.written.size > 0 && called.some(({ id }) => this.written.has(id))
  }

  /** Records the actors, not in memory, whose rows this batch writes. */
  writes(ids: readonly string[]): void {
    this.writing = new Set(ids)
  }

  /** Records a turn: if it changes a row, what was known of its key is invalid. */
  turned({ kind, address, outcome, columns }: FinishedTurn): void {
    const passing = this.passing.get(kind)
    if (!passing) return
    const id = echoId(address)
    if (columns?.length !== 0) this.drop(id)
    const isQuiet = columns?.every((name) => passing.has(name)) && isSilent(outcome) && outcome.ignored.length === 0
    // A kind without a part in echoes receives none: if it has a row, it gets every message.
    if (!isQuiet || !this.roles.has(kind)) this.loud.add(id)
  }

  /** Remembers the content of this batch's messages that changed nothing. */
  learn({ stateOf, needsOf }: Learning): void {
    for (const [id, m] of this.told) {
      if (!m || this.loud.has(id)) continue
      const plan = this.registry.echoes.get(m.subject.kind)!
      const { address, hash } = m.print!
      const { leader, followers } = plan
      const row = stateOf(actorId(leader.actor.kind, address))
      const rows = followers.map(({ actor }) => stateOf(actorId(actor.kind, address)))
      if (!row || !leader.echo.isQuiet(row) || rows.some((one) => one === undefined)) continue
      if (m.receivers.some(({ reaction }) => !reaction.echo && reaction.key(m.envelope.data as never) !== address.key))
        continue
      const on = followers.map(({ actor, echo }, place) =>
        (echo as FollowingEcho<State>).leans(rows[place]!, needsOf(actor.kind)),
      )
      this.drop(id)
      this.keep({
        id,
        plan,
        leaderId: actorId(leader.actor.kind, address),
        hash,
        time: m.time,
        on,
        era: 0,
        isVoid: false,
      })
    }
    this.told = new Map()
    this.written = this.writing
  }

  private keep(known: KnownContent): void {
    this.old.delete(known.id)
    this.young.set(known.id, known)
    known.era = this.era
    known.isVoid = false
    if (this.young.size < this.countMax) return
    forget(this.old)
    this.old = this.young
    this.young = new Map()
    this.era++
  }

  private drop(id: string): void {
    const known = this.known(id)
    if (!known) return
    known.isVoid = true
    this.young.delete(id)
    this.old.delete(id)
  }

  clear(): void {
    forget(this.young)
    forget(this.old)
    this.written = new Set()
  }
}

/** Messages already taken for its echoes are no longer echoes. */
function forget(all: Map<string, KnownContent>): void {
  for (const known of all.values()) known.isVoid = true
  all.clear()
}

function isSaidAgain(known: KnownContent, group: readonly EchoMessage[]): boolean {
  let { time } = known
  for (const m of group) {
    if (m.time < time) return false
    time = m.time
  }
  return !known.isVoid
}

/** Parts of a scanned head other than those of a message. */
interface Head {
  orgId: string
  time: string
  data: { key: string; place: string; except: string; hash: string }
}

/** Undefined if it arrived on another subject than its own: it must then be read. */
function printOf(log: LogMessage, { orgId, data }: Head): Print | undefined {
  const [, org = '', token = ''] = log.subject.split('.')
  if (tokenId(org) !== orgId || subjectToken(data.place) !== token) return undefined
  const address = { orgId, place: data.place, key: data.key }
  return { id: echoId(address), address, except: data.except, hash: data.hash }
}

function timeOf(log: LogMessage, { time }: Head): number | undefined {
  try {
    return happenedAt(time, log.at)
  } catch {
    return undefined
  }
}

function attachPrint(item: Item, print: Print | undefined): Item {
  if (print && 'envelope' in item && item.forward === undefined) item.print = print
  return item
}

function passingOf({ echoes, shapes }: Registry): Map<string, ReadonlySet<string>> {
  const all = new Map<string, ReadonlySet<string>>()
  const columnsOf = (kind: string, properties: readonly string[]) =>
    new Set(
      shapes
        .get(kind)!
        .columns.filter((c) => properties.includes(c.property))
        .map((c) => c.column),
    )
  for (const { receivers, leader, followers } of echoes.values()) {
    for (const { actor, reaction } of receivers) if (reaction.echo !== 'nothing') all.set(actor.kind, new Set())
    for (const { actor, echo } of followers) all.set(actor.kind, columnsOf(actor.kind, echo.passing))
    const { kind } = leader.actor
    const { sets, passing = [] } = leader.echo
    all.set(kind, columnsOf(kind, [...Object.keys(sets(new Date(0), 'any')), ...passing]))
  }
  return all
}
