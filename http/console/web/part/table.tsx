/** Rows under headings: figures stand at the right, what is sorted says so, and rows may be many. Where it is narrow each row is a card. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

export interface TableColumn<R> {
  key: string
  title: string
  /** Figures stand at the right. */
  isFigure?: boolean
  /** Sentences: as a card it has a line of its own. */
  isLong?: boolean
  show: (row: R) => ComponentChildren
  /** By what the rows that are there may be sorted; left out: not by this column. */
  by?: (row: R) => number | string
}

export interface TableProps<R> {
  caption: string
  columns: readonly TableColumn<R>[]
  rows: readonly R[]
  keyOf: (row: R, at: number) => string
  /** Sorting that the API does: where it is given, rows are shown as they come. */
  sorted?: { key: string; isAscending: boolean; onSort: (key: string) => void }
  foot?: ComponentChildren
}

type Order = { key: string; isAscending: boolean }

const inOrder = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Rows drawn at first; more at a press of a button, so that a page of thousands is there at once. */
const drawnFirst = 200

export function Table<R>({ caption, columns, rows, keyOf, sorted, foot }: TableProps<R>) {
  const [own, setOwn] = useState<Order | undefined>()
  const [drawn, setDrawn] = useState(drawnFirst)
  const order = sorted ?? own
  const column = sorted ? undefined : columns.find(({ key }) => key === own?.key)
  const ordered = column?.by
    ? rows.toSorted((a, b) => (own!.isAscending ? 1 : -1) * inOrder(column.by!(a), column.by!(b)))
    : rows
  const sort = (key: string, isFigure = false) =>
    sorted ? sorted.onSort(key) : setOwn({ key, isAscending: own?.key === key ? !own.isAscending : !isFigure })
  const place = useTitledFoot(columns)
  // The roles are said: as cards, browsers take them away.
  return (
    <div class="table" tabindex={0} role="region" aria-label={caption}>
      <table class="cards" role="table" ref={place}>
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, title, isFigure, by }) => {
              const isOrder = order?.key === key
              const canSort = by !== undefined
              return (
                <th
                  key={key}
                  scope="col"
                  role="columnheader"
                  class={isFigure ? 'figure' : ''}
                  aria-sort={isOrder ? (order!.isAscending ? 'ascending' : 'descending') : undefined}
                >
                  {canSort ? (
                    <button type="button" class="sort" onClick={() => sort(key, isFigure)}>
                      {title}
                      <span aria-hidden="true">{isOrder ? (order!.isAscending ? ' ↑' : ' ↓') : ''}</span>
                    </button>
                  ) : (
                    title
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {ordered.slice(0, drawn).map((row, at) => (
            <tr role="row" key={keyOf(row, at)}>
              {columns.map(({ key, title, isFigure, isLong, show }) => (
                <td key={key} role="cell" data-title={title} class={isFigure ? 'figure' : isLong ? 'long' : ''}>
                  {show(row)}
                </td>
              ))}
            </tr>
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

/** Cells of the foot are the caller's: as cards they are under the same titles. */
function useTitledFoot<R>(columns: readonly TableColumn<R>[]) {
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
  limit: number
  total: number
  onPage: (page: number) => void
}

export function Pages({ page, limit, total, onPage }: PagesProps) {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1) return null
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span class="faint">
        {(page - 1) * limit + 1}–{Math.min(total, page * limit)} of {total}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  )
}
