/** What a list shows: its rows in their order, its columns as a person has chosen them, and both as a file. */
import type { ComponentChildren } from 'preact'
import { param, change } from '../../router.ts'
import type { Report } from '../../report.ts'
import { sortRows, type TableProps } from '../table.tsx'
import { csvOf, keyOfColumn, type Column } from './column.tsx'
import { useListChoices } from './choices.ts'
import { csvText, saveFile } from './csv.ts'
import type { ListFilter } from './filters.tsx'

/** Rows of an answer: it is a list, or has one as `items`. */
export type RowOf<D> = D extends readonly (infer R)[] ? R : D extends { items: readonly (infer R)[] } ? R : never

interface Bulk<R> {
  /** What a row is called, for who hears its box. */
  nameOf: (row: R) => string
  /** Rows that cannot be chosen have no box. */
  canChoose?: (row: R) => boolean
  /** Buttons for what is done with the chosen rows. */
  actions: (rows: readonly R[], clear: () => void) => ComponentChildren
}

export interface ListViewProps<D, R> {
  title: string
  /** What the rows are, in the plural and small: budgets. */
  noun: string
  /** Of the table; left out: the heading. */
  caption?: string
  about?: ComponentChildren
  tools?: ComponentChildren
  sql?: string | undefined
  report: Report<D>
  /** Rows of the answer; left out: all. */
  rows?: (data: D) => readonly R[]
  keyOf?: (row: R) => string
  columns: readonly Column<R>[]
  filters?: readonly ListFilter[]
  /** Parameters of the address that narrow the list and have no filter here: the empty state takes them away. */
  narrowedBy?: readonly string[]
  /** Rows on a page, where the API has pages. */
  pageSize?: number
  /** The parameter of the address, where a view has several lists with pages. */
  pageName?: string
  /** Whether there is another page, where the API counts none. */
  hasMore?: (data: D) => boolean
  /** The API's order, where it sorts. */
  sorted?: TableProps<R>['sorted']
  /** What is there before the first row: a sentence, and what to do next. */
  empty: { title: string; children?: ComponentChildren } | { whole: ComponentChildren }
  bulk?: Bulk<R> | undefined
  /** Below the heading. */
  intro?: ComponentChildren
  /** Between the heading and the rows, of what was answered. */
  summary?: (data: D) => ComponentChildren
  /** What is open below a row. */
  below?: TableProps<R>['below']
  /** Rows of the foot: shown while no column is hidden. */
  foot?: ComponentChildren
  bones?: number
  children?: ComponentChildren
}

const rowsOf = <D, R>(data: D): readonly R[] => (Array.isArray(data) ? data : (data as { items: readonly R[] }).items)

const totalOf = <D>({ data, total }: Report<D>): number => total ?? (data as { total?: number } | undefined)?.total ?? 0

/** The order of the rows that are there, in the address. */
function useOrder<R>(noun: string): NonNullable<TableProps<R>['sorted']> {
  const name = `order.${noun.replaceAll(' ', '-')}`
  const [, minus, key = ''] = /^(-?)(.*)$/s.exec(param(name) ?? '') ?? []
  const onSort = (to: string, isFigure: boolean) => {
    const isAscending = to === key ? minus !== '' : !isFigure
    change({ [name]: isAscending ? to : `-${to}` }, { replace: true })
  }
  return { key, isAscending: minus === '', onSort }
}

export function useList<D, R>({ noun, report, columns, rows: readRows = rowsOf<D, R>, sorted }: ListViewProps<D, R>) {
  const [choices, setChoices] = useListChoices(noun)
  const found = report.data === undefined ? [] : readRows(report.data)
  const total = Math.max(totalOf(report), found.length)
  const own = useOrder<R>(noun)
  // Of one page of several there is no order: it would be of that page alone.
  const order = sorted ?? (found.length >= total ? own : undefined)
  const column = sorted ? undefined : columns.find((one) => keyOfColumn(one) === order?.key)
  const rows = sortRows(found, column, order?.isAscending ?? true)
  const shown = columns.filter((one, at) => at === 0 || one.isAction || !choices.hidden.includes(keyOfColumn(one)))
  const save = () => {
    const written = shown.filter(({ isAction }) => !isAction)
    const lines = rows.map((row) => written.map((one) => csvOf(one, row)))
    saveFile(`${noun.replaceAll(' ', '-')}.csv`, csvText([written.map(({ title }) => title), ...lines]))
  }
  return { rows, total, order, shown, choices, setChoices, save, isWhole: shown.length === columns.length }
}
export type ListState<R> = Omit<ReturnType<typeof useList<unknown, R>>, 'setChoices' | 'save'>
