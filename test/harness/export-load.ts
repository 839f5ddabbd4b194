/** Accounts whose bills come as exports: late, in pieces, beside each other, again, never whole. What they must come to: export-oracle.ts. */
import { plain } from '#engine/value/decimal.ts'
import type { Item, Pick } from '#test/harness/load.ts'

/** Accounts whose exports are under way at once. */
const atOnce = 3
/** Items of one account in a row, at most: most share a message. */
const runMax = 8
/** Billing periods that an account may have. */
const periodsMax = 3
/** Lines of a whole export in a period. Between the fewest and the most, at the lowest and highest cost, nothing is halved: the guard against exports that shrink depends on the order in which they come. */
const linesOf = { min: 5, max: 7 }
const units = { min: 1_000_000, range: 200_000 }

interface Options {
  seed: number
  orgs: number
}

/** The items of one account after the other, a few accounts at a time. */
export class ExportLoad {
  private readonly options: Options
  private readonly pick: Pick
  private readonly under: Item[][] = []
  private accounts = 0

  constructor(options: Options, pick: Pick) {
    this.options = options
    this.pick = pick
  }

  /** The next few of one account. */
  run(): Item[] {
    while (this.under.length < atOnce) this.under.push(makeAccount(this.options, this.accounts++, this.pick))
    const nth = this.pick(this.under.length)
    const run = this.under[nth]!.splice(0, 1 + this.pick(runMax))
    if (this.under[nth]!.length === 0) this.under.splice(nth, 1)
    return run
  }

  /** What has begun and is not over. */
  rest(): Item[] {
    return this.under.splice(0).flat()
  }
}

interface Export {
  id: string
  /** Milliseconds since 1970. */
  at: number
  periods: string[]
  /** Of lines that its end does not speak of. */
  stray: string[]
  /** Fewest and most lines of a period. */
  lines: { min: number; max: number }
  /** `endless`: its end is never told; `short`: more lines are told than come. */
  fate: 'whole' | 'endless' | 'short'
  confirmed: boolean
}

interface Place {
  base: { orgId: string; account: string; time: string }
  name: string
}

function makeAccount({ seed, orgs }: Options, n: number, pick: Pick): Item[] {
  const account = `bill-${n}`
  const base = { orgId: `chaos-${seed}-${pick(orgs)}`, account, time: '2026-04-01T00:00:00.000Z' }
  const periods = ['2026-01', '2026-02', '2026-03'].slice(0, 1 + pick(periodsMax))
  const isEverWhole = pick(5) > 0
  const exports = Array.from({ length: 1 + pick(5) }, (_, nth) => makeExport(nth, periods, isEverWhole, pick))
  if (isEverWhole && pick(3) === 0) exports.push(makeShrunk(exports.length, periods, pick))
  const sequences = exports.map((one) => sequenceOf({ base, name: account }, one, pick))
  const items = arranged(exports, sequences, pick)
  for (const single of singles({ base, name: account }, periods, pick)) insert(items, single, pick)
  for (let repeats = Math.ceil(items.length / 10); repeats > 0; repeats--)
    insert(items, items[pick(items.length)]!, pick)
  return items
}

/** Times are few, so that some exports have the same and their ids decide. */
function makeExport(nth: number, periods: string[], isEverWhole: boolean, pick: Pick): Export {
  const own = periods.filter(() => pick(4) > 0)
  const fate = isEverWhole && pick(5) < 3 ? 'whole' : pick(2) === 0 ? 'short' : 'endless'
  return {
    id: `x${pick(100)}-${nth}`,
    at: Date.UTC(2026, 3, 1, pick(5)),
    periods: own.length > 0 ? own : [periods[0]!],
    stray: own.length > 0 ? periods.filter((period) => !own.includes(period) && pick(3) === 0) : [],
    lines: linesOf,
    fate,
    confirmed: false,
  }
}

/** Less than half of any other, down to nothing, and confirmed. */
const makeShrunk = (nth: number, periods: string[], pick: Pick): Export => ({
  ...makeExport(nth, periods, true, pick),
  periods,
  stray: [],
  lines: { min: 0, max: 2 },
  fate: 'whole',
  confirmed: true,
})

/** The exports one after the other, rising or falling or in any order of their time, or all at once. */
function arranged(exports: readonly Export[], sequences: readonly Item[][], pick: Pick): Item[] {
  const order = shuffled([...exports.keys()], pick)
  const way = pick(4)
  if (way < 2) order.sort((a, b) => (exports[a]!.at - exports[b]!.at) * (way === 0 ? 1 : -1))
  if (way < 3) return order.flatMap((nth) => sequences[nth]!)
  const left = sequences.map((sequence) => [...sequence])
  const items: Item[] = []
  while (left.some((sequence) => sequence.length > 0)) {
    const open = left.filter((sequence) => sequence.length > 0)
    items.push(...open[pick(open.length)]!.splice(0, 1 + pick(3)))
  }
  return items
}

