/** By what costs of clusters are divided, and where what was idle stands. */
import { useEffect, useState } from 'preact/hooks'
import { Choice } from '../../part/period.tsx'
import { Suggest } from '../../part/suggest.tsx'
import { change } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { KubernetesQuery } from './query.ts'
import { groups, isLabel, keyOf, labelOf } from './labels.ts'

const idleModes = [
  ['shared', 'shared among workloads'],
  ['apart', 'only in totals'],
]

export function GroupBar({ now: { group, of } }: { now: KubernetesQuery }) {
  const choose = (event: Event) =>
    change({ group_by: (event.target as HTMLSelectElement).value, page: null, workload: null })
  const byLabel = isLabel(group) ? group : labelOf('')
  return (
    <div class="bar">
      <label>
        Group by{' '}
        <select onChange={choose}>
          {groups.map(({ name, title }) => (
            <option key={name} value={name} selected={name === group}>
              {title}
            </option>
          ))}
          <option value={byLabel} selected={isLabel(group)}>
            label…
          </option>
        </select>
      </label>
      {isLabel(group) && <Key chosen={keyOf(group)} of={of} />}
      <Choice title="Idle" name="idle" none="separate rows" choices={idleModes} />
    </div>
  )
}

/** Labels that Kubernetes recommends, and those that are as usual. */
const usual = ['app.kubernetes.io/name', 'app.kubernetes.io/part-of', 'app.kubernetes.io/component', 'app', 'team']

/** Keys that workloads of the days carry, the dearest first, then usual ones; any may be typed. */
function Key({ chosen, of: { label: _label, ...of } }: { chosen: string; of: KubernetesQuery['of'] }) {
  const [text, setText] = useState(chosen)
  const [isOpened, setOpened] = useState(false)
  useEffect(() => setText(chosen), [chosen])
  const keys = useReport('GET /reports/kubernetes/labels', { query: { ...of, limit: 100 }, when: isOpened })
  const known = new Set([...(keys.data?.items ?? []).map(({ key }) => key), ...usual])
  const suggestions = [...known].map((key) => ({ value: key, label: key }))
  const pick = (key: string) => change({ group_by: labelOf(key.trim()), page: null })
  return (
    <Suggest
      id="label-key"
      label="Label key"
      text={text}
      suggestions={suggestions}
      isAsking={keys.isAsking}
      problem={keys.problem}
      onText={setText}
      onOpen={() => setOpened(true)}
      onPick={pick}
    />
  )
}
