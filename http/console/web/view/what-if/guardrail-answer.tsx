/** Of a guardrail: what workflows would have heard. */
import { dayShort, timeText } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'
import { Chart } from '../../part/chart.tsx'
import { hrefOf } from '../../router.ts'
import type { WhatIfOf } from './reply.ts'
import { TitledTable, Sides, type Side } from './before-after.tsx'

type GuardrailResult = WhatIfOf<'guardrail'>
type ChangedDecision = GuardrailResult['changed'][number]

const answers = { yes: 'allowed', later: 'delayed', no: 'blocked' } as const

export function GuardrailAnswer({ answer }: { answer: GuardrailResult }) {
  const { asks, before, after, byDay } = answer
  if (asks === 0)
    return (
      <p class="note" role="status">
        No workflow requested a guardrail decision in this period, so there is nothing to replay.{' '}
        <a href={hrefOf('workflows')}>See workflows</a> or choose another period.
      </p>
    )
  const codes = [...new Set([...before.byCode, ...after.byCode].map(({ code }) => code))]
  const asksOf = (side: GuardrailResult['before'], wanted: string) =>
    count(side.byCode.find(({ code }) => code === wanted)?.asks ?? 0)
  const rows: Side[] = [
    ...(Object.keys(answers) as (keyof typeof answers)[]).map((name) => ({
      title: answers[name],
      before: count(before[name]),
      after: count(after[name]),
    })),
    ...codes.map((code) => ({
      title: `because of ${code.replaceAll('_', ' ')}`,
      before: asksOf(before, code),
      after: asksOf(after, code),
    })),
  ]
  return (
    <>
      <p>{pluralize(asks, 'workflow request')}, evaluated again with the current guardrail and the proposed one.</p>
      <Sides caption="Before and after" rows={rows} />
      <Chart
        title="Allowed requests per day"
        kind="lines"
        height={150}
        periods={byDay.map(({ date }) => date)}
        name={dayShort}
        series={[
          { label: 'before', values: byDay.map((day) => day.before.yes) },
          { label: 'after', values: byDay.map((day) => day.after.yes) },
        ]}
        show={count}
        showShort={count}
      />
      <TitledTable
        title="Changed decisions"
        count={answer.changedCount}
        rows={answer.changed}
        columns={columns}
        none="None: all decisions are the same."
      />
    </>
  )
}

const renderDecision = ({ answer, code, message }: ChangedDecision['before']) => (
  <>
    {answers[answer]}
    {(code || message) && (
      <span class="faint clip" dir="auto" title={message ?? ''}>
        {message ?? code}
      </span>
    )}
  </>
)

const columns = [
  { key: 'at', title: 'Time', show: ({ at }: ChangedDecision) => <span class="nowrap">{timeText(at)}</span> },
  {
    key: 'job',
    title: 'Workflow',
    show: ({ jobID, template, resourceUid }: ChangedDecision) => (
      <>
        <a href={hrefOf('workflows', { job: jobID })}>{template}</a>
        <span class="faint clip" title={resourceUid}>
          {resourceUid}
        </span>
      </>
    ),
  },
  { key: 'before', title: 'Before', show: ({ before }: ChangedDecision) => renderDecision(before) },
  { key: 'after', title: 'After', show: ({ after }: ChangedDecision) => renderDecision(after) },
]
