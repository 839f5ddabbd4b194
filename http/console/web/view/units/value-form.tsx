/** Adds the value of a day to a metric, and shows how a program does it. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { today } from '../../day.ts'
import { Act } from '../../part/act.tsx'
import { Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { useRequest } from '../../report.ts'
import type { MetricRow } from './metric-row.ts'

/** Numbers as people write them: with or without commas between thousands. */
const numberOf = (text: string): number =>
  /^[-−]?\d{1,3}(,\d{3})+(\.\d+)?$|^[-−]?\d*\.?\d+$/.test(text.trim())
    ? Number(text.trim().replaceAll(',', '').replace('−', '-'))
    : Number.NaN

export function ValueForm({ metric }: { metric: MetricRow }) {
  const [day, setDay] = useState(today())
  const [text, setText] = useState('')
  const doing = useRequest('POST /unit-metric-values/:id')
  const value = numberOf(text)
  const isNumber = text.trim() === '' || !Number.isNaN(value)
  const params = { id: metric.id }
  const body = { values: [{ timestamp: day, value: Number.isNaN(value) ? 0 : value }] }
  const save = (event: Event) => {
    event.preventDefault()
    if (!Number.isNaN(value)) void doing.run({ params, body }, () => setText(''))
  }
  return (
    <form class="bar" onSubmit={save} noValidate>
      <TextField label="Day" type="date" value={day} onValue={setDay} at="/values" problem={doing.problem} />
      <TextField
        label={`Value (${metric.unit})`}
        value={text}
        onValue={setText}
        inputMode="decimal"
        hint={isNumber ? undefined : 'Enter a number.'}
      />
      <Act needs="service.update" type="submit" disabled={doing.isBusy || Number.isNaN(value)}>
        {doing.isBusy ? 'Adding…' : 'Add value'}
      </Act>
      <Copy label="Copy as curl" text={curlOf('POST /unit-metric-values/:id', params, {}, body)} />
      <span role="status">{doing.done && 'Added. It replaces a value of the same time.'}</span>
      <FormProblem problem={doing.problem} fields={['/values']} />
    </form>
  )
}
