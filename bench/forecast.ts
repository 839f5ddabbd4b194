/**
 * How near forecasts of recorded daily costs come, beside what anybody would say without a product: last month's same day, a straight
 * line, the mean of 28 days. One table; the series where one of these does better are listed. Then the time of one forecast.
 * Usage: npm run -s bench -- forecast [--series] [--loads]
 * `--series`: each series too. `--loads`: the same over recorded loads of systems, which the constants were chosen by.
 * Needs the recorded series (TIDEMARK_DATA). About a minute.
 */
import { parseArgs } from 'node:util'
import {
  measured,
  medianOf,
  recordedCosts,
  recordedLoads,
  ways,
  type Measured,
  type Way,
} from '#test/real/forecast/measure.ts'
import { data } from '#test/real/data.ts'
import { say } from './harness/stage.ts'

const { values } = parseArgs({
  options: { series: { type: 'boolean', default: false }, loads: { type: 'boolean', default: false } },
})
const titles: Record<Way, string> = {
  ours: 'ours',
  last_month: 'same day last month',
  straight_line: 'straight line of 28 days',
  mean_of_28_days: 'mean of 28 days',
}
if (data) report(values.loads ? recordedLoads(data) : recordedCosts(data))
else say('The recorded series are not here: set TIDEMARK_DATA to their folder.')
process.exit(0)

function report(series: ReturnType<typeof recordedCosts>): void {
  const began = performance.now()
  const all = [...series].map(([name, daily]) => measured(name, daily))
  const took = performance.now() - began
  const forecasts = all.reduce((sum, one) => sum + one.forecasts, 0)
  say(
    `${all.length} recorded series, ${forecasts} forecasts of the rest of a month, ${(took / forecasts).toFixed(1)} ms each`,
  )
  say(`${''.padEnd(26)}  median MASE  median MAPE  days in band  rests of months in band`)
  for (const way of ways) {
    const figures = [
      medianOf(all, (one) => one.mase[way]).toFixed(3),
      `${medianOf(all, (one) => one.mape[way]).toFixed(1)} %`,
    ]
    const held = way === 'ours' ? [medianOf(all, (one) => one.held), medianOf(all, (one) => one.heldRests)] : []
    say(
      [
        titles[way].padEnd(26),
        figures[0]!.padStart(11),
        figures[1]!.padStart(11),
        ...held.map((one) => `${one.toFixed(0)} %`.padStart(12)),
      ].join('  '),
    )
  }
  for (const one of all) {
    const better = ways.filter((way) => one.mase[way] < one.mase.ours)
    if (better.length > 0 || values.series) say(line(one, better))
  }
}

function line({ name, days, mase, held, heldRests }: Measured, better: readonly Way[]): string {
  const figures = ways.map((way) => `${titles[way]} ${mase[way].toFixed(3)}`).join(', ')
  const said = better.length > 0 ? `we lose to ${better.map((way) => titles[way]).join(', ')}` : 'we win'
  return `${name}, ${days} days: ${said}; MASE: ${figures}; in band ${held.toFixed(0)} % of days, ${heldRests.toFixed(0)} % of rests`
}
