/**
 * Whether all reports agree: random filters over random organizations, every report of each against sums computed from
 * only the bill lines and the rows of claims, to the last decimal (test/http/report/random.ts). Prints the differences
 * found and the time.
 * Usage: npm run -s bench -- sums [--filters 1000] [--organizations 10] [--seed sums]
 */
import { parseArgs } from 'node:util'
import { randomFilters } from '#test/http/report/random.ts'
import { figure, goal, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    filters: { type: 'string', default: '1000' },
    organizations: { type: 'string', default: '10' },
    seed: { type: 'string', default: 'sums' },
  },
})
const [filters, organizations] = [Number(values.filters), Number(values.organizations)]

const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const connections = await set.open()
const began = performance.now()
let [checks, met, differences] = [0, 0, 0]
for (let n = 0; n < organizations; n++) {
  const some = Math.ceil((filters * (n + 1)) / organizations) - Math.ceil((filters * n) / organizations)
  const outcome = await randomFilters(connections.clickhouse, `${values.seed} ${n}`, some)
  checks += outcome.checks
  met += outcome.met
  differences += outcome.differences.length
  for (const difference of outcome.differences.slice(0, 20)) say(difference)
  say(`organization ${n}: ${figure(some)} filters, ${figure(outcome.checks)} comparisons`)
}
const seconds = (performance.now() - began) / 1000
say(`${figure(filters)} filters over ${figure(organizations)} organizations, ${figure(met)} of them met lines`)
say(`${figure(checks)} comparisons in ${figure(seconds)} s`)
goal('sums', 'differences', differences, { max: 0 })
await connections.close()
await set.close()
process.exit(differences === 0 ? 0 : 1)
