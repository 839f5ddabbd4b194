/** By what costs of clusters are divided, and where what was idle stands. */
import { useEffect, useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { Choice } from '../../part/period.ts'
import { Suggest } from '../../part/suggest.ts'
import { change } from '../../place.ts'
import { useReport } from '../../report.ts'
import type { Asked } from './asked.ts'
import { groups, isLabel, keyOf, labelOf } from './words.ts'

const idleModes = [
  ['shared', 'shared among workloads'],
  ['apart', 'in the sums alone'],
]

export function GroupBar({ now: { group, of } }: { now: Asked }) {
  const choose = (event: Event) =>
    change({ group_by: (event.target as HTMLSelectElement).value, page: null, workload: null })
  const byLabel = isLabel(group) ? group : labelOf('')
  return html`<div class="bar">
    <label>Group by <select onChange=${choose}>
      ${groups.map(({ name, title }) => html`<option value=${name} selected=${name === group}>${title}</option>`)}
      <option value=${byLabel} selected=${isLabel(group)}>label …</option>
    </select></label>
    ${isLabel(group) && html`<${Key} chosen=${keyOf(group)} of=${of} />`}
    <${Choice} title="Idle" name="idle" none="as rows of its own" choices=${idleModes} />
  </div>`
}

/** Keys of tags are suggested, for labels count as tags of workloads; any other may be typed. */
function Key({ chosen, of: { from, to, cost } }: { chosen: string; of: Asked['of'] }) {
  const [text, setText] = useState(chosen)
  const [isOpened, setOpened] = useState(false)
  useEffect(() => setText(chosen), [chosen])
  const keys = useReport('GET /reports/tags', { query: { from, to, cost, limit: 100 }, when: isOpened })
  const suggestions = (keys.data?.items ?? []).map(({ tagKey }) => ({ value: tagKey, label: tagKey }))
  const pick = (key: string) => change({ group_by: labelOf(key.trim()), page: null })
  return html`<${Suggest} id="label-key" label="Key of the label" text=${text} suggestions=${suggestions} isAsking=${keys.isAsking} problem=${keys.problem} onText=${setText} onOpen=${() => setOpened(true)} onPick=${pick} />`
}
