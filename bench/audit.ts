/**
 * Recommendation rules over resources, each part compared in the same run with the minimum it needs. In memory: (a)
 * twenty compiled rules against hand-written functions, (b) all rules against the evaluator of their language, if
 * installed, (c) 100,000 resources by all their rules. Through streams and stores: (d) a sweep over an organization
 * with two weeks of hourly samples, against collecting, evaluating and inserting the same without actors; (e)
 * discoveries at a steady rate: until the end of the turn that evaluated them, and for unused disks until the list
 * shows the recommendation; (f) discoveries per second with and without audits and tags.
 * Usage: npm run -s bench -- audit [--resources 20000] [--memory 100000] [--rate 200] [--seconds 20] [--discovered 10000] [--rounds 3]
 *   [--trials 9] [--only memory,sweep,latency,discovery]
 */
import { parseArgs } from 'node:util'
import { audited, swept } from './harness/audit-sweep.ts'
import { latencies } from './harness/audit-latency.ts'
import { discoveries } from './harness/discovering.ts'
import { againstHand, againstReference, inMemory } from './harness/rule-loop.ts'
import { figure, goal, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: '20000' },
    memory: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
    discovered: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    trials: { type: 'string', default: '9' },
    only: { type: 'string', default: 'memory,sweep,latency,discovery' },
  },
})
const parts = new Set(values.only.split(','))
const trials = Number(values.trials)

if (parts.has('memory')) {
  againstHand(20_000, trials)
  await againstReference(trials)
  inMemory(Number(values.memory), Math.min(3, trials))
}
if (['sweep', 'latency', 'discovery'].some((part) => parts.has(part))) await withStores()
process.exit(0)

async function withStores(): Promise<void> {
  const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', INGEST_MESSAGES_PER_MINUTE: '0' } })
  if (parts.has('sweep')) await swept(set, Number(values.resources))
  if (parts.has('latency')) await latencies(set, { rate: Number(values.rate), seconds: Number(values.seconds) })
  if (parts.has('discovery')) await discover(set)
  await set.close()
}

async function discover(set: Awaited<ReturnType<typeof stage>>): Promise<void> {
  const c = await set.open()
  const rows = Number(values.discovered)
  const how = { rows, around: false, rounds: Number(values.rounds), without: ['tagging', ...audited] }
  const { first, again } = await discoveries(set, c, how)
  for (const [phase, { rate, ratio }] of [['new', first] as const, ['found again', again] as const]) {
    say(`${figure(rows)} resources, ${phase}: ${figure(rate)} a second with audits and tags`)
    goal('audit', `f  ${phase}, of discoveries without audits and tags`, ratio, { min: 0.8 })
  }
  await c.close()
}
