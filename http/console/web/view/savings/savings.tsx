/** Verified savings first, then observed and estimated ones, which are never added up; by source or place. */
import { count, pluralize, usd } from '../../figure.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, Choice, PeriodBar, periodAsked } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { bases, rateText, rateTitle, sourceName, type SavingsRow, type Savings } from './labels.ts'

const groupings = [
  ['rule', 'rule'],
  ['category', 'category'],
  ['team', 'team'],
  ['resource_group', 'resource group'],
  ['account', 'account'],
  ['resource', 'resource'],
]

export function SavingsTab() {
  const period = periodAsked()
  const report = useReport('GET /reports/savings', {
    query: { ...period, group_by: param('group_by') },
    on: ['costs.changed', 'recommendation.', 'workflow.'],
  })
  return (
    <>
      <PeriodBar takes={[]} />
      <ReportPanel
        title="Savings"
        about={<CostBasis meta={report.meta} />}
        report={report}
        sql={savingsSql(period)}
        rows={3}
      >
        {({ totals }: Savings) => <Bases totals={totals} />}
      </ReportPanel>
      <Panel title="Breakdown" tools={<Choice title="Group by" name="group_by" none="source" choices={groupings} />}>
        <ReportContent report={report} rows={6}>
          {(data: Savings) => <Items data={data} />}
        </ReportContent>
      </Panel>
    </>
  )
}

const savingsSql = ({ from, to }: { from: string; to: string }): string =>
  [
    'SELECT source, sum(verified_usd) AS verified, sum(observed_usd) AS observed, sum(estimated_usd) AS estimated',
    'FROM saving_daily',
    `WHERE day >= '${from}' AND day <= '${to}'`,
    'GROUP BY source',
    'ORDER BY source',
  ].join('\n')

function Bases({ totals }: { totals: Savings['totals'] }) {
  const { realisation, provedDays, unprovedDays, openEstimatedUSD } = totals
  return (
    <>
      <div class="bases">
        {bases.map(({ key, title, text }) => (
          <article key={key}>
            <h3>{title}</h3>
            <span class="big">{usd(totals[key])}</span>
            <p class="faint">{text}</p>
          </article>
        ))}
        <article>
          <h3>{rateTitle}</h3>
          <span class="big">{rateText(realisation)}</span>
          <p class="faint">verified savings as a share of the estimate for the same days</p>
        </article>
      </div>
      <p>
        These are three measures of the same savings, so do not add them up. Bills verify {pluralize(provedDays, 'day')}{' '}
        of claims; {pluralize(unprovedDays, 'day')} are not verified:{' '}
        <a href={hrefOf('savings', { tab: 'claims' })}>why</a>.
      </p>
      <p class="faint">
        Potential savings: an estimated {usd(openEstimatedUSD)} per 30 days from open{' '}
        <a href={hrefOf('recommendations')}>recommendations</a>.
      </p>
    </>
  )
}

function Items({ data: { groupBy, items, totals } }: { data: Savings }) {
  if (items.length === 0)
    return (
      <Empty title="No savings in this period, and no recommendations.">
        <p>
          A claim starts when a person or a schedule stops a resource, or when a{' '}
          <a href={hrefOf('recommendations')}>recommendation</a> is marked done.
        </p>
      </Empty>
    )
  return (
    <>
      <Table
        caption={`Savings by ${groupBy.replaceAll('_', ' ')}`}
        columns={columnsOf(groupBy)}
        rows={items}
        keyOf={({ key }: SavingsRow) => key}
        foot={<Foot totals={totals} />}
      />
      {groupBy === 'resource_group' && (
        <p class="faint">A resource counts in every group that contains it, so groups do not add up to the total.</p>
      )}
    </>
  )
}

/** The parameter of claims that a row is narrowed by. */
const claimsBy: Readonly<Record<string, string>> = {
  source: 'source',
  rule: 'rule_id',
  team: 'team_id',
  account: 'cloud_account_id',
  resource: 'resource_uid',
}

function nameOf(groupBy: string, { key, label }: SavingsRow) {
  const text = groupBy === 'source' ? sourceName(label) : label
  const by = claimsBy[groupBy]
  const said = (
    <>
      <span class="clip wide" dir="auto" title={label}>
        {text}
      </span>
      {label !== key && (
        <span class="faint clip tight" title={key}>
          {groupBy === 'rule' ? key : ''}
        </span>
      )}
    </>
  )
  const isKnown = by !== undefined && key !== '(none)' && key !== 'autoscaler'
  return isKnown ? <a href={hrefOf('savings', { tab: 'claims', [by]: key })}>{said}</a> : said
}

const columnsOf = (groupBy: string): Column<SavingsRow>[] => [
  { title: 'Source', by: ({ label }) => label, csv: ({ label }) => label, show: (row) => nameOf(groupBy, row) },
  ...bases.map(({ key, title }): Column<SavingsRow> => ({ key, title, usd: (row) => row[key] })),
  {
    title: rateTitle,
    isFigure: true,
    by: ({ realisation }) => realisation ?? -1,
    show: ({ realisation }) => rateText(realisation),
  },
  {
    title: 'Days verified',
    count: ({ provedDays }) => provedDays,
    sub: ({ unprovedDays }) => unprovedDays > 0 && `${count(unprovedDays)} not`,
  },
  { title: 'Potential, 30 days', usd: ({ openEstimatedUSD }) => openEstimatedUSD },
]

const Foot = ({ totals }: { totals: Savings['totals'] }) => (
  <tr>
    <td>Total</td>
    {bases.map(({ key }) => (
      <td class="figure" key={key}>
        {usd(totals[key])}
      </td>
    ))}
    <td class="figure">{rateText(totals.realisation)}</td>
    <td class="figure">{count(totals.provedDays)}</td>
    <td class="figure">{usd(totals.openEstimatedUSD)}</td>
  </tr>
)
