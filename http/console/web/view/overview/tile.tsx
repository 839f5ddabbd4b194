/** Seven figures, each a link to where it is explained. */
import type { ComponentChildren } from 'preact'
import type { Reply } from '../../api.ts'
import { ago, dayShort, dayText, firstOf, today } from '../../day.ts'
import { count, pluralize, percent, share, usd } from '../../figure.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { shareLabel, totalOf } from '../../part/budget-total.ts'
import { driversText } from '../../part/driver.tsx'
import { CostBasis } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { daysBilled, daysNeeded } from '../../forecast-readiness.ts'
import { hrefOf } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { lastDays, open } from './anomalies.tsx'

interface TileProps {
  title: string
  href: string
  children?: ComponentChildren
}

const Tile = ({ title, href, children }: TileProps) => (
  <article class="tile">
    <h2>
      <a href={href}>{title}</a>
    </h2>
    {children}
  </article>
)

type Series = Reply<'GET /reports/costs/series'>
type Forecast = Reply<'GET /reports/forecast'>
type Anomalies = Reply<'GET /reports/anomalies'>
type Budgets = Reply<'GET /budgets/summary'>
type Tags = Reply<'GET /reports/tags'>
type Sync = Reply<'GET /billing/sync-status'>

interface TilesProps {
  /** The month through today. */
  summary: Report<Series>
  /** The month through its last settled day, and the same days of the month before. */
  compared: Report<Series>
  days: Report<Series>
  forecast: Report<Forecast>
}

export function Tiles({ summary, compared, days, forecast }: TilesProps) {
  return (
    <section class="tiles" aria-label="Key figures">
      <MonthTile report={summary} />
      <EarlierTile report={compared} />
      <ForecastTile days={days} report={forecast} />
      <BudgetTile />
      <AnomalyTile />
      <UntaggedTile />
      <FreshnessTile days={days} />
    </section>
  )
}

const thisMonth = () => ({ from: firstOf(today()), to: today() })

const MonthTile = ({ report }: { report: Report<Series> }) => (
  <Tile title="Month to date" href={hrefOf('costs', { range: 'month' })}>
    <ReportContent report={report} rows={2}>
      {({ total }: Series) => (
        <>
          <span class="big">
            <Amount usd={total.costUSD} receipt={thisMonth()} label="Month to date" />
          </span>
          <span class="small">
            <CostBasis meta={report.meta} short />
          </span>
        </>
      )}
    </ReportContent>
  </Tile>
)

const EarlierTile = ({ report }: { report: Report<Series> }) => {
  const { compared, from, to } = report.meta ?? {}
  const href = hrefOf('costs', { ...(compared ? { from, to } : { range: 'month' }), compare: 'previous' })
  return (
    <Tile title="Month over month" href={href}>
      <ReportContent report={report} rows={2}>
        {({ total }: Series) =>
          compared && from && to ? (
            <>
              <span class="big">
                <Change usd={total.deltaUSD} percent={total.deltaPercent} />
              </span>
              <span class="small">
                <Amount usd={total.costUSD} receipt={{ from, to }} label="Settled days of the month" /> through{' '}
                {dayShort(to)}
              </span>
              <span class="small">
                <Amount usd={total.previousUSD} receipt={compared} label="Same days of the month before" /> through{' '}
                {dayShort(compared.to)}
              </span>
            </>
          ) : (
            <>
              <span class="big">–</span>
              <span class="small">No day of this month is settled yet.</span>
            </>
          )
        }
      </ReportContent>
    </Tile>
  )
}

function ForecastTile({ days, report }: { days: Report<Series>; report: Report<Forecast> }) {
  const billed = days.data && daysBilled(days.data.total.values)
  const href = hrefOf('costs', { range: 'month', compare: 'previous' })
  if (billed && !billed.canTell)
    return (
      <Tile title="Month-end forecast" href={href}>
        <span class="big">–</span>
        <span class="small">
          A forecast requires bills for {daysNeeded} days; {pluralize(billed.days, 'day')} of the last five weeks{' '}
          {billed.days === 1 ? 'has' : 'have'} bills.
        </span>
      </Tile>
    )
  return (
    <Tile title="Month-end forecast" href={href}>
      <ReportContent report={billed ? report : { ...days, data: undefined }} rows={2}>
        {({ month, test }: Forecast) => (
          <>
            <span class="big">{usd(month.expectedUSD)}</span>
            <span class="small">
              {month.lowUSD === null || month.highUSD === null
                ? 'too few days for a range'
                : `${usd(month.lowUSD)} – ${usd(month.highUSD)}${heldText(test.rest.heldPercent)}`}
            </span>
          </>
        )}
      </ReportContent>
    </Tile>
  )
}

const heldText = (percentHeld: number | null) =>
  percentHeld === null ? '' : `; ${percent(percentHeld)} of these ranges were correct so far`

