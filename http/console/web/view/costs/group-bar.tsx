/** By what costs are divided, in which steps of time, and as which drawing. */
import { useState } from 'preact/hooks'
import { dimensions, isTag, titleOf } from '../../filter-dimension.ts'
import { dimsMax } from '../../filter.ts'
import { change } from '../../router.ts'
import { useReport } from '../../report.ts'
import { canForecast } from './forecast.ts'
import { granularities } from '../../range.ts'
import { shapes, type CostsQuery } from './query.ts'

const shapeTitles = { bars: 'Bars', lines: 'Lines', flow: 'Flow' }
const stepTitles = { daily: 'day', weekly: 'week', monthly: 'month' }
const places = ['Group by', 'then by', 'and by']

export function GroupBar({ now }: { now: CostsQuery }) {
  const { dims, granularity, shape, of, isCumulative } = now
  const [isNear, setNear] = useState(false)
  const { from, to, cost, asOf } = of
  // Keys of tags are asked for when somebody is about to choose.
  const keys = useReport('GET /reports/tags', { query: { from, to, cost, asOf, limit: 100 }, when: isNear })
  const tags = [
    ...new Set([...dims.filter(isTag), ...(keys.data?.items ?? []).map(({ tagKey }) => `tag:${tagKey}`)]),
  ].filter((dim) => !dim.includes(','))
  const near = () => setNear(true)
  const set = (at: number) => (event: Event) => {
    const dim = (event.target as HTMLSelectElement).value
    const next = [...dims.slice(0, at), ...(dim === '' ? [] : [dim]), ...dims.slice(at + 1)]
    change({ dims: [...new Set(next)], page: null, top: null, sort_by: null, sort_order: null })
  }
  return (
    <div class="bar" onPointerEnter={near} onFocusIn={near}>
      {places.slice(0, Math.min(dimsMax, dims.length + 1)).map((place, at) => (
        <label key={place}>
          {place}{' '}
          <select onChange={set(at)}>
            {(at > 0 || dims.length > 1) && <option value="">–</option>}
            {dimensions.map(({ name, title }) => (
              <option
                key={name}
                value={name}
                selected={name === dims[at]}
                disabled={name !== dims[at] && dims.includes(name)}
              >
                {title}
              </option>
            ))}
            {tags.length > 0 && (
              <optgroup label="Tags">
                {tags.map((dim) => (
                  <option
                    key={dim}
                    value={dim}
                    selected={dim === dims[at]}
                    disabled={dim !== dims[at] && dims.includes(dim)}
                  >
                    {titleOf(dim)}
                  </option>
                ))}
              </optgroup>
            )}
          </select>
        </label>
      ))}
      <label>
        each{' '}
        <select onChange={(event: Event) => change({ granularity: (event.target as HTMLSelectElement).value })}>
          {granularities.map((one) => (
            <option key={one} value={one} selected={one === granularity}>
              {stepTitles[one]}
            </option>
          ))}
        </select>
      </label>
      <span class="shapes" role="group" aria-label="Chart type">
        {shapes.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={one === shape}
            onClick={() => change({ show: one === 'bars' ? null : one })}
          >
            {shapeTitles[one]}
          </button>
        ))}
      </span>
      {shape !== 'flow' && (
        <button
          type="button"
          aria-pressed={isCumulative}
          onClick={() => change({ sum: isCumulative ? null : 'running' })}
        >
          Cumulative
        </button>
      )}
      {canForecast(now) && (
        <button
          type="button"
          aria-pressed={now.hasForecast}
          onClick={() => change({ forecast: now.hasForecast ? null : 'month' })}
        >
          Forecast
        </button>
      )}
    </div>
  )
}
