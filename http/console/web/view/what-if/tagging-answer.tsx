/** Of a rule for a tag: what resources would have. */
import { dayShort } from '../../day.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Chart } from '../../part/chart.tsx'
import type { WhatIfOf } from './reply.ts'
import { TitledTable, Sides, type Side } from './before-after.tsx'

type Tagging = WhatIfOf<'tagging'>
type Item = Tagging['added'][number]

export function TaggingAnswer({ answer }: { answer: Tagging }) {
  const { key, resources, before, after, goneUSD, byDay, from, to } = answer
  const rows: Side[] = [
    {
      title: `Resources with tag ${key}`,
      before: count(before.taggedResources),
      after: count(after.taggedResources),
    },
    { title: 'Cost of tagged resources', before: usd(before.taggedUSD), after: usd(after.taggedUSD) },
    { title: 'Cost of untagged resources', before: usd(before.untaggedUSD), after: usd(after.untaggedUSD) },
    { title: 'Distinct values', before: count(before.valueCount), after: count(after.valueCount) },
  ]
  const values = [...new Set([...after.values, ...before.values].map(({ value }) => value))]
  const costOf = (side: Tagging['before'], wanted: string) => {
    const found = side.values.find(({ value }) => value === wanted)
    return found ? `${usd(found.costUSD)}, ${count(found.resources)}` : '–'
  }
  const columns = columnsOf(from, to)
  return (
    <>
      <p>
        {pluralize(resources, 'resource')} in the current inventory; all derived tags count as accepted. {usd(goneUSD)}{' '}
        belongs to resources no longer in the inventory and is excluded from both sides.
      </p>
      <Sides caption="Before and after" rows={rows} />
      <Chart
        title={`Daily cost with tag ${key}`}
        kind="lines"
        height={170}
        periods={byDay.map(({ date }) => date)}
        name={dayShort}
        series={[
          { label: 'before', values: byDay.map((day) => day.before) },
          { label: 'after', values: byDay.map((day) => day.after) },
        ]}
      />
      <TitledTable title="Tag added" count={answer.addedCount} rows={answer.added} columns={columns} none="None." />
      <TitledTable
        title="Tag removed"
        count={answer.removedCount}
        rows={answer.removed}
        columns={columns}
        none="None."
      />
      <TitledTable
        title="Value changed"
        count={answer.changedCount}
        rows={answer.changed}
        columns={columns}
        none="None."
      />
      {values.length > 0 && (
        <details>
          <summary>By value</summary>
          <Sides
            caption="Cost and resources by value"
            rows={values.map((value): Side => ({
              title: value,
              before: costOf(before, value),
              after: costOf(after, value),
            }))}
          />
        </details>
      )}
    </>
  )
}

const tag = (of: Item['before']) =>
  of === null ? (
    <span class="faint">none</span>
  ) : (
    <>
      <span class="clip tight" dir="auto" title={of.value}>
        {of.value}
      </span>
      <span class="faint">{of.tagSource}</span>
    </>
  )

const columnsOf = (from: string, to: string) => [
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceName, resourceUid }: Item) => (
      <span class="clip" dir="auto" title={resourceUid}>
        {resourceName || resourceUid}
      </span>
    ),
  },
  {
    key: 'cost',
    title: 'Cost',
    isFigure: true,
    show: ({ costUSD, cloudAccountID, resourceUid }: Item) => (
      <Amount
        usd={costUSD}
        receipt={{ from, to, cloud_account_id: cloudAccountID, 'filter[resource_uid]': resourceUid }}
        label={resourceUid}
      />
    ),
  },
  { key: 'before', title: 'Before', show: ({ before }: Item) => tag(before) },
  { key: 'after', title: 'After', show: ({ after }: Item) => tag(after) },
]
