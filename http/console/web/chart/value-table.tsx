/** The values of a chart as a table. */
import type { Completeness } from '../completeness.ts'
import { Table, type TableColumn } from '../part/table.tsx'
import type { DrawnChart } from './props.ts'

const note: Readonly<Record<Completeness, string>> = { none: '', partial: ' (incomplete)', whole: '' }

interface Row {
  period: string
  at: number
}

export function ValueTable(props: DrawnChart) {
  const { title, periods, series, overlays = [], marks = [], completeness = [], name = String, show = String } = props
  const column = (key: string, label: string, values: readonly (number | null)[]): TableColumn<Row> => ({
    key,
    title: label,
    isFigure: true,
    show: ({ at }) => {
      if (completeness[at] === 'none') return 'No bills yet'
      return typeof values[at] === 'number' ? show(values[at]) : '–'
    },
    by: ({ at }) => values[at] ?? 0,
  })
  const textsAt = (period: string) => marks.filter((mark) => mark.period === period).map(({ text }) => text)
  const columns: TableColumn<Row>[] = [
    {
      key: 'period',
      title: 'Period',
      show: ({ period, at }) => name(period) + note[completeness[at] ?? 'whole'],
      by: ({ period }) => period,
    },
    ...series.map(({ label, values }, n) => column(`s${n}`, label, values)),
    ...overlays.map(({ label, values }, n) => column(`o${n}`, label, values)),
    ...(marks.length > 0
      ? [{ key: 'mark', title: 'Annotation', show: ({ period }: Row) => textsAt(period).join('; ') }]
      : []),
  ]
  const rows = periods.map((period, at) => ({ period, at }))
  return <Table caption={title} columns={columns} rows={rows} keyOf={({ period }) => period} />
}
