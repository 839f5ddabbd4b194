/** Of one team: how far its budget is, and what the month will come to. */
import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { addDays, firstOf, today } from '../../day.ts'
import { daysBilled, daysLooked, daysNeeded } from '../../forecast-readiness.ts'
import { percent, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Amount } from '../../part/amount.tsx'
import { Meter } from '../../part/meter.tsx'
import { useSeen } from '../../part/use-seen.ts'
import { useTurn } from '../../part/request-queue.ts'
import { unassignedID, type Budget } from './rows.ts'

type Forecast = Reply<'GET /reports/forecast'>

/** The colour of a budget's status, which its words say too. */
export const stateOf = { green: 'good', yellow: 'warn', red: 'bad' } as const
export const statusText = { green: 'within budget', yellow: 'near limit', red: 'over budget' } as const
export const toBudgetStatus = (status: string): keyof typeof stateOf =>
  status === 'red' || status === 'yellow' ? status : 'green'

export function BudgetBar({ id, name, budget }: { id: string; name: string; budget: Budget | null | undefined }) {
  if (id === unassignedID) return <span class="faint">–</span>
  if (budget === undefined) return <span class="faint">…</span>
  if (!budget)
    return may('service.create') ? (
      <a href={hrefOf('budgets', { new: 'team', team: name })}>Create</a>
    ) : (
      <span class="faint">none</span>
    )
  const { percentUsed, status, currentSpendUSD, monthlyBudgetUSD } = budget
  return (
    <Meter
      value={percentUsed}
      state={stateOf[toBudgetStatus(status)]}
      label={`Budget of ${name}: ${statusText[toBudgetStatus(status)]}`}
    >
      <a href={hrefOf('budgets', { budget: budget.id })}>{percent(percentUsed)}</a>{' '}
      <span class="faint">
        <Amount
          usd={currentSpendUSD}
          receipt={{ from: firstOf(today()), to: today(), team_id: id }}
          label={`Spend of ${name}`}
        />{' '}
        of {usd(monthlyBudgetUSD)}
      </span>
    </Meter>
  )
}

/** Asked when it is looked at, one after the other: a forecast is worked out of a year of days. */
export function ForecastFigure({ id, foretold }: { id: string; foretold: ForecastReadiness | undefined }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const canTell = foretold?.get(id)?.canTell ?? false
  const [isAnswered, setAnswered] = useState(false)
  const isTurn = useTurn(isSeen && canTell, isAnswered)
  const { data, problem, again } = useReport('GET /reports/forecast', {
    query: { team_id: id },
    when: isTurn || isAnswered,
    on: ['costs.changed'],
  })
  useEffect(() => {
    if (data !== undefined || problem !== undefined) setAnswered(true)
  }, [data, problem])
  if (data)
    return (
      <>
        <span ref={place}>{usd(data.month.expectedUSD)}</span>
        <span class="faint">{bandOf(data)}</span>
      </>
    )
  if (problem)
    return (
      <>
        <span class="faint" ref={place} title={problem.message}>
          unknown
        </span>{' '}
        <button type="button" class="quiet" onClick={again}>
          Try again
        </button>
      </>
    )
  if (foretold && !canTell)
    return (
      <span
        class="faint"
        ref={place}
        title={`A forecast requires bills for ${daysNeeded} days; the last five weeks have ${foretold.get(id)?.days ?? 0}.`}
      >
        too few days yet
      </span>
    )
  return (
    <span class="faint" ref={place}>
      …
    </span>
  )
}

/** Of each team, whether there is enough of it for a forecast. */
export type ForecastReadiness = ReadonlyMap<string, ReturnType<typeof daysBilled>>

export function useForecastReadiness(teamID?: string): ForecastReadiness | undefined {
  const days = Array.from({ length: daysLooked }, (_, at) => addDays(today(), at + 1 - daysLooked))
  const query = { from: days[0], to: days.at(-1), team_id: teamID }
  const { data, problem } = useReport('GET /reports/teams/trends', { query, on: ['costs.changed'] })
  if (problem) return new Map()
  if (!data) return undefined
  return new Map(
    data.items.map(({ teamID: id, points }) => {
      const costs = new Map(points.map(({ date, costUSD }) => [date, costUSD]))
      return [id ?? unassignedID, daysBilled(days.map((day) => costs.get(day) ?? 0))] as const
    }),
  )
}

const bandOf = ({ month: { lowUSD, highUSD } }: Forecast): string =>
  lowUSD === null || highUSD === null ? 'no range yet' : `${usd(lowUSD)} – ${usd(highUSD)}`
