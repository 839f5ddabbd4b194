/** Of one team: how far its budget is, and what the month will come to. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { firstOf, today } from '../../day.ts'
import { percent, usd } from '../../figure.ts'
import { hrefOf } from '../../place.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Amount } from '../../part/amount.ts'
import { Meter } from '../../part/meter.ts'
import { useSeen } from '../../part/seen.ts'
import { unassigned, type Budget } from './rows.ts'

type Forecast = Reply<'GET /reports/forecast'>

/** The colour of a budget's status, which its words say too. */
export const stateOf = { green: 'good', yellow: 'warn', red: 'bad' } as const
export const statusText = { green: 'within', yellow: 'nearly used up', red: 'over' } as const
export const known = (status: string): keyof typeof stateOf =>
  status === 'red' || status === 'yellow' ? status : 'green'

export function BudgetBar({ id, name, budget }: { id: string; name: string; budget: Budget | null | undefined }) {
  if (id === unassigned) return html`<span class="faint">–</span>`
  if (budget === undefined) return html`<span class="faint">…</span>`
  if (!budget)
    return may('service.create')
      ? html`<a href=${hrefOf('budgets', { new: 'team', team: name })}>Set one</a>`
      : html`<span class="faint">none</span>`
  const { percentUsed, status, currentSpendUSD, monthlyBudgetUSD } = budget
  return html`<${Meter} value=${percentUsed} state=${stateOf[known(status)]} label=${`Budget of ${name}: ${statusText[known(status)]}`}><a href=${hrefOf('budgets', { budget: budget.id })}>${percent(percentUsed)}</a> <span class="faint"><${Amount} usd=${currentSpendUSD} receipt=${{ from: firstOf(today()), to: today(), team_id: id }} label=${`Spend of ${name}`} /> of ${usd(monthlyBudgetUSD)}</span><//>`
}

/** Asked when it is looked at: a forecast is worked out for each team by itself. */
export function ForecastFigure({ id }: { id: string }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const { data, problem } = useReport('GET /reports/forecast', {
    query: { team_id: id },
    when: isSeen,
    on: ['costs.changed'],
  })
  if (problem) return html`<span class="faint" ref=${place} title=${problem.message}>not known</span>`
  if (!data) return html`<span class="faint" ref=${place}>…</span>`
  return html`<span ref=${place}>${usd(data.month.expectedUSD)}</span><span class="faint">${bandOf(data)}</span>`
}

const bandOf = ({ month: { lowUSD, highUSD } }: Forecast): string =>
  lowUSD === null || highUSD === null ? 'no band yet' : `${usd(lowUSD)} – ${usd(highUSD)}`
