/**
 * A list of a view: its panel, filters, columns, order, pages and CSV, and what shows while it loads, fails or is empty. What is
 * filtered, sorted and turned to is in the address; columns and row height are remembered. Rows stay while they are requested again.
 */
import type { ComponentChildren } from 'preact'
import { param, change } from '../../router.ts'
import type { Report } from '../../report.ts'
import { Copies } from '../copy.tsx'
import { Panel } from '../panel.tsx'
import { Empty, ReportContent } from '../report-content.tsx'
import { Pages, sortRows, Table, type TableProps } from '../table.tsx'
import { csvOf, keyOfColumn, type Column } from './column.tsx'
import { useListChoices } from './choices.ts'
import { csvText, saveFile } from './csv.ts'
import { clearFilters, Filters, isNarrowed, type ListFilter } from './filters.tsx'
import { ListOptions } from './options.tsx'
import { BulkBar, useSelection } from './selection.tsx'

/** Rows of an answer: it is a list, or has one as `items`. */
export type RowOf<D> = D extends readonly (infer R)[] ? R : D extends { items: readonly (infer R)[] } ? R : never

export interface Bulk<R> {
  /** What a row is called, for who hears its box. */
  nameOf: (row: R) => string
  /** Rows that cannot be chosen have no box. */
  canChoose?: (row: R) => boolean
  /** Buttons for what is done with the chosen rows. */
  actions: (rows: readonly R[], clear: () => void) => ComponentChildren
}

export interface ListViewProps<D, R> {
  /** The heading. Undefined: without a panel of its own. */
  title?: string | undefined
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
  /** Other things that narrow the list, which the empty state then mentions. */
  isFiltered?: boolean
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
  /** Rows of the foot: shown while no column is hidden. */
  foot?: ComponentChildren
  bones?: number
  children?: ComponentChildren
}

const rowsOf = <D, R>(data: D): readonly R[] => (Array.isArray(data) ? data : (data as { items: readonly R[] }).items)
const idOf = (row: unknown): string => (row as { id: string }).id

export function ListView<D, R = RowOf<D>>(props: ListViewProps<D, R>) {
  const { title, noun, about, tools, sql, report, columns, filters = [], intro, bones = 5, children } = props
  const [choices, setChoices] = useListChoices(noun)
  const { data } = report
  const rows = data === undefined ? [] : (props.rows ?? rowsOf<D, R>)(data)
  const total = Math.max(totalOf(report) ?? 0, rows.length)
  const own = useOrder<R>(noun)
  // Of one page of several there is no order: it would be of that page alone.
  const canSort = props.sorted !== undefined || rows.length >= total
  const order = props.sorted ?? (canSort ? own : undefined)
  const sorted = props.sorted
    ? rows
    : sortRows(
        rows,
        columns.find((one) => keyOfColumn(one) === order?.key),
        order?.isAscending ?? true,
      )
  const shown = columns.filter((one, at) => at === 0 || one.isAction || !choices.hidden.includes(keyOfColumn(one)))
  const save = () => {
    const written = shown.filter(({ isAction }) => !isAction)
    const lines = sorted.map((row) => written.map((one) => csvOf(one, row)))
    saveFile(`${noun.replaceAll(' ', '-')}.csv`, csvText([written.map((one) => one.title), ...lines]))
  }
  const content = (
    <>
      {intro}
      {filters.length > 0 && <Filters filters={filters} />}
      <ReportContent report={report} rows={bones}>
        {(answer: D) => (
          <>
            {props.summary?.(answer)}
            {rows.length === 0 ? (
              <Nothing {...props} total={total} />
            ) : (
              <Body
                {...props}
                foot={choices.hidden.length === 0 && props.foot}
                rows={sorted}
                columns={shown}
                sorted={order}
                canSort={canSort}
                total={total}
                isDense={choices.isDense}
                answer={answer}
              />
            )}
          </>
        )}
      </ReportContent>
      {children}
    </>
  )
  if (title === undefined) return content
  const options = rows.length > 0 && (
    <ListOptions title={title} columns={columns} choices={choices} set={setChoices} onCsv={save} />
  )
  return (
    <Panel
      title={title}
      about={about}
      tools={
        <>
          {tools}
          {options}
          <Copies report={report} sql={sql} />
        </>
      }
    >
      {content}
    </Panel>
  )
}

const totalOf = <D,>({ data, total }: Report<D>): number | undefined =>
  total ?? (data as { total?: number } | undefined)?.total

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

interface BodyProps<D, R> extends Omit<ListViewProps<D, R>, 'rows' | 'sorted'> {
  rows: readonly R[]
  sorted: TableProps<R>['sorted']
  canSort: boolean
  total: number
  isDense: boolean
  answer: D
}

function Body<D, R>({
  rows,
  bulk,
  keyOf = idOf,
  hasMore,
  pageSize,
  pageName = 'page',
  total,
  answer,
  ...props
}: BodyProps<D, R>) {
  const { selection, clear } = useSelection<R>({ keyOf, nameOf: keyOf, canChoose: () => true, ...bulk })
  const chosen = bulk ? rows.filter(selection.isChosen) : []
  const page = Number(param(pageName) ?? 1)
  const turn = (to: number) => change({ [pageName]: to === 1 ? null : to })
  return (
    <>
      {bulk && (
        <BulkBar chosen={chosen.length} clear={clear}>
          {bulk.actions(chosen, clear)}
        </BulkBar>
      )}
      <Table
        caption={props.caption ?? props.title ?? props.noun}
        columns={props.columns}
        rows={rows}
        keyOf={keyOf}
        sorted={props.sorted}
        canSort={props.canSort}
        selection={bulk && selection}
        isDense={props.isDense}
        foot={props.foot}
      />
      {hasMore ? (
        <Pages page={page} onPage={turn} hasMore={hasMore(answer)} />
      ) : (
        pageSize && <Pages page={page} limit={pageSize} total={total} onPage={turn} />
      )}
    </>
  )
}

function Nothing<D, R>({
  noun,
  filters = [],
  isFiltered = false,
  empty,
  pageName = 'page',
  total,
}: ListViewProps<D, R> & { total: number }) {
  if (total > 0 && Number(param(pageName) ?? 1) > 1)
    return (
      <Empty title="This page does not exist.">
        <p>
          <button type="button" onClick={() => change({ [pageName]: null })}>
            Go to first page
          </button>
        </p>
      </Empty>
    )
  if (!isNarrowed(filters) && !isFiltered)
    return 'whole' in empty ? <>{empty.whole}</> : <Empty title={empty.title}>{empty.children}</Empty>
  return (
    <Empty title={`No ${noun} match these filters.`}>
      {filters.length > 0 && (
        <p>
          <button type="button" onClick={() => clearFilters(filters)}>
            Show all {noun}
          </button>
        </p>
      )}
    </Empty>
  )
}
