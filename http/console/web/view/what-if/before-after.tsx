/** Before and after beside each other, as the API has them: nothing is subtracted here. */
import type { ComponentChildren } from 'preact'
import { Table, type TableColumn } from '../../part/table.tsx'

export interface Side {
  title: string
  before: ComponentChildren
  after: ComponentChildren
}

export const Sides = ({ caption, rows }: { caption: string; rows: readonly Side[] }) => (
  <Table caption={caption} columns={columns} rows={rows} keyOf={({ title }: Side) => title} />
)

const columns = [
  {
    key: 'what',
    title: 'Measure',
    show: ({ title }: Side) => (
      <span class="clip wide" dir="auto" title={title}>
        {title}
      </span>
    ),
  },
  { key: 'before', title: 'Before', isFigure: true, show: ({ before }: Side) => before },
  { key: 'after', title: 'After', isFigure: true, show: ({ after }: Side) => <strong>{after}</strong> },
]

export interface TitledTableProps<R> {
  title: string
  /** How many there are; those that are listed may be fewer. */
  count: number
  rows: readonly R[]
  columns: readonly TableColumn<R>[]
  none: string
}

/** What would be there besides, or would not. */
export function TitledTable<R>({ title, count: all, rows, columns: of, none }: TitledTableProps<R>) {
  return (
    <>
      <h3>
        {title} <span class="faint">{all}</span>
      </h3>
      {rows.length === 0 ? (
        <p class="faint">{none}</p>
      ) : (
        <Table caption={title} columns={of} rows={rows} keyOf={(_: R, at: number) => String(at)} />
      )}
      {all > rows.length && (
        <p class="faint">
          The first {rows.length} of {all}.
        </p>
      )}
    </>
  )
}
