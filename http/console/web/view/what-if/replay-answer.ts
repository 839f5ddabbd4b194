/** Of rules and governance: what would have been found. */
import { html } from '../../html.ts'
import { dayShort, rangeText } from '../../day.ts'
import { count, counted, usd } from '../../figure.ts'
import { Chart } from '../../part/chart.ts'
import { hrefOf } from '../../place.ts'
import type { Of } from './reply.ts'
import { Listed, Sides, type Side } from './sides.ts'

type Replay = Of<'rule'> | Of<'governance'>
type Found = Replay['added'][number]
type Sums = Replay['before']

const sidesOf = (before: Sums, after: Sums): Side[] => [
  { title: 'Findings, a resource and a rule', before: count(before.findings), after: count(after.findings) },
  { title: 'Days that they are open', before: count(before.openDays), after: count(after.openDays) },
  { title: 'Would save on these days', before: usd(before.savingsUsd), after: usd(after.savingsUsd) },
]

export function ReplayAnswer({ answer }: { answer: Replay }) {
  const { before, after, othersUsd, resources, resourceDays, byDay, byAccount, byResourceType } = answer
  const days = byDay.map(({ date }) => date)
  if (resourceDays === 0)
    return html`<p class="note" role="status">Nothing was written down of these days by which a resource could be judged again. It is, from the first daily look on, for 400 days: choose later days, or ask again tomorrow.</p>`
  return html`<p>${counted(resources, 'resource')}, ${counted(resourceDays, 'day')} of them, judged again.</p>
    <${Sides} caption="Before and after" rows=${sidesOf(before, after)} />
    <p class="faint">Savings are estimated: a thirtieth of what each would save in 30 days for each day that it is open. Other findings of the same resources would save ${usd(Math.abs(othersUsd))} ${othersUsd < 0 ? 'less' : 'more'} beside it.</p>
    <${Chart} title="Findings that are open, day by day" kind="lines" height=${170} periods=${days} name=${dayShort} series=${[
      { label: 'before', values: byDay.map((day) => day.before.openDays) },
      { label: 'after', values: byDay.map((day) => day.after.openDays) },
    ]} show=${count} showShort=${count} />
    <${Listed} title="Would be found besides" count=${answer.addedCount} rows=${answer.added} columns=${foundColumns} none="Nothing." />
    <${Listed} title="Would not be found" count=${answer.removedCount} rows=${answer.removed} columns=${foundColumns} none="Nothing." />
    <details><summary>By account and type</summary>
      <${Sides} caption="Would save, by account" rows=${byAccount.map((one): Side => ({ title: one.cloudAccountId, before: usd(one.before.savingsUsd), after: usd(one.after.savingsUsd) }))} />
      <${Sides} caption="Would save, by type" rows=${byResourceType.map((one): Side => ({ title: one.resourceType, before: usd(one.before.savingsUsd), after: usd(one.after.savingsUsd) }))} />
    </details>`
}

const foundColumns = [
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceName, resourceUid, resourceType }: Found) =>
      html`<a class="clip" dir="auto" title=${resourceUid} href=${hrefOf('recommendations', { resource_uid: resourceUid, status: 'any' })}>${resourceName || resourceUid}</a><span class="faint">${resourceType}</span>`,
  },
  { key: 'rule', title: 'Rule', show: ({ ruleId }: Found) => ruleId },
  {
    key: 'days',
    title: 'Days',
    isFigure: true,
    show: ({ days, firstDay, lastDay }: Found) =>
      html`${count(days)}<span class="faint">${rangeText(firstDay, lastDay)}</span>`,
  },
  { key: 'usd', title: 'Would save', isFigure: true, show: ({ savingsUsd }: Found) => usd(savingsUsd) },
]
