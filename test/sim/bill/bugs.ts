/** Defects put in on purpose, each by changing what the code under test is given or gives: the model must find every one. */
import type { Bills, OpenExport } from '#actors/account/bill/bills.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { accountKey, lineKey, type AccountNeeds, type LineDay } from '#actors/account/needs.ts'
import type { BillDay, ShownBills } from '#analytics/billing/bill.ts'
import type { Actor, Reaction } from '#engine/actor/actor.ts'
import type { StateStore } from '#engine/actor/ports.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import type { Taken } from '#test/sim/bill/owner.ts'
import { wallOf, type Account, type Sent } from '#test/sim/bill/plan.ts'
import { markId, org, type Entry, type Lane, type State } from '#test/sim/bill/state.ts'
import type { World } from '#test/sim/bill/world.ts'

export interface Bug {
  /** What comes of an account. */
  sent?: (account: Account) => readonly Sent[]
  actor?: (actor: Actor) => Actor
  needs?: (needs: AccountNeeds, lane: Lane, batch: readonly Entry[]) => void
  turned?: (taken: Taken) => void
  beforeCommit?: (world: World, taken: Taken) => void
  store?: (store: StateStore, state: State) => StateStore
  work?: (work: ProjectionWork<ShownBills>) => ProjectionWork<ShownBills>
  /** The slots of all processes. */
  pair?: number
}

type Handle = (account: CloudAccount, data: never, turn: Turn) => void

/** Every reaction goes through `alter`. */
const reacting = (alter: (handle: Handle, name: string) => Handle): Bug => ({
  actor: (actor) => {
    const altered = ([name, reaction]: [string, Reaction<object>]) => {
      const handle = alter(reaction.handle as unknown as Handle, name) as unknown as Reaction<object>['handle']
      return [name, { ...reaction, handle }] as const
    }
    return { ...actor, reactions: new Map([...actor.reactions].map(altered)) }
  },
})

const billsOf = ({ outcome }: Taken): Bills => (outcome.state as unknown as CloudAccount).bills
const countsOf = (needs: AccountNeeds, account: string): readonly BillDay[] =>
  needs.counts.get(accountKey(org, account)) ?? []

export const bugs: Readonly<Record<string, Bug>> = {
  "a replaced bill's days that are not marked": { turned: unmarkedBefore },
  'exports in the order in which they come': { sent: inOrderOfArrival },
  'the first export that begins in place of the oldest': { turned: (taken) => (billsOf(taken).begun = {}) },
  'no reminder to look again': {
    turned: ({ outcome: { reminders } }) => {
      for (const [name, set] of reminders) if (set) reminders.delete(name)
    },
  },
  'an export that is complete with one line short': reacting(oneShort),
  'repeats that count': { needs: repeatsCounted },
  'a pointer that moves before the commit': {
    beforeCommit: ({ state }, taken) => {
      const row = state.accounts.get(taken.lane.account)
      if (row) state.accounts.set(taken.lane.account, { ...row, bills: { ...row.bills, shown: billsOf(taken).shown } })
    },
  },
  'what is shown, read before a run begins only': { work: readBefore },
  'what is shown, read behind the begin of a run and not compared': { work: readBehind },
  'processes that write sums to the same slots': { pair: 0 },
  'marks taken off whatever was marked since': {
    store: (store, { marks }) => ({
      ...store,
      unmark: async (taken, generation) => {
        await store.unmark(taken, generation)
        for (const mark of taken) marks.delete(markId(mark))
      },
    }),
  },
  'days that turn over while answers stand': { store: (store) => ({ ...store, turnOver: async () => {} }) },
  'days that are marked anew as they turn over, and not counted': {
    store: (store, state) => ({
      ...store,
      unmark: async (taken, generation) => {
        const { counted } = state
        await store.unmark(taken, generation)
        if (taken.every((mark) => state.marks.has(markId(mark)))) state.counted = counted
      },
    }),
  },
  'an older export of a line that lowers what is known of it': reacting(lowered),
  "a line's second move that forgets where it came from": { turned: forgettingFirst },
  'days of a bill that get fewer': {
    turned: (taken) => {
      for (const [period, bill] of Object.entries(billsOf(taken).shown)) {
        const days = countsOf(taken.needs, taken.lane.account).filter((one) => one.period === period)
        const own = days
          .filter((one) => one.export === bill.id)
          .map(({ day }) => day)
          .toSorted()
        if (bill.complete && days.length > 0 && own.length > 0) Object.assign(bill, { from: own[0], to: own.at(-1) })
      }
    },
  },
  'a closed export that takes lines': reacting(closedTakes),
  'a bill that is taken though it shrinks': reacting(
    (handle, name) => (account, data: object, turn) =>
      handle(account, (name === billingExportEnded.name ? { ...data, confirmed: true } : data) as never, turn),
  ),
}

