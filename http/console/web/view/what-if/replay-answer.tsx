/** Of rules and governance: what would have been found. */
import { dayShort, rangeText } from '../../day.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { Chart } from '../../part/chart.tsx'
import { hrefOf } from '../../router.ts'
import type { WhatIfOf } from './reply.ts'
import { TitledTable, Sides, type Side } from './before-after.tsx'

type Replay = WhatIfOf<'rule'> | WhatIfOf<'governance'>
type Finding = Replay['added'][number]
type Sums = Replay['before']

const sidesOf = (before: Sums, after: Sums): Side[] => [
  { title: 'Findings (resource and rule)', before: count(before.findings), after: count(after.findings) },
  { title: 'Open days', before: count(before.openDays), after: count(after.openDays) },
  { title: 'Potential savings in this period', before: usd(before.savingsUsd), after: usd(after.savingsUsd) },
]

export function ReplayAnswer({ answer }: { answer: Replay }) {
  const { before, after, othersUsd, resources, resourceDays, byDay, byAccount, byResourceType } = answer
  const days = byDay.map(({ date }) => date)
  if (resourceDays === 0)
    return (
      <p class="note" role="status">
        No history was recorded for these days. History is kept for 400 days, starting with the first daily evaluation.
        Choose later days, or try again tomorrow.
      </p>
    )
  return (
    <>
      <p>
        {pluralize(resources, 'resource')} re-evaluated over {pluralize(resourceDays, 'resource day')}.
      </p>
      <Sides caption="Before and after" rows={sidesOf(before, after)} />
      <p class="faint">
        Savings are estimated: one thirtieth of each finding’s 30-day savings per open day. Other findings on the same
        resources would save {usd(Math.abs(othersUsd))} {othersUsd < 0 ? 'less' : 'more'} as a result.
      </p>
      <Chart
        title="Open findings per day"
        kind="lines"
        height={170}
        periods={days}
        name={dayShort}
        series={[
          { label: 'before', values: byDay.map((day) => day.before.openDays) },
          { label: 'after', values: byDay.map((day) => day.after.openDays) },
        ]}
        show={count}
        showShort={count}
      />
      <TitledTable
        title="Additional findings"
        count={answer.addedCount}
        rows={answer.added}
        columns={foundColumns}
        none="None."
      />
      <TitledTable
        title="Removed findings"
        count={answer.removedCount}
        rows={answer.removed}
        columns={foundColumns}
        none="None."
      />
      <details>
        <summary>By account and type</summary>
        <Sides
          caption="Potential savings by account"
          rows={byAccount.map((one): Side => ({
            title: one.cloudAccountId,
            before: usd(one.before.savingsUsd),
            after: usd(one.after.savingsUsd),
          }))}
        />
        <Sides
          caption="Potential savings by type"
          rows={byResourceType.map((one): Side => ({
            title: one.resourceType,
            before: usd(one.before.savingsUsd),
            after: usd(one.after.savingsUsd),
          }))}
        />
      </details>
    </>
  )
}

const foundColumns = [
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceName, resourceUid, resourceType }: Finding) => (
      <>
        <a
          class="clip"
          dir="auto"
          title={resourceUid}
          href={hrefOf('recommendations', { resource_uid: resourceUid, status: 'any' })}
        >
          {resourceName || resourceUid}
        </a>
        <span class="faint">{resourceType}</span>
      </>
    ),
  },
  { key: 'rule', title: 'Rule', show: ({ ruleId }: Finding) => ruleId },
  {
    key: 'days',
    title: 'Days',
    isFigure: true,
    show: ({ days, firstDay, lastDay }: Finding) => (
      <>
        {count(days)}
        <span class="faint">{rangeText(firstDay, lastDay)}</span>
      </>
    ),
  },
  { key: 'usd', title: 'Potential savings', isFigure: true, show: ({ savingsUsd }: Finding) => usd(savingsUsd) },
]