function BudgetTile() {
  const report = useReport('GET /budgets/summary', { on: ['budget.', 'costs.changed'] })
  return (
    <Tile title="Budgets" href={hrefOf('budgets')}>
      <ReportContent report={report} rows={2}>
        {(data: Budgets) =>
          data.budgetCount === 0 ? (
            <>
              <span class="big">None</span>
              <span class="small">Create one to be notified before the month ends.</span>
            </>
          ) : (
            <BudgetTotal data={data} />
          )
        }
      </ReportContent>
    </Tile>
  )
}

/** Budgets that overlap are not added up. */
function BudgetTotal({ data }: { data: Budgets }) {
  const { overBudgetCount, expectedToExceedCount, budgetCount } = data
  const total = totalOf(data)
  const over = overBudgetCount === 0 ? 'none over' : `${pluralize(overBudgetCount, 'budget')} over`
  const expected =
    expectedToExceedCount > overBudgetCount ? `, ${pluralize(expectedToExceedCount, 'budget')} by month end` : ''
  if (!total)
    return (
      <>
        <span class="big">{pluralize(budgetCount, 'budget')}</span>
        <span class="small">
          {over}
          {expected}
        </span>
      </>
    )
  return (
    <>
      <span class="big">{percent(total.percentUsed)}</span>
      <progress
        class={`meter ${overBudgetCount > 0 ? 'bad' : ''}`}
        max="100"
        value={Math.min(100, total.percentUsed)}
        aria-label={shareLabel(total.isOrganization)}
      />
      <span class="small">
        {usd(total.spendUSD)} of {usd(total.budgetUSD)}
        {total.isOrganization && ' for the organization'}; {over}
        {expected}
      </span>
    </>
  )
}

function AnomalyTile() {
  const query = { ...lastDays(), ...open, limit: 1 }
  const report = useReport('GET /reports/anomalies', { query, on: ['anomaly.'] })
  return (
    <Tile title="Open anomalies" href={hrefOf('anomalies', { review: 'none' })}>
      <ReportContent report={report} rows={2}>
        {({ total, items: [newest] }: Anomalies) => (
          <>
            <span class="big">{count(total)}</span>
            <span class="small">
              {newest ? `latest ${dayText(newest.date)}: ${usd(newest.excessUsd)} above expected` : 'None in 30 days.'}
            </span>
          </>
        )}
      </ReportContent>
    </Tile>
  )
}

function UntaggedTile() {
  const query = { ...thisMonth(), limit: 1, unit: 'pairs' }
  const report = useReport('GET /reports/tags', { query, on: ['costs.changed', 'inventory.'] })
  return (
    <Tile title="Untagged costs" href={hrefOf('tags')}>
      <ReportContent report={report} rows={2}>
        {(data: Tags) =>
          'untaggedCostUsd' in data && (
            <>
              <span class="big">{data.totalCostUsd > 0 ? share(data.untaggedCostUsd / data.totalCostUsd) : '–'}</span>
              <span class="small">
                <Amount
                  usd={data.untaggedCostUsd}
                  receipt={{ ...thisMonth(), untagged: true }}
                  label="Untagged costs"
                />{' '}
                this month{data.untaggedCount > 0 ? `; ${pluralize(data.untaggedCount, 'resource')}` : ''}
              </span>
            </>
          )
        }
      </ReportContent>
    </Tile>
  )
}

function FreshnessTile({ days }: { days: Report<Series> }) {
  const report = useReport('GET /billing/sync-status', { on: ['bill.', 'costs.changed'] })
  const through = days.meta?.costsThrough
  return (
    <Tile title="Billed through" href={hrefOf('sources')}>
      <ReportContent report={report} rows={2}>
        {(data: Sync) => (
          <>
            <span class="big">{through ? dayShort(through) : days.data ? 'None for these weeks' : '…'}</span>
            <Freshness accounts={data} />
          </>
        )}
      </ReportContent>
    </Tile>
  )
}

/** Of the accounts whose bills are fetched: those that are uploaded or published come when they come. */
function Freshness({ accounts }: { accounts: Sync }) {
  const fetched = accounts.filter(({ lastSyncedAt, status }) => lastSyncedAt !== null || status === 'failed')
  const late = fetched.filter(({ status }) => status === 'failed' || status === 'stale')
  const newest = fetched
    .flatMap(({ lastSyncedAt }) => lastSyncedAt ?? [])
    .toSorted()
    .at(-1)
  const asked = driversText(accounts)
  if (fetched.length === 0)
    return <span class="small">No accounts are fetched automatically{asked && `: ${asked}`}.</span>
  return (
    <span class="small">
      {late.length === 0 ? 'all' : `${pluralize(late.length, 'account')} late; ${count(fetched.length - late.length)}`}{' '}
      of {pluralize(fetched.length, 'account')} up to date{newest === undefined ? '' : `; read ${ago(newest)}`}
      {asked && `; ${asked}`}
    </span>
  )
}
