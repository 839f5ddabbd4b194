/** What PostgreSQL holds and does for the engine, in memory: one call is one transaction. Its clock is its own. */
import type { Address } from '#engine/actor/address.ts'
import {
  DataRefused,
  noneApart,
  type Apart,
  type Commit,
  type DeadLetter,
  type ClaimedEffect,
  type EffectClaim,
  type EffectRow,
  type Lease,
  type Editions,
  type MarkRow,
  type OutboxRow,
  type ReminderKey,
  type ReminderRow,
} from '#engine/actor/ports.ts'
import { rowKey, type RowShape } from '#engine/actor/row.ts'
import { orgWide } from '#engine/actor/subject.ts'

/** A connection whose life is its process's hold on its lanes. */
export interface Session {
  alive: boolean
  /** Called once when the server ends it. */
  ended: () => void
}

export interface LaneRow {
  cursor: number
  epoch: number
  clock: number
  owner: string | undefined
  ownerSession: Session | undefined
  expires: number
  ends: number
  suspectUntil: number
  markedSeq: number | undefined
  markedDeaths: number
  markedNth: number
  apart: Apart
  /** The advisory lock: a session may take it several times and must give it back as often. */
  lock: { holder: Session; count: number } | undefined
}

interface EffectState extends EffectRow {
  attempts: number
  due: number
  claimedBy: string | undefined
  claimedUntil: number
}

/** Told of what the oracles look at. */
export interface DatabaseWatch {
  acquired(lane: number, before: Readonly<LaneRow>): void
  committed(commit: Commit, owner: string, row: Readonly<LaneRow>): void
}

/** How long a lease lasts, and how far beyond its cursor an owner may be at work. */
export interface Holding {
  leaseMs: number
  reach: number
}

export class Database {
  readonly lanes = new Map<number, LaneRow>()
  /** By table, then by address: rows as JSON text. */
  readonly rows = new Map<string, Map<string, string>>()
  readonly outbox = new Map<string, OutboxRow & { lane: number }>()
  readonly reminders = new Map<string, ReminderRow & { lane: number }>()
  readonly marks = new Map<string, MarkRow & { lane: number; stamp: string; turning: number }>()
  /** By organization and name. */
  private readonly numbers = new Map<string, Map<string, number>>()
  readonly effects = new Map<string, EffectState>()
  readonly inbox = new Map<string, { reply: unknown; at: number }>()
  readonly dead = new Map<string, DeadLetter & { lane: number }>()
  /** Live engine processes: the lock of a session, and an end. */
  readonly processes = new Map<string, { session: Session; expires: number }>()
  watch: DatabaseWatch | undefined
  private readonly now: () => number
  private sequence = 0

  constructor(now: () => number) {
    this.now = now
  }

  createLanes(lanes: readonly number[]): void {
    const none = { owner: undefined, ownerSession: undefined, markedSeq: undefined, lock: undefined, apart: noneApart }
    const zero = {
      cursor: 0,
      epoch: 0,
      clock: 0,
      expires: -Infinity,
      ends: 0,
      suspectUntil: 0,
      markedDeaths: 0,
      markedNth: 0,
    }
    for (const lane of lanes) this.lanes.set(lane, { ...none, ...zero })
  }

  lane(number: number): LaneRow {
    return this.lanes.get(number)!
  }

  free(): number[] {
    const now = this.now()
    return [...this.lanes].filter(([, row]) => row.expires < now || !row.lock).map(([lane]) => lane)
  }

  suspect({ lane, epoch }: Lease, seq: number): void {
    const row = this.lane(lane)
    if (row.epoch === epoch) row.suspectUntil = seq
  }

  acquire(session: Session, owner: string, { leaseMs, reach }: Holding, number: number): Lease | undefined {
    if (!this.lock(session, number)) return undefined
    const row = this.lane(number)
    this.watch?.acquired(number, row)
    row.epoch++
    const isBack = row.owner === owner
    if (isBack && row.markedSeq !== undefined) row.markedDeaths--
    const isSuspect = row.cursor < row.suspectUntil
    if (row.owner === undefined || isBack) row.ends = isSuspect ? row.ends : 0
    else {
      if (!isSuspect) row.suspectUntil = row.cursor + reach
      row.ends = isSuspect ? row.ends + 1 : 1
    }
    row.owner = owner
    row.ownerSession = session
    row.expires = this.now() + leaseMs
    const { epoch, cursor, clock, ends, suspectUntil, apart } = row
    return { lane: number, epoch, cursor, clock, ends, suspectUntil, apart: { ...apart } }
  }

