/** The state store port on the database in memory, as one process has it: a session for its lanes, calls for the rest. */
import type {
  ClaimedEffect,
  ClosedOrganization,
  Commit,
  EffectClaim,
  Lease,
  Beside,
  Editions,
  MarkRow,
  ReminderKey,
  StateStore,
} from '#engine/actor/ports.ts'
import type { Address } from '#engine/actor/address.ts'
import type { OutboxRow, ReminderRow } from '#engine/actor/ports.ts'
import type { RowShape } from '#engine/actor/row.ts'
import type { Database, Session } from '#test/sim/database.ts'
import { LinkError, type Link } from '#test/sim/link.ts'

export interface MemoryStoreOptions {
  owner: string
  leaseMs: number
  /** As of the real store. */
  reach?: number
  onLeaseLost: () => void
  /** Whether the session dies of a statement that failed; it does not unless given. */
  breaks?: () => boolean
}

export class MemoryStore implements StateStore {
  /** Present while the process has one. */
  session: Session | undefined
  private readonly db: Database
  private readonly link: Link
  private readonly options: MemoryStoreOptions
  private tail: Promise<unknown> = Promise.resolve()

  constructor(db: Database, link: Link, options: MemoryStoreOptions) {
    this.db = db
    this.link = link
    this.options = options
  }

  /** Ends the session, as a process that ends does. */
  async close(): Promise<void> {
    const { session } = this
    this.session = undefined
    if (session) this.db.end(session)
  }

  /** Work on the session, one after the other. A session that the server has ended is replaced by the next work. */
  private held<T>(name: string, work: (session: Session) => T, undo?: (session: Session) => void): Promise<T> {
    const call = async () => {
      this.session ??= this.open()
      const session = this.session
      const living = () => {
        if (!session.alive) throw new Error(`${name}: the session is gone`)
        return work(session)
      }
      try {
        return await this.link(name, living)
      } catch (error) {
        // A statement that failed leaves the session as it was; of any other failure it has died.
        if (error instanceof LinkError && error.fate === 'lost' && !this.options.breaks?.()) undo?.(session)
        else this.db.end(session)
        throw error
      }
    }
    const done = this.tail.then(call)
    this.tail = done.catch(() => {})
    return done
  }

  private open(): Session {
    const session: Session = {
      alive: true,
      ended: () => {
        // The client hears of it by the connection it held.
        this.link('session end', () => {}).then(
          () => this.lost(session),
          () => this.lost(session),
        )
      },
    }
    return session
  }

  private lost(session: Session): void {
    if (this.session !== session) return
    this.session = undefined
    this.options.onLeaseLost()
  }

  free(): Promise<number[]> {
    return this.held('free', () => this.db.free())
  }

  acquire(lane: number): Promise<Lease | undefined> {
    const { owner, leaseMs, reach = 10_000 } = this.options
    return this.held('acquire', (session) => this.db.acquire(session, owner, { leaseMs, reach }, lane))
  }

  suspect(lease: Lease, seq: number): Promise<void> {
    return this.link('suspect', () => this.db.suspect(lease, seq))
  }

  release(lease: Lease): Promise<void> {
    const unlock = (session: Session) => this.db.unlock(session, lease.lane)
    return this.held('release', (session) => this.db.release(session, lease), unlock)
  }

  renew(leases: readonly Lease[]): Promise<Set<number>> {
    const taken = leases.map((lease) => ({ ...lease }))
    return this.held('renew', () => this.db.renew(taken, this.options.leaseMs))
  }

  beat(): Promise<void> {
    return this.held('beat', (session) => this.db.beat(session, this.options.owner, this.options.leaseMs))
  }

  live(): Promise<number> {
    return this.held('live', () => this.db.live())
  }

  leave(): Promise<void> {
    return this.held('leave', () => this.db.leave(this.options.owner))
  }

