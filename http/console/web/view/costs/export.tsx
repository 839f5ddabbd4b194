/** What is shown, as a file: the table, all groups and periods, or every line of the bills behind them. */
import { useState } from 'preact/hooks'
import { downloadFile } from '../../api.ts'
import { csvOf, type Cell } from '../../csv.ts'
import { dimOf, ofClusters, plainQuery } from '../../filter.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { useRequest } from '../../report.ts'
import { saveFile } from '../../save-file.ts'
import type { CostsQuery } from './query.ts'

const stepOf = { daily: 'date', weekly: 'date', monthly: 'month' }

/** The body of an export of these groups and periods; undefined where exports cannot be narrowed so. */
function exportBody({ period, chips, of, dims, granularity }: CostsQuery): Record<string, unknown> | undefined {
  const narrowed = plainQuery(chips)
  if (narrowed === undefined || of['asOf'] !== undefined) return undefined
  return {
    report: 'costs',
    format: 'csv',
    dimensions: [...dims, stepOf[granularity]],
    ...period,
    ...(of['cost'] !== undefined && { cost: of['cost'] }),
    ...narrowed,
  }
}

export interface ExportProps {
  now: CostsQuery
  /** The table as it is shown; left out where it is a page of many. */
  table?: (() => readonly (readonly Cell[])[]) | undefined
}

/** A link is for what was shown when it was created: other groups start again. */
export const Export = (props: ExportProps) => (
  <Files key={JSON.stringify([props.now.of, props.now.dims, props.now.granularity])} {...props} />
)

function Files({ now, table }: ExportProps) {
  const body = exportBody(now)
  const made = useRequest('POST /reports/export')
  const [problem, setProblem] = useState<Problem | undefined>()
  const lines = () => {
    setProblem(undefined)
    downloadFile(
      'GET /reports/receipt',
      { query: { ...now.of, format: 'csv' } },
      `lines_${now.period.from}_${now.period.to}.csv`,
    ).catch((error: unknown) => setProblem(problemOf(error)))
  }
  const groups = async () => {
    const link = await made.run({ body })
    if (link) location.assign(link.downloadURL)
  }
  const name = `costs_${now.period.from}_${now.period.to}`
  const wrong = problem ?? made.problem
  const hasLines = !now.chips.some((chip) => ofClusters.includes(dimOf(chip)))
  return (
    <span class="exports">
      {table && (
        <button
          type="button"
          class="quiet"
          onClick={() => saveFile(new Blob([csvOf(table())], { type: 'text/csv' }), `${name}.csv`)}
          title="This table as it is shown"
        >
          CSV
        </button>
      )}
      {body && (
        <button
          type="button"
          class="quiet"
          disabled={made.isBusy}
          onClick={groups}
          title="All groups and periods, including those not shown"
        >
          {made.isBusy ? 'Exporting…' : 'All groups as CSV'}
        </button>
      )}
      {hasLines && (
        <button type="button" class="quiet" onClick={lines} title="Every billing line behind these figures">
          Lines as CSV
        </button>
      )}
      {made.done && (
        <>
          <a href={made.done.downloadURL} download>
            Download
          </a>{' '}
          <span class="faint">the link works for 15 minutes</span>
        </>
      )}
      {wrong && (
        <span class="note bad" role="alert">
          {wrong.message}
        </span>
      )}
    </span>
  )
}
