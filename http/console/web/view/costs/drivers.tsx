/** What made the difference: use, price and what is metered by neither, value by value, and the anomalies among them. */
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'
import { pluralize, usdChange } from '../../figure.ts'
import { titleOf } from '../../filter-dimension.ts'
import { notDriven, without, wordsOf } from '../../filter.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, type Period } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table, type TableColumn } from '../../part/table.tsx'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { drillHref, hrefWith, receiptOf, type CostsQuery } from './query.ts'
import { Label } from './label.tsx'

type Answer = Reply<'GET /reports/drivers'>
type Dimension = Answer['dimensions'][number]
type Driver = Dimension['rises'][number]

const drivenBy = ['service_name', 'cloud_account_id', 'sub_account', 'region', 'resource_type', 'resource_uid']
/** Takes longer to compute, so it is queried only when it is shown. */
const ofTeams = 'team_id'

const dimensionOf = (now: CostsQuery): string | undefined => param('driver') ?? now.dims[0]

/** Rises, and as many falls. */
const shownMax = 10

export function Drivers({ now }: { now: CostsQuery }) {
  const hindering = notDriven(now.chips)
  const group_by = dimensionOf(now) === ofTeams ? [...drivenBy, ofTeams] : drivenBy
  const report = useReport('GET /reports/drivers', {
    query: { ...now.of, compare: now.compare, limit: shownMax, group_by },
    on: ['costs.changed', 'anomaly.'],
    when: hindering === undefined,
  })
  if (hindering) {
    const { title, value } = wordsOf(hindering)
    return (
      <Panel title="Cost drivers">
        <Empty title="Cost drivers are not available for these costs.">
          <p>
            Usage and price cannot be separated by {title.toLocaleLowerCase()} ({value}).{' '}
            <a href={hrefWith(without(now.chips, hindering))}>Show without that filter</a>
          </p>
        </Empty>
      </Panel>
    )
  }
  return (
    <Panel title="Cost drivers" about={<CostBasis meta={report.meta} />} tools={<Copies report={report} />}>
      <ReportContent report={report} rows={8}>
        {(data: Answer) => <DriverDetails data={data} now={now} compared={report.meta?.['compared']} />}
      </ReportContent>
    </Panel>
  )
}

function DriverDetails({ data, now, compared }: { data: Answer; now: CostsQuery; compared: Period | undefined }) {
  const { total, dimensions } = data
  const shown = dimensions.find(({ dimension }) => dimension === dimensionOf(now)) ?? dimensions[0]!
  return (
    <>
      <p>
        <Change usd={total.deltaUSD} percent={total.deltaPercent} /> in total: {partsOf(total)}.
      </p>
      {total.anomaly && (
        <p class="note">
          <strong>Anomaly on {dayText(total.anomaly.date)}.</strong> {total.anomaly.rootCause}{' '}
          <a href={hrefOf('anomalies', { anomaly: total.anomaly.id })}>View anomaly</a>
        </p>
      )}
      <div class="bar" role="group" aria-label="Drivers by">
        {[...drivenBy, ofTeams].map((dimension) => (
          <button
            type="button"
            key={dimension}
            aria-pressed={dimension === shown.dimension}
            onClick={() => change({ driver: dimension })}
          >
            {titleOf(dimension)}
          </button>
        ))}
      </div>
      <Values of={shown} now={now} compared={compared} />
    </>
  )
}

const isKnown = (usd: number | null): usd is number => usd !== null

/** What the difference is made of; the three add up to it. */
const partsOf = ({ usageUSD, priceUSD, otherUSD }: Pick<Driver, 'usageUSD' | 'priceUSD' | 'otherUSD'>): string =>
  [
    isKnown(usageUSD) && `usage ${usdChange(usageUSD)}`,
    isKnown(priceUSD) && `price ${usdChange(priceUSD)}`,
    `unmetered ${usdChange(otherUSD)}`,
  ]
    .filter(Boolean)
    .join(', ')

function Values({ of, now, compared }: { of: Dimension; now: CostsQuery; compared: Period | undefined }) {
  const { dimension, rises, falls, rest } = of
  const rows = [...rises, ...falls]
  if (rows.length === 0) return <Empty title="Nothing rose or fell compared with the previous period." />
  const columns = columnsOf(dimension, now, compared)
  const others = rest.rises + rest.falls
  const foot = others > 0 && (
    <tr>
      <td>{pluralize(others, 'other')}</td>
      <td class="figure">
        <Change usd={rest.deltaUSD} />
      </td>
      <td colspan={columns.length - 2}>
        <span class="faint">
          {pluralize(rest.rises, 'rise')}, {pluralize(rest.falls, 'fall')}, all smaller
        </span>
      </td>
    </tr>
  )
  return (
    <Table
      caption={`Rises and falls by ${titleOf(dimension).toLocaleLowerCase()}`}
      columns={columns}
      rows={rows}
      keyOf={(row: Driver) => row.key}
      foot={foot}
    />
  )
}

function columnsOf(dimension: string, now: CostsQuery, compared: Period | undefined): TableColumn<Driver>[] {
  const key = (row: Driver) => ({ [dimension]: row.key })
  const part = (name: 'usageUSD' | 'priceUSD' | 'otherUSD', title: string): TableColumn<Driver> => ({
    key: name,
    title,
    isFigure: true,
    show: (row) =>
      row[name] === null ? (
        <span class="faint" title="unknown">
          –
        </span>
      ) : (
        usdChange(row[name])
      ),
    by: (row) => row[name] ?? 0,
  })
  return [
    {
      key: 'label',
      title: titleOf(dimension),
      show: (row) => (
        <Label dims={[dimension]} value={key(row)} label={row.label} href={drillHref(now.chips, key(row))} />
      ),
      by: ({ label }) => label,
    },
    {
      key: 'delta',
      title: 'Change',
      isFigure: true,
      show: ({ deltaUSD, deltaPercent }) => <Change usd={deltaUSD} percent={deltaPercent} />,
      by: ({ deltaUSD }) => deltaUSD,
    },
    part('usageUSD', 'Usage effect'),
    part('priceUSD', 'Price effect'),
    part('otherUSD', 'Other'),
    {
      key: 'now',
      title: 'Current',
      isFigure: true,
      show: (row) => <Amount usd={row.costUSD} receipt={receiptOf(now, key(row))} label={row.label} />,
      by: ({ costUSD }) => costUSD,
    },
    {
      key: 'before',
      title: 'Previous',
      isFigure: true,
      show: (row) => (
        <Amount
          usd={row.previousUSD}
          receipt={receiptOf(now, key(row), compared)}
          label={`${row.label}, previous period`}
        />
      ),
      by: ({ previousUSD }) => previousUSD,
    },
    {
      key: 'cause',
      title: 'Cause',
      show: ({ state, anomaly }) => (
        <>
          {state !== 'changed' && (
            <>
              <span class="badge">{state}</span>{' '}
            </>
          )}
          {anomaly ? (
            <>
              <a class={`badge ${anomaly.severity}`} href={hrefOf('anomalies', { anomaly: anomaly.id })}>
                anomaly
              </a>{' '}
              {anomaly.rootCause}
            </>
          ) : (
            ''
          )}
        </>
      ),
    },
  ]
}
