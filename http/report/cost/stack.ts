/** Puts series of costs beside each other and beside what they were, exactly: numbers are made only at the end. */
import { against } from '#http/report/comparison/compare.ts'
import type { Dimension } from '#http/report/filter/dimension.ts'
import { orNone } from '#http/report/filter/filter.ts'
import type { Names } from './sankey.ts'
import { unassignedId, unassignedName } from '#http/report/team/team.ts'
import { usd } from '#streams/figure.ts'

/** Costs by period, in counts of 10^-14 US dollars. `key` has a value of each dimension, empty where there is none. */
interface Series {
  key: string[]
  amounts: bigint[]
}

/** Those of one time; `other` sums `count` of them. */
export interface Amounts {
  periods: string[]
  /** The dearest first. */
  series: Series[]
  other: { count: number; amounts: bigint[] } | undefined
}

interface ChartInput {
  dims: readonly Dimension[]
  now: Amounts
  /** Of the time before: of the series of now first, and others only where there is room for them. */
  earlier: Amounts | undefined
  /** By period; undefined: not known. */
  estimates: readonly bigint[] | undefined
  names: Names
}

export function chartOf(given: ChartInput) {
  const { dims, now, earlier, estimates, names } = given
  const before = earlier && new Map(earlier.series.map((one) => [keyText(one), sumOf(one.amounts)]))
  return {
    periods: now.periods,
    series: shownOf(dims, now, earlier).map((one) => ({
      key: Object.fromEntries(dims.map((dim, at) => [dim, orNone(one.key[at] ?? '')])),
      label: dims.map((dim, at) => labelOf(dim, one.key[at] ?? '', names)).join(' / ') || 'Total',
      ...figuresOf(one.amounts, before && (before.get(keyText(one)) ?? 0n)),
    })),
    other: otherOf(now, earlier),
    total: { ...totalBeside(now, earlier), ...(estimates && { estimatedUSD: estimates.map(usd) }) },
  }
}

/** `previous` is the sum of the time before; undefined where none is asked for. */
const figuresOf = (amounts: readonly bigint[], previous: bigint | undefined) => ({
  costUSD: usd(sumOf(amounts)),
  ...(previous !== undefined && against(sumOf(amounts), previous)),
  values: amounts.map(usd),
})

function otherOf(now: Amounts, earlier: Amounts | undefined) {
  if (!now.other && !earlier?.other) return null
  const { count, amounts } = now.other ?? { count: 0, amounts: now.periods.map(() => 0n) }
  return { count, ...figuresOf(amounts, earlier && sumOf(earlier.other?.amounts ?? [])) }
}

function totalBeside(now: Amounts, earlier: Amounts | undefined) {
  const amounts = totalOf(now)
  if (!earlier) return figuresOf(amounts, undefined)
  const previous = totalOf(earlier)
  const previousValues = amounts.map((_, at) => (previous[at] === undefined ? null : usd(previous[at])))
  return { ...figuresOf(amounts, sumOf(previous)), previousValues }
}

/** Those of now, and what only was before, at 0; the total where nothing is divided, with costs or without. */
function shownOf(dims: readonly Dimension[], now: Amounts, earlier: Amounts | undefined): Series[] {
  const here = new Set(now.series.map(keyText))
  const gone = (earlier?.series ?? []).filter((one) => !here.has(keyText(one)))
  const amounts = now.periods.map(() => 0n)
  const all = [...now.series, ...gone.map(({ key }) => ({ key, amounts }))]
  return all.length === 0 && dims.length === 0 ? [{ key: [], amounts }] : all
}

const totalOf = ({ periods, series, other }: Amounts): bigint[] =>
  periods.map((_, at) => sumOf([...series, ...(other ? [other] : [])].map(({ amounts }) => amounts[at]!)))

function labelOf(dim: Dimension, value: string, names: Names): string {
  if (dim === 'team_id' && value === unassignedId) return unassignedName
  return names[dim]?.get(value) || orNone(value)
}

const keyText = ({ key }: Pick<Series, 'key'>): string => JSON.stringify(key)
const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)
