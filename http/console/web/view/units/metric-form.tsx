/** Creates a unit metric, whose values are pushed or entered afterwards. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { Act } from '../../part/act.tsx'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { useRequest } from '../../report.ts'

export interface MetricFormProps {
  onClose: () => void
  onDone: (metric: { id: string }) => void
}

/** A key as the API takes it: of the name, until somebody types another. */
const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64)

type Aggregation = 'sum' | 'avg' | 'max' | 'last'
const aggregations: readonly { value: Aggregation; title: string }[] = [
  { value: 'sum', title: 'Add them up, such as orders' },
  { value: 'avg', title: 'Average, such as active users' },
  { value: 'max', title: 'Highest value' },
  { value: 'last', title: 'Last value' },
]

export function MetricForm({ onClose, onDone }: MetricFormProps) {
  const [name, setName] = useState('')
  const [key, setKey] = useState<string | undefined>()
  const [unit, setUnit] = useState('')
  const [aggregation, setAggregation] = useState<Aggregation>('sum')
  const doing = useRequest('POST /unit-metrics')
  const body = { name: name.trim(), key: key ?? keyOf(name), unit: unit.trim(), ingestion: 'push', aggregation }
  const save = (event: Event) => {
    event.preventDefault()
    void doing.run({ body }, onDone)
  }
  return (
    <Panel title="New metric">
      <form class="form" onSubmit={save} noValidate>
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          at="/name"
          problem={doing.problem}
          placeholder="Orders"
          required
        />
        <TextField
          label="Unit"
          value={unit}
          onValue={setUnit}
          at="/unit"
          problem={doing.problem}
          placeholder="order"
          hint="What one of them is called: costs are shown per unit."
          required
        />
        <TextField
          label="Key"
          value={body.key}
          onValue={setKey}
          at="/key"
          problem={doing.problem}
          hint="Its name in the API: lowercase letters, digits, - and _."
          isCode
          required
        />
        <ChoiceField
          label="Several values of a period"
          value={aggregation}
          onValue={setAggregation}
          options={aggregations}
          at="/aggregation"
          problem={doing.problem}
        />
        <FormProblem problem={doing.problem} fields={['/name', '/unit', '/key', '/aggregation']} />
        <p class="bar">
          <Act needs="service.create" type="submit" class="main" disabled={doing.isBusy}>
            {doing.isBusy ? 'Creating…' : 'Create'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /unit-metrics', {}, {}, body)} />
        </p>
      </form>
    </Panel>
  )
}
