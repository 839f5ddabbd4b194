/** The days a view shows, which of the four costs, what it is compared with, and as it stood when: all in the address. */
import { html } from '../html.ts'
import { addDays, addMonths, dayText, firstOf, isDay, lastOf, rangeText, timeText, today } from '../day.ts'
import { change, param } from '../place.ts'
import type { Meta } from '../api.ts'
import { share, usd } from '../figure.ts'

export type Period = {
  from: string
  to: string
}

const ranges: readonly { id: string; title: string; days: () => Period }[] = [
  { id: 'month', title: 'This month', days: () => ({ from: firstOf(today()), to: today() }) },
  { id: 'last-month', title: 'Last month', days: () => monthOf(addMonths(today().slice(0, 7), -1)) },
  { id: '7d', title: 'Last 7 days', days: () => ({ from: addDays(today(), -6), to: today() }) },
  { id: '30d', title: 'Last 30 days', days: () => ({ from: addDays(today(), -29), to: today() }) },
  { id: '90d', title: 'Last 90 days', days: () => ({ from: addDays(today(), -89), to: today() }) },
  { id: '12m', title: 'Last 12 months', days: () => ({ from: `${addMonths(today().slice(0, 7), -11)}-01`, to: today() }) },
]

export const monthOf = (month: string): Period => ({ from: `${month}-01`, to: lastOf(month) })

/** The days of the address; `fallback` where it names none that are good. */
export function periodAsked(fallback = '30d'): Period {
  const [from, to] = [param('from'), param('to')]
  if (isDay(from) && isDay(to) && from <= to) return { from, to }
  const id = param('range') ?? fallback
  return (ranges.find((one) => one.id === id) ?? ranges.find((one) => one.id === fallback) ?? ranges[3]!).days()
}

export const costKinds = ['billed', 'effective', 'contracted', 'list'] as const

/** What reports are asked with, of the address: the cost, the comparison and the moment. */
export const shownAsked = () => ({ cost: param('cost'), compare: param('compare'), asOf: param('asOf') })

export interface PeriodBarProps {
  fallback?: string
  /** Which of the rest this view's reports take. */
  takes?: readonly ('cost' | 'compare' | 'asOf')[]
}

export function PeriodBar({ fallback = '30d', takes = ['cost', 'compare'] }: PeriodBarProps) {
  const { from, to } = periodAsked(fallback)
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
  const choose = (name: string) => (event: Event) => change({ [name]: (event.target as HTMLSelectElement).value || null, page: null })
  return html`<div class="bar period">
    <label>Days <select value=${chosen} onChange=${pick}>
      ${ranges.map(({ id, title }) => html`<option value=${id} selected=${chosen === id}>${title}</option>`)}
      <option value="own" selected=${isOwn}>Between …</option>
    </select></label>
    <label>from <input type="date" value=${from} max=${to} onChange=${set('from')} /></label>
    <label>to <input type="date" value=${to} onChange=${set('to')} /></label>
    ${takes.includes('cost') && html`<label>Cost <select onChange=${choose('cost')}>
      <option value="">as usual</option>
      ${costKinds.map((kind) => html`<option value=${kind} selected=${param('cost') === kind}>${kind}</option>`)}
    </select></label>`}
    ${takes.includes('compare') && html`<label>Compare <select onChange=${choose('compare')}>
      <option value="">with nothing</option>
      <option value="previous" selected=${param('compare') === 'previous'}>with before</option>
      <option value="year" selected=${param('compare') === 'year'}>with a year ago</option>
    </select></label>`}
    ${takes.includes('asOf') && html`<label>As of <input type="date" value=${param('asOf')?.slice(0, 10) ?? ''} max=${today()} min=${addDays(today(), -35)} onChange=${(event: Event) => {
      const day = (event.target as HTMLInputElement).value
      change({ asOf: isDay(day) ? `${day}T23:59:59Z` : null, page: null })
    }} /></label>`}
  </div>`
}

/** Of which days figures are, which cost, and how fresh: no figure stands without it. */
export function About({ meta, short = false }: { meta: Meta | undefined; short?: boolean }) {
  if (!meta) return null
  const { from, to, cost, costsThrough, estimatedUSD, estimatedShare, asOf, compared } = meta as Meta & {
    costsThrough?: string | null
    estimatedUSD?: number | null
    estimatedShare?: number | null
    asOf?: string
    compared?: Period
  }
  const parts = [
    !short && from && to && rangeText(from, to),
    cost && `${cost} cost`,
    !short && compared && `beside ${rangeText(compared.from, compared.to)}`,
    asOf ? `as it stood ${timeText(asOf)}` : costsThrough === null ? 'no bills yet' : costsThrough && `bills to ${dayText(costsThrough)}`,
    estimatedUSD ? `${usd(estimatedUSD)}${estimatedShare ? ` (${share(estimatedShare)})` : ''} estimated still` : '',
  ]
  return html`<span class="about">${parts.filter(Boolean).join(' · ')}</span>`
}
