/** Reservations, savings plans and committed use: what they cover, what nobody uses of them, and when they end. */
import { dayText } from '../../day.ts'
import { count, pluralize, share, usd } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Meter } from '../../part/meter.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, Choice, PeriodBar, periodAsked } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { Commitments } from './labels.ts'

type Item = Commitments['items'][number]
type One = Extract<Item, { commitmentId: string }>
type Group = Extract<Item, { key: string }>

export function CommitmentsTab() {
  const report = useReport('GET /reports/commitments', {
    query: { ...periodAsked(), group_by: param('group_by') },
    on: ['costs.changed'],
  })
  const by = (
    <Choice
      title="Group by"
      name="group_by"
      none="commitment"
      choices={[
        ['account', 'account'],
        ['type', 'type'],
      ]}
    />
  )
  return (
    <>
      <PeriodBar takes={[]} />
      <ReportContent report={report} rows={2}>
        {({ totals }: Commitments) => <Together totals={totals} />}
      </ReportContent>
      <Panel
        title="Commitments"
        about={<CostBasis meta={report.meta} />}
        tools={
          <>
            {by}
            <Copies report={report} />
          </>
        }
      >
        <ReportContent report={report} rows={5}>
          {(data: Commitments) => <List data={data} />}
        </ReportContent>
      </Panel>
    </>
  )
}

const part = (value: number | null): string => (value === null ? '–' : share(value))

function Together({ totals }: { totals: Commitments['totals'] }) {
  const { utilization, unusedUSD, committedUSD, coverage, eligibleUSD, netSavingsUSD } = totals
  return (
    <section class="tiles" aria-label="All commitments">
      <article class="tile">
        <h2>Utilization</h2>
        <span class="big">{part(utilization)}</span>
        <span class="small">of {usd(committedUSD)} committed</span>
      </article>
      <article class="tile">
        <h2>Waste</h2>
        <span class="big">{usd(unusedUSD)}</span>
        <span class="small">not used</span>
      </article>
      <article class="tile">
        <h2>Coverage</h2>
        <span class="big">{part(coverage)}</span>
        <span class="small">of {usd(eligibleUSD)} covered or eligible</span>
      </article>
      <article class="tile">
        <h2>Net savings</h2>
        <span class="big">{usd(netSavingsUSD)}</span>
        <span class="small">vs on-demand in this period; negative: they cost more</span>
      </article>
      <article class="tile">
        <h2>Expiring within 90 days</h2>
        <span class="big">{count(totals.expiringWithin90Days)}</span>
        <span class="small">
          of {pluralize(totals.commitments, 'commitment')}; {count(totals.expired)} expired,{' '}
          {count(totals.withoutKnownEnd)} without a known end
        </span>
      </article>
    </section>
  )
}

function List({ data: { groupBy, items } }: { data: Commitments }) {
  if (items.length === 0)
    return (
      <Empty title="No commitments in the bills for this period.">
        <p>
          See where a commitment would pay off:{' '}
          <a href={hrefOf('recommendations', { category: 'discount' })}>discount recommendations</a>.
        </p>
      </Empty>
    )
  return groupBy === 'commitment' ? (
    <Table
      caption="Commitments"
      columns={ofOne}
      rows={items as One[]}
      keyOf={({ commitmentId }: One) => commitmentId}
    />
  ) : (
    <Table
      caption={`Commitments by ${groupBy}`}
      columns={ofGroup}
      rows={items as Group[]}
      keyOf={({ key }: Group) => key}
    />
  )
}

type Use = Pick<Commitments['totals'], 'committedUSD' | 'usedUSD' | 'unusedUSD' | 'utilization' | 'netSavingsUSD'>

const use = [
  {
    key: 'committed',
    title: 'Committed',
    isFigure: true,
    by: ({ committedUSD }: Use) => Number(committedUSD),
    show: ({ committedUSD }: Use) => usd(committedUSD),
  },
  {
    key: 'used',
    title: 'Used',
    by: ({ utilization }: Use) => utilization ?? -1,
    show: ({ utilization, usedUSD }: Use) =>
      utilization === null ? (
        '–'
      ) : (
        <Meter
          value={utilization}
          max={1}
          state={utilization < 0.9 ? 'warn' : 'good'}
          label="Utilization of the commitment"
        >
          {share(utilization)} <span class="faint">{usd(usedUSD)}</span>
        </Meter>
      ),
  },
  {
    key: 'unused',
    title: 'Waste',
    isFigure: true,
    by: ({ unusedUSD }: Use) => Number(unusedUSD),
    show: ({ unusedUSD }: Use) => usd(unusedUSD),
  },
  {
    key: 'net',
    title: 'Net savings',
    isFigure: true,
    by: ({ netSavingsUSD }: Use) => Number(netSavingsUSD),
    show: ({ netSavingsUSD }: Use) => usd(netSavingsUSD),
  },
]

const fromText = { inventory: 'from the inventory', bill: 'from the bill', observed: 'last day in the bills' }

function End({ one: { expiresOn, daysLeft, expiryFrom, status } }: { one: One }) {
  if (expiresOn === null || daysLeft === null || expiryFrom === null)
    return <span class="faint">{status === 'unknown' ? 'unknown; not in recent bills' : 'unknown'}</span>
  const left = `in ${pluralize(daysLeft, 'day')}`
  const badge =
    status === 'expired' ? (
      <span class="badge critical">Expired</span>
    ) : (
      <span class={daysLeft <= 90 ? 'badge warning' : 'faint'}>{left}</span>
    )
  return (
    <>
      <span class="nowrap">{dayText(expiresOn)}</span> {badge}
      <span class="faint">{fromText[expiryFrom]}</span>
    </>
  )
}

const ofOne = [
  {
    key: 'name',
    title: 'Commitment',
    by: ({ name, commitmentId }: One) => name || commitmentId,
    show: ({ name, commitmentId, type, provider }: One) => (
      <>
        <span class="clip" dir="auto" title={commitmentId}>
          {name || commitmentId}
        </span>
        <span class="faint">{[type, provider].filter(Boolean).join(', ')}</span>
      </>
    ),
  },
  {
    key: 'of',
    title: 'Scope',
    show: ({ serviceName, region, usedByAccounts }: One) => (
      <>
        <span class="clip" title={serviceName ?? ''}>
          {serviceName ?? 'several services'}
        </span>
        <span class="faint">
          {region ?? 'any region'}; {pluralize(usedByAccounts, 'account')}
        </span>
      </>
    ),
  },
  ...use,
  {
    key: 'ends',
    title: 'Ends',
    by: ({ daysLeft }: One) => daysLeft ?? 1e9,
    show: (one: One) => <End one={one} />,
  },
]

const ofGroup = [
  {
    key: 'key',
    title: 'Group',
    by: ({ key }: Group) => key,
    show: ({ key }: Group) => (
      <span class="clip" title={key}>
        {key}
      </span>
    ),
  },
  ...use,
  {
    key: 'coverage',
    title: 'Coverage',
    isFigure: true,
    by: ({ coverage }: Group) => coverage ?? -1,
    show: ({ coverage, eligibleUSD }: Group) => (
      <>
        {part(coverage)}
        <span class="faint">of {usd(eligibleUSD)}</span>
      </>
    ),
  },
  {
    key: 'ends',
    title: 'Expiring within 90 days',
    isFigure: true,
    by: ({ expiringWithin90Days }: Group) => expiringWithin90Days,
    show: ({ expiringWithin90Days, commitments }: Group) => `${count(expiringWithin90Days)} of ${count(commitments)}`,
  },
]
