/**
 * Accuracy of forecasts of recorded daily costs, compared with simple predictions: the same day last month, a straight
 * line, the mean of 28 days. Prints one table, and the series on which one of these is better.
 * Usage: npm run -s bench -- forecast [--series] [--loads | --demo]
 * `--series`: each series too. `--loads`: the same over recorded system loads, by which the constants were chosen. `--demo`: over the
 * daily costs of the demo organization. Needs the recorded series (TIDEMARK_DATA), except `--demo`. Takes about a minute.
 */
import { parseArgs } from 'node:util'
import { sum } from '#analytics/forecast/forecast.ts'
import { median } from '#analytics/forecast/level.ts'
import {
  demoCosts,
  heldEach,
  heldOf,
  measured,
  medianOf,
  recordedCosts,
  recordedLoads,
  ways,
  type Measured,
  type Way,
} from '#test/real/forecast/measure.ts'
import { data } from '#test/real/data.ts'
import { figure, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    series: { type: 'boolean', default: false },
    loads: { type: 'boolean', default: false },
    demo: { type: 'boolean', default: false },
  },
})
const titles: Record<Way, string> = {
  ours: 'ours',
  last_month: 'same day last month',
  straight_line: 'straight line of 28 days',
  mean_of_28_days: 'mean of 28 days',
}
if (values.demo) report(await demoCosts('2026-11-28'))
else if (data) report(values.loads ? recordedLoads(data) : recordedCosts(data))
else say('The recorded series are not here: set TIDEMARK_DATA to their folder.')
process.exit(0)

function report(series: ReturnType<typeof recordedCosts>): void {
  const began = performance.now()
  const all = [...series].map(([name, daily]) => measured(name, daily))
  const took = performance.now() - began
  const forecasts = sum(all.map((one) => one.forecasts))
  say(`${all.length} series, ${forecasts} forecasts of the rest of a month, ${figure(took / forecasts)} ms each`)
  say(`${''.padEnd(25)}  median MASE  median MAPE  days in band  rests of months in band`)
  for (const way of ways) {
    const mase = medianOf(all, (one) => one.mase[way]).toFixed(3)
    const mape = `${medianOf(all, (one) => one.mape[way]).toFixed(1)} %`
    const held = way === 'ours' ? [heldIn(all, (one) => one.held), heldIn(all, (one) => one.heldRests)] : []
    say(
      [titles[way].padEnd(25), mase.padStart(11), mape.padStart(11), ...held.map((one) => one.padStart(12))].join('  '),
    )
  }
  for (const one of all) {
    const better = ways.filter((way) => one.mase[way] < one.mase.ours)
    if (better.length > 0 || values.series) say(line(one, better))
  }
}

/** Of all bands together; between the series. */
function heldIn(all: readonly Measured[], pick: (one: Measured) => readonly number[]): string {
  const each = heldEach(all, pick)
  return `${heldOf(all, pick).toFixed(0)} % (median of series ${median(each).toFixed(0)} %, ${Math.min(...each).toFixed(0)} to ${Math.max(...each).toFixed(0)} %)`
}

function line(one: Measured, better: readonly Way[]): string {
  const figures = ways.map((way) => `${titles[way]} ${one.mase[way].toFixed(3)}`).join(', ')
  const said = better.length > 0 ? `we lose to ${better.map((way) => titles[way]).join(', ')}` : 'we win'
  return `${one.name}, ${one.days} days: ${said}; MASE: ${figures}; ${heldOf([one], (series) => series.held).toFixed(0)} % of days in band`
}