  load(shape: RowShape, keys: readonly Address[]): Promise<object[]> {
    return this.link('load', () => this.db.load(shape, keys))
  }

  seen(lane: number, ids: readonly string[]): Promise<Map<string, unknown>> {
    return this.link('seen', () => this.db.seen(lane, ids))
  }

  standing(keys: readonly ReminderKey[]): Promise<(number | undefined)[]> {
    return this.link('standing', () => this.db.standing(keys))
  }

  dueReminders(lane: number, now: number, max: number, after?: ReminderRow): Promise<ReminderRow[]> {
    return this.link('dueReminders', () => this.db.dueReminders(lane, now, max, after))
  }

  nextReminder(lane: number, after?: ReminderRow): Promise<number | undefined> {
    return this.link('nextReminder', () => this.db.nextReminder(lane, after))
  }

  commit(commit: Commit): Promise<boolean> {
    const sent = { ...commit, lease: { ...commit.lease } }
    return this.link('commit', () => this.db.commit(sent, this.options.owner))
  }

  markTurn({ ...lease }: Lease, seq: number, nth = 0): Promise<number | undefined> {
    return this.link('markTurn', () => this.db.markTurn(lease, seq, nth))
  }

  takeApart({ ...lease }: Lease, seq: number): Promise<void> {
    return this.link('takeApart', () => this.db.takeApart(lease, seq))
  }

  clearTurn({ ...lease }: Lease): Promise<void> {
    return this.link('clearTurn', () => this.db.clearTurn(lease))
  }

  outbox(lane: number, max: number): Promise<OutboxRow[]> {
    return this.link('outbox', () => this.db.outboxOf(lane, max))
  }

  sent(ids: readonly string[]): Promise<void> {
    return this.link('sent', () => this.db.sent(ids))
  }

  marks(lanes: readonly number[], max: number, _beside?: Beside, projections?: readonly string[]): Promise<MarkRow[]> {
    return this.link('marks', () => this.db.marksOf(lanes, max, projections))
  }

  begin(marks: readonly MarkRow[]): Promise<string> {
    return this.link('begin', () => this.db.begin(marks))
  }

  /** No work of the simulation reads rows of its own. */
  rows(): Promise<never[]> {
    return Promise.resolve([])
  }

  turnOver(marks: readonly MarkRow[], generation: string): Promise<void> {
    return this.link('turnOver', () => this.db.turnOver(marks, generation))
  }

  unmark(marks: readonly MarkRow[], generation: string): Promise<void> {
    return this.link('unmark', () => this.db.unmark(marks, generation))
  }

  editions(orgId: string, projections: readonly string[]): Promise<Editions> {
    return this.link('editions', () => this.db.editions(orgId, projections))
  }

  waitingEffects(names: readonly string[]): Promise<string[]> {
    return this.link('waitingEffects', () => this.db.waitingEffects(names))
  }

  claimEffects(claim: EffectClaim): Promise<ClaimedEffect[]> {
    return this.link('claimEffects', () => this.db.claimEffects(this.options.owner, claim))
  }

  holdEffects(keys: readonly string[], claimMs: number): Promise<void> {
    return this.link('holdEffects', () => this.db.holdEffects(this.options.owner, keys, claimMs))
  }

  doneEffects(keys: readonly string[]): Promise<void> {
    return this.link('doneEffects', () => this.db.doneEffects(this.options.owner, keys))
  }

  effectLag(names: readonly string[]): Promise<number> {
    return this.link('effectLag', () => this.db.effectLag(names))
  }

  retryEffect(key: string, afterMs: number): Promise<void> {
    return this.link('retryEffect', () => this.db.retryEffect(this.options.owner, key, afterMs))
  }

  closedOrganizations(): Promise<ClosedOrganization[]> {
    return this.link('closed organizations', () => [])
  }

  prune(ageMs: number): Promise<void> {
    return this.link('prune', () => this.db.prune(ageMs))
  }
}