/** Of what turns over, only the days that the new export has are marked. */
function unmarkedBefore({ lane, before, needs, outcome }: Taken): void {
  const { shown } = (outcome.state as unknown as CloudAccount).bills
  const turned = Object.entries(shown).filter(([period, { id }]) => (before?.bills.shown[period]?.id ?? id) !== id)
  if (turned.length === 0) return
  const names = new Set(Object.entries(shown).map(([period, { id }]) => `${period}/${id}`))
  const counts = countsOf(needs, lane.account).filter((one) => names.has(`${one.period}/${one.export}`))
  const days = new Set(counts.map(({ day }) => day))
  outcome.marks = outcome.marks.filter(({ key }) => days.has(key.split('|')[1]!))
}

/** Each export is said to be made when its first message comes. */
function inOrderOfArrival({ sent }: Account): Sent[] {
  const first = new Map<string, string>()
  return sent.map((message) => {
    const { exportId } = message.data as { exportId?: string }
    if (exportId === undefined) return message
    const exportedAt = first.get(exportId) ?? new Date(wallOf(message.at) - 3_600_000).toISOString()
    first.set(exportId, exportedAt)
    return { ...message, data: { ...message.data, exportedAt } }
  })
}

function oneShort(handle: Handle, name: string): Handle {
  return (account, given: object, turn) => {
    const short = (id: string, period: string, lines: number): number => {
      const own = countsOf(turn.needs as AccountNeeds, turn.address.place).filter(
        (one) => one.period === period && one.export === id,
      )
      const found = own.reduce((sum, day) => sum + day.lines, 0)
      return lines === found + 1 ? found : lines
    }
    for (const open of account.bills.open)
      for (const [period, lines] of Object.entries(open.periods)) open.periods[period] = short(open.id, period, lines)
    const data = name === billingExportEnded.name ? shortened(given as Ended, short) : given
    handle(account, data as never, turn)
  }
}

/** To a line of what is shown it looks as if that were not complete. */
function closedTakes(handle: Handle, name: string): Handle {
  return (account, data, turn) => {
    const { exportId } = data as { exportId?: string }
    const own = Object.values(account.bills.shown).filter(({ id, complete }) => complete && id === exportId)
    const opened = name === billingLine.name ? own : []
    for (const bill of opened) bill.complete = false
    handle(account, data, turn)
    for (const bill of opened) bill.complete = true
  }
}

type Ended = Pick<OpenExport, 'id'> & { exportId: string; periods: { period: string; lines: number }[] }

const shortened = (ended: Ended, short: (id: string, period: string, lines: number) => number): Ended => ({
  ...ended,
  periods: ended.periods.map(({ period, lines }) => ({ period, lines: short(ended.exportId, period, lines) })),
})

/** Lines are counted as they come, and not as they are stored. */
function repeatsCounted(needs: AccountNeeds, lane: Lane, [first]: readonly Entry[]): void {
  const before = lane.log.slice(0, first!.seq - 1).filter(({ subject }) => subject.name === billingLine.name)
  const exported = before.map(({ data }) => data as Record<string, string>).filter((data) => data['exportId'])
  for (const days of needs.counts.values()) {
    for (const day of days) {
      const lines = exported.filter((data) => data['exportId'] === day.export && data['usageDate'] === day.day)
      const periods = lines.map((data) => data['billingPeriod'] ?? (data['BillingPeriodStart'] ?? day.day).slice(0, 7))
      day.lines = Math.max(day.lines, periods.filter((period) => period === day.period).length)
    }
  }
}

/** What was read with the marks stands for what would be read behind the begin. */
function readBefore(work: ProjectionWork<ShownBills>): ProjectionWork<ShownBills> {
  let first: ShownBills | undefined
  return { ...work, basis: async (marks, rows) => (first ??= await work.basis!(marks, rows)) }
}

/** Works out the days from what is read last, and takes all that is read for the same. */
function readBehind(work: ProjectionWork<ShownBills>): ProjectionWork<ShownBills> {
  let last: ShownBills = {}
  const basis: typeof work.basis = async (marks, rows) => {
    last = await work.basis!(marks, rows)
    return {}
  }
  return { ...work, basis, run: (marks, generation, _, stands) => work.run(marks, generation, last, stands) }
}

/** Behind a line that says nothing, its version stands for that of the line. */
function lowered(handle: Handle, name: string): Handle {
  return (account, data: { lineId: string; exportedAt?: string; exportId?: string }, turn) => {
    handle(account, data as never, turn)
    if (name !== billingLine.name || data.exportId !== undefined || data.exportedAt === undefined) return
    const key = lineKey(org, turn.address.place, data.lineId)
    const known = (turn.scratch.get(key) as LineDay | undefined) ?? (turn.needs as AccountNeeds).lines.get(key)
    const version = turn.version(new Date(data.exportedAt))
    if (known && known.version > version) turn.scratch.set(key, { ...known, version })
  }
}

function forgettingFirst({ outcome }: Taken): void {
  const stood = new Map<unknown, unknown>()
  for (const { table, row } of outcome.facts) {
    if (table.name !== 'cost_line_day') continue
    const { line_id: line, day } = row
    const from = stood.get(line)
    if (from !== undefined && from !== day) Object.assign(row, { from_day: from, from_days: from })
    stood.set(line, day)
  }
}
