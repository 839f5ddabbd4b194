/** A chart with its legend; the same values as a table, as a picture and as a file. */
import { signal, type Signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { csvOf } from '../csv.ts'
import { usd, usdShort } from '../figure.ts'
import { fileNameOf, saveFile } from '../save-file.ts'
import { chartRows } from './export.ts'
import { Legend } from './legend.tsx'
import { Plot } from './plot.tsx'
import { drawnChart, type ChartProps } from './props.ts'
import { ValueTable } from './value-table.tsx'

/** The period that charts with the same name point at. */
const shared = new Map<string, Signal<number | undefined>>()

function usePointed(sync: string | undefined): Signal<number | undefined> {
  const [own] = useState(() => signal<number | undefined>(undefined))
  if (sync === undefined) return own
  if (!shared.has(sync)) shared.set(sync, signal<number | undefined>(undefined))
  return shared.get(sync)!
}

export function ChartFigure(given: ChartProps) {
  const props = { show: usd, showShort: usdShort, name: String, ...given }
  const { title, periods, sync, name } = props
  const [isTable, setTable] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [picture, setPicture] = useState<(() => Promise<Blob>) | undefined>()
  const pointed = usePointed(sync)
  const chart = drawnChart(props, hidden)
  const at = sync === undefined || isTable ? undefined : pointed.value
  const save = (content: Blob, kind: string) => saveFile(content, `${fileNameOf(title)}.${kind}`)
  return (
    <figure class="chart" aria-label={title}>
      {isTable ? (
        <ValueTable {...chart} />
      ) : (
        <Plot chart={chart} pointed={pointed} onPicture={(take) => setPicture(() => take)} />
      )}
      <figcaption>
        {at !== undefined && <strong class="chart-at">{name(periods[at] ?? '')}</strong>}
        <Legend {...props} hidden={hidden} onHidden={setHidden} at={at} />
        <span class="chart-tools">
          <button type="button" class="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Chart' : 'Table'}
          </button>
          {!isTable && picture && (
            <button
              type="button"
              class="quiet"
              aria-label={`Save ${title} as PNG`}
              onClick={() => picture().then((content) => save(content, 'png'))}
            >
              PNG
            </button>
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Save ${title} as CSV`}
            onClick={() => save(new Blob([csvOf(chartRows(chart))], { type: 'text/csv' }), 'csv')}
          >
            CSV
          </button>
        </span>
      </figcaption>
    </figure>
  )
}
