/** Rows under headings: figures stand at the right, what is sorted says so, and rows may be many. Where it is narrow each row is a card. */
import { Fragment, type ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { drawCell, isFigure, keyOfColumn, orderOf, type Column } from './list/column.tsx'
import { SelectAll, SelectRow, type Selection } from './list/selection.tsx'

export type TableColumn<R> = Column<R>

export interface TableProps<R> {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R, at: number) => string
  /** The order, if it is kept elsewhere: rows are shown as they come. */
  sorted?: { key: string; isAscending: boolean; onSort: (key: string, isFigure: boolean) => void } | undefined
  canSort?: boolean
  selection?: Selection<R> | undefined
  isDense?: boolean
  /** What is open below a row, over its whole width; nothing where it is closed. */
  below?: ((row: R) => ComponentChildren) | undefined
  foot?: ComponentChildren
}

type Order = { key: string; isAscending: boolean }

const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

export function sortRows<R>(rows: readonly R[], column: Column<R> | undefined, isAscending: boolean): readonly R[] {
  const by = column && orderOf(column)
  return by ? rows.toSorted((a, b) => (isAscending ? 1 : -1) * compare(by(a), by(b))) : rows
}

/** Rows drawn at first; more at a press of a button, so that a page of thousands is there at once. */
const drawnFirst = 200
/** From so many rows on the table scrolls within itself, under its headings. */
const longFrom = 25

export function Table<R>(props: TableProps<R>) {
  const { caption, columns, rows, keyOf, sorted, canSort = true, selection, isDense = false, below, foot } = props
  const [own, setOwn] = useState<Order | undefined>()
  const [drawn, setDrawn] = useState(drawnFirst)
  const order = sorted ?? own
  const column = sorted ? undefined : columns.find((one) => keyOfColumn(one) === own?.key)
  const ordered = sortRows(rows, column, own?.isAscending ?? true)
  const sort = (key: string, of: boolean) =>
    sorted ? sorted.onSort(key, of) : setOwn({ key, isAscending: own?.key === key ? !own.isAscending : !of })
  const place = useTitledFoot(columns)
  // The roles are said: as cards, browsers take them away.
  return (
    <div
      class={`table${rows.length >= longFrom ? ' long' : ''}${isDense ? ' dense' : ''}`}
      tabindex={0}
      role="region"
      aria-label={caption}
    >
      <table class="cards" role="table" ref={place}>
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {selection && <SelectAll selection={selection} rows={ordered.slice(0, drawn)} />}
            {columns.map((one) => (
              <Heading key={keyOfColumn(one)} column={one} order={order} onSort={canSort ? sort : undefined} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {ordered.slice(0, drawn).map((row, at) => (
            <Fragment key={keyOf(row, at)}>
              <tr role="row">
                {selection && <SelectRow selection={selection} row={row} />}
                {columns.map((one) => (
                  <td
                    key={keyOfColumn(one)}
                    role="cell"
                    data-title={one.title}
                    class={isFigure(one) ? 'figure' : one.isLong ? 'long' : ''}
                  >
                    {drawCell(one, row)}
                  </td>
                ))}
              </tr>
              <Below colSpan={columns.length + (selection ? 1 : 0)}>{below?.(row)}</Below>
            </Fragment>
          ))}
        </tbody>
        {foot && <tfoot role="rowgroup">{foot}</tfoot>}
      </table>
      {ordered.length > drawn && (
        <button type="button" class="quiet" onClick={() => setDrawn(drawn + 1000)}>
          Show {Math.min(1000, ordered.length - drawn)} more of {ordered.length}
        </button>
      )}
    </div>
  )
}

const Below = ({ colSpan, children }: { colSpan: number; children?: ComponentChildren }) =>
  children ? (
    <tr role="row" class="below">
      <td role="cell" colSpan={colSpan} class="long">
        {children}
      </td>
    </tr>
  ) : null

interface HeadingProps<R> {
  column: Column<R>
  order: Order | undefined
  onSort: ((key: string, isFigure: boolean) => void) | undefined
}

function Heading<R>({ column, order, onSort }: HeadingProps<R>) {
  const key = keyOfColumn(column)
  const way = order?.key !== key ? undefined : order.isAscending ? 'ascending' : 'descending'
  return (
    <th scope="col" role="columnheader" class={isFigure(column) ? 'figure' : ''} aria-sort={way}>
      {onSort && orderOf(column) ? (
        <button type="button" class="sort" onClick={() => onSort(key, isFigure(column))}>
          {column.title}
          <span aria-hidden="true">{way ? (way === 'ascending' ? ' ↑' : ' ↓') : ''}</span>
        </button>
      ) : (
        column.title
      )}
    </th>
  )
}

/** Cells of the foot are the caller's: as cards they are under the same titles. */
function useTitledFoot<R>(columns: readonly Column<R>[]) {
  const place = useRef<HTMLTableElement>(null)
  useEffect(() => {
    for (const row of place.current?.tFoot?.rows ?? []) {
      row.setAttribute('role', 'row')
      let at = 0
      for (const cell of row.cells) {
        cell.setAttribute('role', 'cell')
        cell.dataset['title'] = columns[at]?.title ?? ''
        at += cell.colSpan
      }
    }
  })
  return place
}

export interface PagesProps {
  page: number
  onPage: (page: number) => void
  limit?: number
  total?: number
  /** Whether there is another page, where nobody counts them. */
  hasMore?: boolean
}

export function Pages({ page, limit = 1, total, hasMore, onPage }: PagesProps) {
  const last = total === undefined ? page + Number(hasMore) : Math.max(1, Math.ceil(total / limit))
  if (total !== undefined && last === 1) return null
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span class="faint">
        {total === undefined
          ? `page ${page}`
          : `${(page - 1) * limit + 1}–${Math.min(total, page * limit)} of ${total}`}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  )
}
