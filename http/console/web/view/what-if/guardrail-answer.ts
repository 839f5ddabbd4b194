/** Of a guardrail: what workflows would have heard. */
import { html } from '../../html.ts'
import { dayShort, timeText } from '../../day.ts'
import { count, counted } from '../../figure.ts'
import { Chart } from '../../part/chart.ts'
import { hrefOf } from '../../place.ts'
import type { Of } from './reply.ts'
import { Listed, Sides, type Side } from './sides.ts'

type Guarded = Of<'guardrail'>
type Changed = Guarded['changed'][number]

const answers = { yes: 'may go on', later: 'has to wait', no: 'may not' } as const

export function GuardrailAnswer({ answer }: { answer: Guarded }) {
  const { asks, before, after, byDay } = answer
  if (asks === 0)
    return html`<p class="note" role="status">No workflow asked in these days whether it may make its change: there is nothing to be asked again. <a href=${hrefOf('workflows')}>See the workflows</a>, or choose other days.</p>`
  const codes = [...new Set([...before.byCode, ...after.byCode].map(({ code }) => code))]
  const asksOf = (side: Guarded['before'], wanted: string) =>
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
  return html`<p>${counted(asks, 'question')} of workflows, put once more to the guardrail of now and to the other.</p>
    <${Sides} caption="Before and after" rows=${rows} />
    <${Chart} title="Questions that may go on, day by day" kind="lines" height=${150} periods=${byDay.map(({ date }) => date)} name=${dayShort} series=${[
      { label: 'before', values: byDay.map((day) => day.before.yes) },
      { label: 'after', values: byDay.map((day) => day.after.yes) },
    ]} show=${count} showShort=${count} />
    <${Listed} title="Of another answer" count=${answer.changedCount} rows=${answer.changed} columns=${columns} none="None: all would have heard the same." />`
}

const told = ({ answer, code, message }: Changed['before']) =>
  html`${answers[answer]}${(code || message) && html`<span class="faint clip" dir="auto" title=${message ?? ''}>${message ?? code}</span>`}`

const columns = [
  { key: 'at', title: 'At', show: ({ at }: Changed) => html`<span class="nowrap">${timeText(at)}</span>` },
  {
    key: 'job',
    title: 'Workflow',
    show: ({ jobID, template, resourceUid }: Changed) =>
      html`<a href=${hrefOf('workflows', { job: jobID })}>${template}</a><span class="faint clip" title=${resourceUid}>${resourceUid}</span>`,
  },
  { key: 'before', title: 'Before', show: ({ before }: Changed) => told(before) },
  { key: 'after', title: 'After', show: ({ after }: Changed) => told(after) },
]