  /** An owner that has not renewed its lease loses its session. */
  private lock(session: Session, number: number): boolean {
    const row = this.lane(number)
    if (row.lock && row.lock.holder !== session) {
      const { ownerSession } = row
      if (row.expires < this.now() && ownerSession && ownerSession !== session) this.end(ownerSession)
      return false
    }
    row.lock = { holder: session, count: (row.lock?.count ?? 0) + 1 }
    return true
  }

  end(session: Session): void {
    if (!session.alive) return
    session.alive = false
    for (const row of this.lanes.values()) if (row.lock?.holder === session) row.lock = undefined
    session.ended()
  }

  release(session: Session, lease: Lease): void {
    const row = this.lane(lease.lane)
    if (row.epoch === lease.epoch) {
      Object.assign(row, {
        owner: undefined,
        ownerSession: undefined,
        expires: -Infinity,
        markedDeaths: row.markedDeaths - (row.markedSeq === undefined ? 0 : 1),
      })
    }
    this.unlock(session, lease.lane)
  }

  unlock(session: Session, number: number): void {
    const row = this.lane(number)
    if (row.lock?.holder === session && --row.lock.count === 0) row.lock = undefined
  }

  renew(leases: readonly Lease[], leaseMs: number): Set<number> {
    const held = leases.filter(({ lane, epoch }) => this.lanes.get(lane)?.epoch === epoch)
    for (const { lane } of held) this.lane(lane).expires = this.now() + leaseMs
    return new Set(held.map(({ lane }) => lane))
  }

  beat(session: Session, owner: string, leaseMs: number): void {
    this.processes.set(owner, { session, expires: this.now() + leaseMs })
  }

  live(): number {
    return [...this.processes.values()].filter(({ session, expires }) => session.alive && expires > this.now()).length
  }

  leave(owner: string): void {
    this.processes.delete(owner)
  }

  load(shape: RowShape, keys: readonly Address[]): object[] {
    const rows = this.rows.get(shape.table)
    const place = (key: Address) => (shape.address.place === undefined ? orgWide : key.place)
    const found = keys.map((key) => rows?.get(`${key.orgId}\0${place(key)}\0${key.key}`))
    return found.filter((text) => text !== undefined).map((text) => JSON.parse(text) as object)
  }

  seen(lane: number, ids: readonly string[]): Map<string, unknown> {
    const found = ids.map((id) => [id, this.inbox.get(`${lane}/${id}`)] as const)
    return new Map(found.flatMap(([id, entry]) => (entry ? [[id, structuredClone(entry.reply)]] : [])))
  }

  standing(keys: readonly ReminderKey[]): (number | undefined)[] {
    return keys.map((key) => this.reminders.get(reminderId(key))?.due)
  }

  dueReminders(lane: number, now: number, max: number, after?: ReminderRow): ReminderRow[] {
    return this.remindersOf(lane, after)
      .filter((row) => row.due <= now)
      .slice(0, max)
      .map((row) => structuredClone(laneless(row)))
  }

  nextReminder(lane: number, after?: ReminderRow): number | undefined {
    return this.remindersOf(lane, after)[0]?.due
  }

  private remindersOf(lane: number, after?: ReminderRow): (ReminderRow & { lane: number })[] {
    return [...this.reminders.values()]
      .filter((row) => row.lane === lane && (!after || isBehind(row, after)))
      .toSorted((a, b) => (isBehind(a, b) ? 1 : -1))
  }

  commit(commit: Commit, owner: string): boolean {
    const { lease, from, to, clock } = commit
    const row = this.lane(lease.lane)
    const isOurs = row.epoch === lease.epoch && row.cursor === from && row.apart.done === commit.begun.done
    if (!isOurs || !this.hasAll(commit.rows)) return false
    this.check(commit)
    this.watch?.committed(commit, owner, row)
    row.cursor = to
    row.clock = clock
    row.apart = commit.apart
    this.write(commit)
    return true
  }

  /** @throws DataRefused for what a column or a key does not take */
  private check({ lease, rows, outbox, inbox, dead }: Commit): void {
    const numbers = rows.flatMap(({ upserts, updates = [] }) =>
      [...upserts, ...updates.flatMap((some) => some.rows)].flatMap((row) => Object.values(row)),
    )
    if (numbers.some((value) => typeof value === 'number' && Math.abs(value) > 0x7fff_ffff)) {
      throw new DataRefused('integer out of range')
    }
    const twice =
      outbox.some(({ id }) => this.outbox.has(id)) ||
      inbox.some(({ id }) => this.inbox.has(`${lease.lane}/${id}`)) ||
      dead.some(({ id }) => this.dead.has(id))
    if (twice) throw new DataRefused('duplicate key')
  }

