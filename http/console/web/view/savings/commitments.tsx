/** Reservations, savings plans and committed use: what they cover, what nobody uses of them, and when they end. */
import { dayText } from '../../day.ts'
import { count, pluralize, share, usd } from '../../figure.ts'
import { Tile } from '../../part/tile.tsx'
import { Copies } from '../../part/copy.tsx'
import { Meter } from '../../part/meter.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, Choice, PeriodBar, periodAsked } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { Commitments } from './labels.ts'

type Item = Commitments['items'][number]
type One = Extract<Item, { commitmentId: string }>
type Unbilled = NonNullable<Commitments['unbilled']>[number]
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
      {report.data?.unbilled && report.data.unbilled.length > 0 && (
        <Panel title="Not in the bills of this period" about="from the inventory">
          <Table
            caption="Commitments that only the inventory has"
            columns={ofUnbilled}
            rows={report.data.unbilled}
            keyOf={({ commitmentId }: Unbilled) => commitmentId}
          />
        </Panel>
      )}
    </>
  )
}

const part = (value: number | null): string => (value === null ? '–' : share(value))

function Together({ totals }: { totals: Commitments['totals'] }) {
  const { utilization, unusedUSD, committedUSD, coverage, eligibleUSD, netSavingsUSD } = totals
  return (
    <section class="tiles" aria-label="All commitments">
      <Tile title="Utilization" value={part(utilization)} note={<>of {usd(committedUSD)} committed</>} />
      <Tile title="Waste" value={usd(unusedUSD)} note="not used" />
      <Tile title="Coverage" value={part(coverage)} note={<>of {usd(eligibleUSD)} covered or eligible</>} />
      <Tile
        title="Net savings"
        value={usd(netSavingsUSD)}
        note="vs on-demand in this period; negative: they cost more"
      />
      <Tile
        title="Expiring within 90 days"
        value={count(totals.expiringWithin90Days)}
        note={
          <>
            of {pluralize(totals.commitments, 'commitment')}; {count(totals.expired)} expired,{' '}
            {count(totals.withoutKnownEnd)} without a known end
          </>
        }
      />
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

const use: Column<Use>[] = [
  { title: 'Committed', usd: ({ committedUSD }) => Number(committedUSD) },
  {
    title: 'Used',
    by: ({ utilization }) => utilization ?? -1,
    csv: ({ usedUSD }) => usedUSD,
    show: ({ utilization, usedUSD }) =>
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
  { title: 'Waste', usd: ({ unusedUSD }) => Number(unusedUSD) },
  { title: 'Net savings', usd: ({ netSavingsUSD }) => Number(netSavingsUSD) },
]

const fromText = { inventory: 'from the inventory', bill: 'from the bill', observed: 'last day in the bills' }

type KnownEnd = Pick<One, 'expiresOn' | 'daysLeft' | 'expiryFrom' | 'status'>

function End({ one: { expiresOn, daysLeft, expiryFrom, status } }: { one: KnownEnd }) {
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

const ofOne: Column<One>[] = [
  {
    title: 'Commitment',
    text: ({ name, commitmentId }) => name || commitmentId,
    hint: ({ commitmentId }) => commitmentId,
    sub: ({ type, provider }) => [type, provider].filter(Boolean).join(', '),
  },
  {
    title: 'Scope',
    text: ({ serviceName }) => serviceName ?? 'several services',
    sub: ({ region, usedByAccounts }) => `${region ?? 'any region'}; ${pluralize(usedByAccounts, 'account')}`,
  },
  ...use,
  {
    title: 'Ends',
    by: ({ daysLeft }) => daysLeft ?? 1e9,
    csv: ({ expiresOn }) => expiresOn,
    show: (one) => <End one={one} />,
  },
]

const ofUnbilled: Column<Unbilled>[] = [
  {
    title: 'Commitment',
    text: ({ name, commitmentId }) => name || commitmentId,
    hint: ({ commitmentId }) => commitmentId,
    sub: ({ type, provider }) => `${type}, ${provider}`,
  },
  {
    title: 'Commits to',
    text: ({ reservedType, reservedCount, hourlyCommitmentUSD }) =>
      hourlyCommitmentUSD === null
        ? `${reservedCount ?? ''} ${reservedType ?? ''}`.trim()
        : `${usd(hourlyCommitmentUSD)} an hour`,
    sub: ({ region }) => region ?? 'any region',
  },
  {
    title: 'Ends',
    by: ({ daysLeft }) => daysLeft ?? 1e9,
    csv: ({ expiresOn }) => expiresOn,
    show: ({ expiresOn, ...one }) => (
      <End one={{ ...one, expiresOn, expiryFrom: expiresOn === null ? null : 'inventory' }} />
    ),
  },
]

const ofGroup: Column<Group>[] = [
  { title: 'Group', text: ({ key }) => key },
  ...use,
  {
    title: 'Coverage',
    isFigure: true,
    by: ({ coverage }) => coverage ?? -1,
    show: ({ coverage }) => part(coverage),
    sub: ({ eligibleUSD }) => `of ${usd(eligibleUSD)}`,
  },
  {
    title: 'Expiring within 90 days',
    count: ({ expiringWithin90Days }) => expiringWithin90Days,
    show: ({ expiringWithin90Days, commitments }) => `${count(expiringWithin90Days)} of ${count(commitments)}`,
  },
]
