/** The days a view shows, which of the four costs, what it is compared with, and as it stood when: all in the address. */
import { Fragment } from 'preact'
import { addDays, dayText, isDay, rangeText, timeText, today } from '../day.ts'
import { lastSettledDay } from '../settled-day.ts'
import { change, param, currentRoute } from '../router.ts'
import { periodOf, ranges, type DateRange } from '../range.ts'
import type { Meta } from '../api.ts'
import { share, usd } from '../figure.ts'

export { monthOf, type DateRange as Period } from '../range.ts'

/** The days of the address, of a view about costs: presets end with the last complete day. */
export const periodAsked = (fallback = '30d'): DateRange =>
  periodOf(currentRoute.value.query, today(), lastSettledDay(), fallback)
/** The same of a view that does not wait for bills: presets end today. */
export const periodUntilToday = (fallback = '30d'): DateRange =>
  periodOf(currentRoute.value.query, today(), today(), fallback)

const costKinds = ['billed', 'effective', 'contracted', 'list'] as const

/** What reports are asked with, of the address: the cost, the comparison and the moment. */
export const shownAsked = () => ({ cost: param('cost'), compare: param('compare'), asOf: param('asOf') })

/** Parameters of the address that mean nothing here: something else is shown than they ask for, and that must be said. */
function misread(): string[] {
  const [from, to, range] = [param('from'), param('to'), param('range')]
  const isRange = range === undefined || ranges.some(({ id }) => id === range)
  const areDays = (from === undefined && to === undefined) || (isDay(from) && isDay(to) && from <= to)
  const known: readonly [string, readonly string[]][] = [
    ['cost', costKinds],
    ['compare', ['previous', 'year', 'none']],
    ['granularity', ['daily', 'weekly', 'monthly']],
  ]
  const wrong = known.filter(([name, values]) => param(name) !== undefined && !values.includes(param(name)!))
  return [...(areDays ? [] : ['from', 'to']), ...(isRange ? [] : ['range']), ...wrong.map(([name]) => name)]
}

/** Says which parameters were not understood, and takes them away at a press. */
function Misread() {
  const names = misread()
  if (names.length === 0) return null
  const without = () => change(Object.fromEntries(names.map((name) => [name, null])), { replace: true })
  return (
    <p class="note" role="status">
      The address contains{' '}
      {names.map((name) => (
        <Fragment key={name}>
          <code>
            {name}={param(name) ?? ''}
          </code>{' '}
        </Fragment>
      ))}
      which is not valid and is ignored.{' '}
      <button type="button" onClick={without}>
        Remove
      </button>
    </p>
  )
}

export interface PeriodBarProps {
  fallback?: string
  /** Presets end today, not with the last complete day. */
  untilToday?: boolean
  /** Which of the rest this view's reports take. */
  takes?: readonly ('cost' | 'compare' | 'asOf')[]
}

export function PeriodBar({ fallback = '30d', untilToday = false, takes = ['cost', 'compare'] }: PeriodBarProps) {
  const { from, to } = (untilToday ? periodUntilToday : periodAsked)(fallback)
  const isOwn = isDay(param('from')) && isDay(param('to'))
  const chosen = isOwn ? 'own' : (param('range') ?? fallback)
  const pick = (event: Event) => {
    const id = (event.target as HTMLSelectElement).value
    change(id === 'own' ? { range: null, from, to } : { range: id, from: null, to: null, page: null })
  }
  const set = (name: 'from' | 'to') => (event: Event) => {
    const day = (event.target as HTMLInputElement).value
    if (!isDay(day)) return
    const days = { from, to, [name]: day }
    change({ range: null, page: null, ...(days.from > days.to ? { from: day, to: day } : days) })
  }
  return (
    <>
      <Misread />
      <div class="bar period">
        <label>
          Period{' '}
          <select value={chosen} onChange={pick}>
            {ranges.map(({ id, title }) => (
              <option key={id} value={id} selected={chosen === id}>
                {title}
              </option>
            ))}
            <option value="own" selected={isOwn}>
              Custom
            </option>
          </select>
        </label>
        {!untilToday && (
          <label title="Days whose bills are still to come">
            <input
              type="checkbox"
              checked={param('through') === 'today'}
              onChange={() => change({ through: param('through') === 'today' ? null : 'today', page: null })}
            />{' '}
            To today
          </label>
        )}
        <label>
          from <input type="date" value={from} max={to} onChange={set('from')} />
        </label>
        <label>
          to <input type="date" value={to} onChange={set('to')} />
        </label>
        {takes.includes('cost') && (
          <Choice title="Cost" name="cost" none="default" choices={costKinds.map((kind) => [kind, kind])} />
        )}
        {takes.includes('compare') && <Choice title="Compare" name="compare" none="none" choices={comparisons} />}
        {takes.includes('asOf') && <AsOf />}
      </div>
    </>
  )
}

const comparisons = [
  ['previous', 'previous period'],
  ['year', 'a year before'],
]

/** How far back sums that were restated are known, days. */
const asOfDaysMax = 35

interface ChoiceProps {
  title: string
  /** The parameter it sets. */
  name: string
  /** What it is called when it is not set. */
  none: string
  choices: readonly (readonly string[])[]
}

/** A parameter of the address that has a few values. */
export function Choice({ title, name, none, choices }: ChoiceProps) {
  const choose = (event: Event) => change({ [name]: (event.target as HTMLSelectElement).value || null, page: null })
  const options = choices.map(([value, text]) => (
    <option key={value} value={value} selected={param(name) === value}>
      {text}
    </option>
  ))
  return (
    <label>
      {title}{' '}
      <select onChange={choose}>
        <option value="">{none}</option>
        {options}
      </select>
    </label>
  )
}

function AsOf() {
  const choose = (event: Event) => {
    const day = (event.target as HTMLInputElement).value
    change({ asOf: isDay(day) ? `${day}T23:59:59Z` : null, page: null })
  }
  const [most, least] = [today(), addDays(today(), -asOfDaysMax)]
  return (
    <label>
      As of <input type="date" value={param('asOf')?.slice(0, 10) ?? ''} max={most} min={least} onChange={choose} />
    </label>
  )
}

/** Of which days figures are, which cost, and how fresh: no figure stands without it. */
export function CostBasis({ meta, short = false }: { meta: Meta | undefined; short?: boolean }) {
  if (!meta) return null
  const { cost, estimatedUSD } = meta
  const parts = [
    ...(short ? [] : daysOf(meta)),
    cost ? `${cost} cost` : '',
    freshness(meta),
    estimatedUSD ? `${usd(estimatedUSD)} (${share(meta.estimatedShare ?? 0)}) still estimated` : '',
  ]
  return <span class="about">{parts.filter((part) => part !== '').join(' · ')}</span>
}

const daysOf = ({ from, to, compared }: Meta): string[] => [
  from && to ? rangeText(from, to) : '',
  compared ? `compared with ${rangeText(compared.from, compared.to)}` : '',
]

function freshness({ asOf, costsThrough, inventorySyncedAt }: Meta): string {
  if (asOf) return `as of ${timeText(asOf)}`
  if (costsThrough === null) return 'no bills for these days yet'
  if (costsThrough) return `bills through ${dayText(costsThrough)}`
  return inventorySyncedAt ? `inventory as of ${timeText(inventorySyncedAt)}` : ''
}