  private hasAll(rows: Commit['rows']): boolean {
    return rows.every(({ shape, updates = [] }) => {
      const table = this.rows.get(shape.table)
      return updates.every(({ rows: some }) => {
        const ids = some.map((row) => addressId(rowKey(shape, row, orgWide)))
        // A row that stands there twice is updated once.
        return new Set(ids).size === ids.length && ids.every((id) => table?.has(id))
      })
    })
  }

  private writeRows(rows: Commit['rows']): void {
    for (const { shape, upserts, updates = [], deletes } of rows) {
      const table = this.rows.get(shape.table) ?? new Map<string, string>()
      this.rows.set(shape.table, table)
      for (const row of upserts) table.set(addressId(rowKey(shape, row, orgWide)), JSON.stringify(row))
      for (const row of updates.flatMap((some) => some.rows)) {
        const id = addressId(rowKey(shape, row, orgWide))
        table.set(id, JSON.stringify({ ...(JSON.parse(table.get(id)!) as object), ...row }))
      }
      for (const key of deletes) table.delete(addressId(key))
    }
  }

  private write({ lease: { lane }, ...commit }: Commit): void {
    this.writeRows(commit.rows)
    for (const row of commit.outbox) this.outbox.set(row.id, { ...row, lane })
    for (const { id, reply } of commit.inbox) {
      this.inbox.set(`${lane}/${id}`, { reply: structuredClone(reply), at: this.now() })
    }
    for (const mark of commit.marks) {
      const turning = this.marks.get(markId(mark))?.turning ?? 0
      this.marks.set(markId(mark), { ...mark, lane, stamp: this.generation(), turning })
    }
    const unclaimed = { attempts: 0, due: this.now(), claimedBy: undefined, claimedUntil: -Infinity }
    for (const effect of commit.effects) {
      if (!this.effects.has(effect.key)) this.effects.set(effect.key, { ...structuredClone(effect), ...unclaimed })
    }
    for (const { orgId, table } of commit.written) this.count(orgId, table)
    for (const letter of commit.dead) this.dead.set(letter.id, { ...letter, lane })
    for (const key of commit.forgotten) this.reminders.delete(reminderId(key))
    for (const row of commit.reminders) this.reminders.set(reminderId(row), { ...structuredClone(row), lane })
  }

  markTurn({ lane, epoch }: Lease, seq: number, nth: number): number | undefined {
    const row = this.lane(lane)
    if (row.epoch !== epoch) return undefined
    row.markedDeaths = row.markedSeq === seq && row.markedNth === nth ? row.markedDeaths + 1 : 0
    row.markedSeq = seq
    row.markedNth = nth
    return row.markedDeaths
  }

  takeApart({ lane, epoch }: Lease, seq: number): void {
    const row = this.lane(lane)
    if (row.epoch === epoch) row.apart = { seq, done: row.apart.seq === seq ? row.apart.done : 0 }
  }

  clearTurn({ lane, epoch }: Lease): void {
    const row = this.lane(lane)
    if (row.epoch === epoch) Object.assign(row, { markedSeq: undefined, markedDeaths: 0 })
  }

  outboxOf(lane: number, max: number): OutboxRow[] {
    const rows = [...this.outbox.values()].filter((row) => row.lane === lane).slice(0, max)
    return rows.map(laneless)
  }

  sent(ids: readonly string[]): void {
    for (const id of ids) this.outbox.delete(id)
  }

  marksOf(lanes: readonly number[], max: number, projections?: readonly string[]): MarkRow[] {
    const mine = [...this.marks.values()]
      .filter(({ lane, projection }) => lanes.includes(lane) && (projections?.includes(projection) ?? true))
      .toSorted((a, b) => Number(a.stamp) - Number(b.stamp))
    const groups = [...Map.groupBy(mine, (mark) => markId({ ...mark, key: mark.key.split('|')[0]! })).values()]
    const taken: MarkRow[] = []
    for (const group of groups) {
      if (taken.length > 0 && taken.length + group.length > max) break
      taken.push(...group.map(({ projection, orgId, key, stamp }) => ({ projection, orgId, key, stamp })))
    }
    return taken
  }

  generation(): string {
    return String(++this.sequence)
  }

  begin(marks: readonly MarkRow[]): string {
    const generation = this.generation()
    for (const mark of marks) {
      const row = this.marks.get(markId(mark))
      if (row) row.stamp = generation
    }
    return generation
  }

  turnOver(marks: readonly MarkRow[], generation: string): void {
    for (const mark of marks) {
      const row = this.marks.get(markId(mark))
      if (row) row.turning = Math.max(row.turning, Number(generation))
    }
  }