/** Lines in any order; the end behind them, before them or among them, told more than once at times. */
function sequenceOf(place: Place, one: Export, pick: Pick): Item[] {
  const lines = shuffled(
    [...one.periods, ...one.stray].flatMap((period) => periodLines(place, one, period, pick)),
    pick,
  )
  const ends = endsOf(place, one, lines, pick)
  const way = pick(4)
  const items = way === 0 ? [...ends, ...lines] : way === 1 ? shuffled([...ends, ...lines], pick) : [...lines, ...ends]
  for (const end of ends) if (pick(3) === 0) insert(items, end, pick)
  return items
}

/** Ids begin with their day, or do not and move from export to export, or are of this export alone. */
function periodLines({ base, name }: Place, one: Export, period: string, pick: Pick): Item[] {
  const count = one.lines.min + pick(one.lines.max - one.lines.min + 1)
  const way = pick(3)
  const shift = pick(2)
  return Array.from({ length: count }, (_, nth): Item => {
    const day = dayOf(period, 1 + shift + Math.floor(nth / 4), nth === 0 && pick(3) === 0)
    const id = `l${nth % 4}`
    return {
      ...base,
      id: `${name}-${one.id}-${period}-${nth}`,
      kind: 'bill',
      data: {
        ...plainLine(name, day, pick),
        lineId: way === 0 ? `${day}/${id}` : way === 1 ? id : `${id}-${one.id}`,
        Tags: { team: `t${pick(3)}` },
        exportId: one.id,
        exportedAt: written(one.at, pick),
        ...((!day.startsWith(period) || pick(3) === 0) && { billingPeriod: period }),
      },
    }
  })
}

/** A day of the period, or the first of the month behind it. */
const dayOf = (period: string, day: number, isBehind: boolean): string =>
  new Date(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)) - (isBehind ? 0 : 1), isBehind ? 1 : day))
    .toISOString()
    .slice(0, 10)

const plainLine = (cloudAccountId: string, usageDate: string, pick: Pick) => ({
  cloudAccountId,
  provider: 'aws',
  resourceUid: `r-${pick(5)}`,
  serviceName: ['compute', 'storage'][pick(2)]!,
  usageDate,
  costUSD: plain(BigInt(units.min + pick(units.range)), 6),
})

/** The same moment in one of three forms. */
function written(at: number, pick: Pick): string {
  const whole = new Date(at).toISOString()
  const way = pick(3)
  if (way === 0) return whole
  return way === 1 ? whole.replace('.000', '') : `${new Date(at + 7_200_000).toISOString().slice(0, 19)}+02:00`
}

/** One end, or one a part: parts hold lines of all periods, or have periods of their own, and name only those. A confirmed one is told without that too. */
function endsOf({ base, name }: Place, one: Export, lines: readonly Item[], pick: Pick): Item[] {
  if (one.fate === 'endless') return []
  const of = one.confirmed || pick(3) > 0 ? 1 : 2 + pick(2)
  const isByPeriod = pick(2) === 0
  const partOf = (line: Item, nth: number): number => (isByPeriod ? one.periods.indexOf(periodOf(line)) : nth) % of
  const end = (index: number, more: object): Item => {
    const own = Map.groupBy(
      lines.filter((line, nth) => partOf(line, nth) === index),
      periodOf,
    )
    const told = one.periods.map((period, nth) => {
      const missing = Number(one.fate === 'short' && nth + index === 0)
      return { period, lines: (own.get(period)?.length ?? 0) + missing }
    })
    return {
      ...base,
      id: `${name}-${one.id}-end-${index}-${Object.keys(more).join('')}`,
      kind: 'ended',
      data: {
        cloudAccountId: name,
        exportId: one.id,
        exportedAt: written(one.at, pick),
        periods: of > 1 ? told.filter(({ lines: count }, nth) => count > 0 || nth === 0) : told,
        ...(of > 1 && { part: { index: index + 1, of } }),
        ...more,
      },
    }
  }
  if (one.confirmed) return shuffled([end(0, {}), end(0, { confirmed: true })], pick)
  return Array.from({ length: of }, (_, index) => end(index, {}))
}

const periodOf = ({ data }: Item): string => String(data['billingPeriod'] ?? data['usageDate']).slice(0, 7)

/** Lines that no export holds, each sent a few times from other days and out of order. */
function singles({ base, name }: Place, periods: string[], pick: Pick): Item[] {
  return Array.from({ length: 2 + pick(5) }, (_, nth): Item => {
    const day = dayOf(periods[pick(periods.length)]!, 1 + pick(4), false)
    return {
      ...base,
      id: `${name}-single-${nth}`,
      kind: 'bill',
      data: {
        ...plainLine(name, day, pick),
        lineId: pick(3) === 0 ? `${day}/s` : `l${pick(2)}`,
        exportedAt: new Date(Date.UTC(2026, 3, 1, 2) + nth).toISOString(),
      },
    }
  })
}

const insert = (items: Item[], item: Item, pick: Pick): void => void items.splice(pick(items.length + 1), 0, item)

export function shuffled<T>(list: readonly T[], pick: Pick): T[] {
  const rest = [...list]
  for (let i = rest.length - 1; i > 0; i--) {
    const j = pick(i + 1)
    ;[rest[i], rest[j]] = [rest[j]!, rest[i]!]
  }
  return rest
}
