/**
 * A list of a view: its panel, filters, columns, order, pages and CSV, and what shows while it loads, fails or is empty. What is
 * filtered, sorted and turned to is in the address; columns and row height are remembered. Rows stay while they are requested again.
 */
import { param, change } from '../../router.ts'
import { Copies } from '../copy.tsx'
import { Panel } from '../panel.tsx'
import { Empty, ReportContent } from '../report-content.tsx'
import { Pages, Table } from '../table.tsx'
import { Filters } from './filters.tsx'
import { ListOptions } from './options.tsx'
import { BulkBar, useSelection } from './selection.tsx'
import { useList, type ListState, type ListViewProps, type RowOf } from './use-list.ts'

export function ListView<D, R = RowOf<D>>(props: ListViewProps<D, R>) {
  const { title, about, tools, sql, report, columns, filters = [], intro, bones = 5, children } = props
  const list = useList(props)
  return (
    <Panel
      title={title}
      about={about}
      tools={
        <>
          {tools}
          {list.rows.length > 0 && (
            <ListOptions
              title={title}
              columns={columns}
              choices={list.choices}
              set={list.setChoices}
              onCsv={list.save}
            />
          )}
          <Copies report={report} sql={sql} />
        </>
      }
    >
      {intro}
      {filters.length > 0 && <Filters filters={filters} />}
      <ReportContent report={report} rows={bones}>
        {(answer: D) => (
          <>
            {props.summary?.(answer)}
            {list.rows.length === 0 ? (
              <Nothing {...props} total={list.total} />
            ) : (
              <Body {...props} list={list} answer={answer} />
            )}
          </>
        )}
      </ReportContent>
      {children}
    </Panel>
  )
}

const idOf = (row: unknown): string => (row as { id: string }).id

interface BodyProps<D, R> extends ListViewProps<D, R> {
  list: ListState<R>
  answer: D
}

function Body<D, R>(props: BodyProps<D, R>) {
  const { list, answer, bulk, keyOf = idOf, hasMore, pageSize, pageName = 'page' } = props
  const { rows, total } = list
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
        caption={props.caption ?? props.title}
        columns={list.shown}
        rows={rows}
        keyOf={keyOf}
        sorted={list.order}
        canSort={list.order !== undefined}
        selection={bulk && selection}
        isDense={list.choices.isDense}
        below={props.below}
        foot={list.isWhole && props.foot}
      />
      {hasMore ? (
        <Pages page={page} onPage={turn} hasMore={hasMore(answer)} />
      ) : (
        pageSize && <Pages page={page} limit={pageSize} total={total} onPage={turn} />
      )}
    </>
  )
}

function Nothing<D, R>({ noun, filters = [], narrowedBy = [], empty, pageName = 'page', total }: NothingProps<D, R>) {
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
  const names = [...filters.map(({ name }) => name), ...narrowedBy]
  if (names.some((name) => param(name)))
    return (
      <Empty title={`No ${noun} match these filters.`}>
        <p>
          <button
            type="button"
            onClick={() => change({ [pageName]: null, ...Object.fromEntries(names.map((name) => [name, null])) })}
          >
            Show all {noun}
          </button>
        </p>
      </Empty>
    )
  return 'whole' in empty ? <>{empty.whole}</> : <Empty title={empty.title}>{empty.children}</Empty>
}

type NothingProps<D, R> = ListViewProps<D, R> & { total: number }
