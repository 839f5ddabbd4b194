/** The receipt of a claim: what it is measured against, what each day comes to, and the lines of its bills. */
import { dayText, timeText } from '../../day.ts'
import { count, pluralize, exact, usd } from '../../figure.ts'
import { Amount, receiptHref } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Pairs, type Pair } from '../../part/pairs.tsx'
import { Panel } from '../../part/panel.tsx'
import { queryOf } from '../../part/receipt.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { change, hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { useFocusOnOpen } from '../anomalies/focus-on-open.ts'
import { bases, endText, kindName, reasonText, sourceName, weekdays, type Receipt } from './labels.ts'

type Day = Receipt['days'][number]

export function ClaimReceipt({ id }: { id: string }) {
  const report = useReport('GET /reports/savings/claims/:claimID', { params: { claimID: id }, on: ['costs.changed'] })
  const place = useFocusOnOpen<HTMLDivElement>(id)
  const tools = (
    <>
      <Copies report={report} />
      <button type="button" class="quiet" onClick={() => change({ claim: null })}>
        Close ✕
      </button>
    </>
  )
  return (
    <div class="opened" tabindex={-1} ref={place} role="group" aria-label="Claim receipt">
      <Panel title="Claim receipt" tools={tools}>
        <ReportContent report={report} rows={8}>
          {(data: Receipt) => <ClaimDetail data={data} />}
        </ReportContent>
      </Panel>
    </div>
  )
}

/** The parameters of the receipt that the API says the lines are at. */
const linesOf = (at: string) => queryOf(new URLSearchParams(at.split('?')[1] ?? ''))

function ClaimDetail({ data }: { data: Receipt }) {
  const { source, sourceID, ruleID, kind, resourceUid, resourceType, from, until, endedBy, estimatedPerDayUSD } = data
  const cause =
    source === 'recommendation' ? (
      <a href={hrefOf('recommendations', { rec: sourceID, status: 'any' })}>a recommendation</a>
    ) : (
      sourceName(source)
    )
  const pairs: Pair[] = [
    [
      'Resource',
      <>
        <span class="clip wide" title={resourceUid}>
          {resourceUid}
        </span>{' '}
        <span class="faint">{resourceType}</span>
      </>,
    ],
    [
      'Source',
      <>
        {cause}
        {ruleID && (
          <>
            {' '}
            <span class="faint">{ruleID}</span>
          </>
        )}
      </>,
    ],
    ['Savings type', kindName(kind)],
    ['Since', timeText(from)],
    ['Until', until === null ? 'ongoing' : `${timeText(until)}: ${endText(endedBy)}`],
    [
      'Estimated per day',
      estimatedPerDayUSD === null ? (
        'not estimated'
      ) : (
        <>
          <span class="exact">{exact(estimatedPerDayUSD)}</span> USD
        </>
      ),
    ],
  ]
  return (
    <>
      <div class="bases">
        {bases.map(({ key, title }) => (
          <article key={key}>
            <h3>{title}</h3>
            <span class="big">{usd(data[key])}</span>
          </article>
        ))}
      </div>
      <p class="faint">
        Totals over all its days. These are three measures of the same savings, so do not add them up.
      </p>
      <Pairs pairs={pairs} label="Claim" />
      <Baseline data={data} />
      <h3>Daily savings</h3>
      {data.days.length === 0 ? (
        <p class="faint">No full day yet: the first appears tomorrow.</p>
      ) : (
        <Table
          caption="Last 45 days of the claim"
          columns={columns}
          rows={data.days.toReversed()}
          keyOf={({ date }: Day) => date}
        />
      )}
      <Levels data={data} />
    </>
  )
}

function Baseline({ data: { baseline, baselineReason } }: { data: Receipt }) {
  if (!baseline)
    return (
      <>
        <h3>Baseline</h3>
        <p class="note">Bills cannot verify it: {reasonText(baselineReason)}.</p>
      </>
    )
  const { from, to, days, unitPriceUSD, otherUSDPerDay, hoursByWeekday } = baseline
  return (
    <>
      <h3>Baseline</h3>
      <p>
        {count(days)} full days of bills, {dayText(from)} to {dayText(to)}:{' '}
        {unitPriceUSD === null ? (
          'no hours ran'
        ) : (
          <>
            <span class="exact">{exact(unitPriceUSD)}</span> USD per hour
          </>
        )}
        , <span class="exact">{exact(otherUSDPerDay)}</span> USD per day for other charges.{' '}
        <a href={receiptHref(linesOf(baseline.lines))}>Billing lines</a>
      </p>
      <p class="faint">
        Hours per day: {hoursByWeekday.map((hours, at) => `${weekdays[at]!.slice(0, 3)} ${exact(hours)}`).join(', ')}.
      </p>
    </>
  )
}

const digits = (value: string | null) => (value === null ? '–' : <span class="exact">{exact(value)}</span>)

const billOf = ({ levels }: Day) => levels.at(-1)?.totalUSD

const columns: Column<Day>[] = [
  { title: 'Day', show: ({ date }) => <span class="nowrap">{dayText(date)}</span> },
  { title: 'Estimated', isFigure: true, show: ({ estimatedUSD }) => digits(estimatedUSD) },
  { title: 'Observed', isFigure: true, show: ({ observedUSD }) => digits(observedUSD) },
  { title: 'Verified', isFigure: true, show: ({ verifiedUSD }) => digits(verifiedUSD) },
  {
    title: 'Without claims',
    isFigure: true,
    show: ({ levels }) => digits(levels.length > 1 ? (levels[0]?.totalUSD ?? null) : null),
  },
  {
    title: 'Bill',
    isFigure: true,
    show: (day) =>
      billOf(day) === undefined ? (
        <a href={receiptHref(linesOf(day.lines))}>lines</a>
      ) : (
        <Amount usd={billOf(day)} receipt={linesOf(day.lines)} label={`Bill for ${dayText(day.date)}`} />
      ),
  },
  {
    title: 'Why not verified',
    show: ({ reason }) => (
      <span class="faint clip" title={reasonText(reason)}>
        {reasonText(reason)}
      </span>
    ),
  },
]

/** How the last proved day comes to its figure. */
function Levels({ data }: { data: Receipt }) {
  const day = data.days.findLast(({ verifiedUSD }) => verifiedUSD !== null)
  if (!day) return null
  return (
    <details>
      <summary>
        How {exact(day.verifiedUSD!)} USD on {dayText(day.date)} is computed
      </summary>
      <ol class="steps">
        {day.levels.map(
          (level, at) =>
            level && (
              <li key={at}>
                <strong>
                  {at === 0
                    ? 'Without claims'
                    : at === day.levels.length - 1
                      ? 'Bill'
                      : `With ${pluralize(at, 'claim')}`}
                </strong>
                {level.claimID === data.id && (
                  <>
                    {' '}
                    <span class="badge good">this claim</span>
                  </>
                )}
                <p class="faint">
                  {exact(level.hours)} hours × {exact(level.unitPriceUSD)} × {count(level.listFactor)} +{' '}
                  {exact(level.otherUSD)} = <span class="exact">{exact(level.totalUSD)}</span> USD
                </p>
              </li>
            ),
        )}
      </ol>
      <p class="faint">The claim’s savings are the difference between its level and the one above it.</p>
    </details>
  )
}