  unmark(marks: readonly MarkRow[], generation: string): void {
    const known = marks.filter((mark) => this.marks.has(markId(mark)))
    for (const mark of known) {
      const row = this.marks.get(markId(mark))!
      if (row.stamp === generation) this.marks.delete(markId(mark))
      else if (row.turning === Number(generation)) row.turning = 0
    }
    const counted = new Map(known.map((mark) => [`${mark.orgId} ${mark.projection}`, mark]))
    for (const { orgId, projection } of counted.values()) this.count(orgId, projection)
  }

  private count(orgId: string, name: string): void {
    const own = this.numbers.get(orgId) ?? new Map<string, number>()
    this.numbers.set(orgId, own.set(name, (own.get(name) ?? 0) + 1))
  }

  editions(orgId: string, projections: readonly string[]): Editions {
    const numbers = [...(this.numbers.get(orgId) ?? [])].map(([name, n]) => [name, String(n)] as const)
    const turns = (name: string) =>
      [...this.marks.values()].some((mark) => mark.orgId === orgId && mark.projection === name && mark.turning > 0)
    return { numbers: new Map(numbers), turning: new Set(projections.filter(turns)) }
  }

  private claimable(names: readonly string[]): EffectState[] {
    const now = this.now()
    return [...this.effects.values()]
      .filter((row) => names.includes(row.name) && row.due <= now && row.claimedUntil < now)
      .toSorted((a, b) => a.due - b.due)
  }

  waitingEffects(names: readonly string[]): string[] {
    return names.filter((name) => this.claimable([name]).length > 0)
  }

  claimEffects(owner: string, { names, max, orgMax, begun, claimMs, queues }: EffectClaim): ClaimedEffect[] {
    const turns = new Map(begun)
    const rooms = new Map(queues?.rooms.map(({ orgId, queue, room }) => [`${orgId} ${queue}`, room]))
    const hasRoom = ({ orgId, queue = '' }: EffectRow) => {
      const left = rooms.get(`${orgId} ${queue}`) ?? queues?.roomMax ?? 0
      rooms.set(`${orgId} ${queue}`, left - 1)
      return left > 0 && queue !== ''
    }
    const turned = this.claimable(names)
      .filter((row) => !queues || hasRoom(row))
      .map((row) => {
        const turn = (turns.get(row.orgId) ?? queues?.orgBegun ?? 0) + 1
        turns.set(row.orgId, turn)
        return { row, turn }
      })
    const claimed = turned.filter(({ turn }) => turn <= orgMax).toSorted((a, b) => a.turn - b.turn)
    return claimed.slice(0, max).map(({ row }) => {
      const claimedUntil = this.now() + claimMs
      Object.assign(row, { claimedBy: owner, claimedUntil, attempts: row.attempts + 1 })
      const { key, name, orgId, input, attempts, queue = '' } = row
      return { key, name, orgId, input: structuredClone(input), attempts, ...(queues && { queue }) }
    })
  }

  holdEffects(owner: string, keys: readonly string[], claimMs: number): void {
    for (const row of this.claimed(owner, keys)) row.claimedUntil = this.now() + claimMs
  }

  doneEffects(owner: string, keys: readonly string[]): void {
    for (const { key } of this.claimed(owner, keys)) this.effects.delete(key)
  }

  effectLag(names: readonly string[]): number {
    const [oldest] = this.claimable(names)
    return oldest ? (this.now() - oldest.due) / 1000 : 0
  }

  retryEffect(owner: string, key: string, afterMs: number): void {
    const [row] = this.claimed(owner, [key])
    if (row) Object.assign(row, { claimedUntil: -Infinity, due: this.now() + afterMs })
  }

  private claimed(owner: string, keys: readonly string[]): EffectState[] {
    return keys.flatMap((key) => this.effects.get(key) ?? []).filter(({ claimedBy }) => claimedBy === owner)
  }

  prune(ageMs: number): void {
    for (const [id, { at }] of this.inbox) if (at < this.now() - ageMs) this.inbox.delete(id)
  }
}

/** A row as its port gives it: without the lane it is filed under. */
function laneless<T extends { lane: number }>(row: T): Omit<T, 'lane'> {
  const { lane: _, ...rest } = row
  return rest
}

export const addressId = ({ orgId, place, key }: Address): string => `${orgId}\0${place}\0${key}`
const markId = ({ projection, orgId, key }: MarkRow): string => `${projection}\0${orgId}\0${key}`
const reminderId = ({ kind, orgId, place, key, name }: ReminderKey): string =>
  [kind, orgId, place, key, name].join('\0')

/** The order in which reminders are read. */
const rank = ({ orgId, place, kind, key, name }: ReminderRow): string => [orgId, place, kind, key, name].join('\0')
const isBehind = (row: ReminderRow, other: ReminderRow): boolean =>
  row.due > other.due || (row.due === other.due && rank(row) > rank(other))
