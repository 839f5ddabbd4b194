/**
 * How good and how fast detection of anomalies is. What the daily rule records of labelled series, and what people are notified of
 * with recurring anomalies and without, beside candidates that the product does not have; causes planted by chance, and how many of them are named right; the time of one detection over a large
 * organization against a bare scan of the same sums.
 * Usage: npm run -s bench -- anomaly [--planted 50] [--seed 1] [--resources 50000] [--trials 5]
 * Without the recorded series (TIDEMARK_DATA) the first part is left out. About four minutes, most of them for loading.
 */
import { parseArgs } from 'node:util'
import { findAnomalies, type DetectTools } from '#actors/anomaly/detect.ts'
import { run } from '#analytics/store/query.ts'
import { Fault } from '#engine/value/fault.ts'
import { detectTools } from '#test/harness/detection.ts'
import { namedRight } from '#test/harness/planted/plant.ts'
import { data } from '#test/real/data.ts'
import { detectLabelled, notifiedDays, scoreOf, type Score } from '#test/real/anomaly/labelled.ts'
import { gcpDaily, labelledSeries, sum, total, type Labelled } from '#test/real/anomaly/series.ts'
import { candidates } from './harness/daily-judge.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'
import { loadWide, scan, wide } from './harness/wide-bill.ts'

const { values } = parseArgs({
  options: {
    planted: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    resources: { type: 'string', default: '50000' },
    trials: { type: 'string', default: '5' },
  },
})
/** Bytes of one question that the product allows. */
const memoryMax = 2 ** 32
const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const connections = await set.open()
const { clickhouse } = connections
if (data) await labels(data)
else say('The recorded series are not here: set TIDEMARK_DATA to their folder.')
if (Number(values.planted) > 0) await planted(Number(values.planted))
if (Number(values.resources) > 0) await speed(Number(values.resources), Number(values.trials))
await connections.close()
await set.close()
process.exit(0)

async function labels(folder: string): Promise<void> {
  const labelled = labelledSeries(folder)
  const cost: Labelled = {
    name: 'mybinder',
    daily: total(gcpDaily(folder, 'project')),
    windows: ['2017-12-19', '2018-02-05', '2018-12-04'].map((day) => [day, day] as const),
    expected: { flagged: [], windowsHit: 0, flaggedInsideWindow: 0 },
  }
  const found = await detectLabelled(clickhouse, 'labelled', [...labelled, cost])
  const judges: Record<string, (one: Labelled) => string[]> = {
    'recorded by the daily rule': ({ name }) => found.get(name)!.map(({ date }) => date),
    'notified, recurring too': ({ name, daily }) => notifiedDays(daily, found.get(name)!, false),
    'notified, recurring quiet': ({ name, daily }) => notifiedDays(daily, found.get(name)!, true),
    ...Object.fromEntries(Object.entries(candidates).map(([name, judge]) => [name, (one) => judge(one.daily)])),
  }
  say(`\n${labelled.length} labelled series of real systems, by day; false alarms are flags outside of every label`)
  say(`${' '.repeat(32)}  windows  hit  recall  flags  precision  false a month  delay, days`)
  const months = sum(labelled.map(({ daily }) => daily.size)) / 30
  for (const [name, judge] of Object.entries(judges)) {
    const scores = labelled.map((one) => scoreOf(one, judge(one)))
    say(`${name.padEnd(32)}  ${cells(scores, months).join('  ')}`)
  }
  say('\nCost of a real organization, 383 days: three events are known of it, and nothing of the other days')
  for (const [name, judge] of Object.entries(judges)) {
    const { windows, windowsHit, flagged } = scoreOf(cost, judge(cost))
    say(`${name.padEnd(32)}  ${windowsHit} of ${windows} hit, ${flagged} days flagged`)
  }
}

function cells(scores: readonly Score[], months: number): string[] {
  const of = (pick: (score: Score) => number) => sum(scores.map(pick))
  const [windows, hit] = [of((s) => s.windows), of((s) => s.windowsHit)]
  const [flags, inside] = [of((s) => s.flagged), of((s) => s.flaggedInside)]
  const delays = scores.flatMap((score) => score.delays)
  return [
    figure(windows).padStart(7),
    figure(hit).padStart(3),
    figure(hit / windows).padStart(6),
    figure(flags).padStart(5),
    figure(inside / flags).padStart(9),
    figure((flags - inside) / months).padStart(13),
    figure(sum(delays) / delays.length).padStart(11),
  ]
}

async function planted(count: number): Promise<void> {
  const wanted = { prefix: 'planted', seed: values.seed, count, whole: count }
  const named = await namedRight(clickhouse, wanted)
  say('\ncause                                    planted  named right')
  for (const { kind, planted, right, wrong } of named) {
    say(`${kind.padEnd(40)} ${figure(planted).padStart(7)}  ${figure(right).padStart(11)}`)
    for (const one of wrong.slice(0, 3)) say(`    ${one}`)
  }
}

async function speed(resources: number, trials: number): Promise<void> {
  const orgId = 'wide'
  await loadWide(clickhouse, orgId, resources)
  const asked = new Map<string, number[]>()
  const whole: number[] = []
  const bare: number[] = []
  let found = 0
  for (let trial = -1; trial < trials; trial++) {
    const detected = await timed(() => findAnomalies(watched(memoryMax, asked), orgId, wide.day, 'daily'))
    found = detected.value.length
    const query_params = { org: orgId, from: wide.from, day: wide.day }
    const scanned = await timed(async () => (await clickhouse.query({ query: scan, query_params })).text())
    if (trial < 0) {
      asked.clear()
      continue
    }
    whole.push(detected.ms)
    bare.push(scanned.ms)
  }
  const [ours, ceiling] = [quantile(whole, 0.5), quantile(bare, 0.5)]
  say(
    `\n${figure(resources)} resources of ${wide.accounts} accounts, ${wide.teams} teams and ${wide.teams} groups, ${wide.days} days; ${figure(found)} anomalies`,
  )
  say(
    `one detection: ${figure(ours)} ms; a bare scan of the same sums: ${figure(ceiling)} ms; ratio ${figure(ours / ceiling)}`,
  )
  for (const [name, ms] of asked)
    say(`  ${name.padEnd(20)} ${figure(sum(ms) / trials)} ms in ${ms.length / trials} questions`)
  say(`no question holds more than ${figure((await enough(orgId)) / 2 ** 20)} MiB`)
}

/** Half the bound of a question, again and again, while detection still ends: the server keeps no record of its peaks. */
async function enough(orgId: string): Promise<number> {
  for (let bytes = memoryMax / 2; bytes > 2 ** 20; bytes /= 2) {
    const isEnough = await findAnomalies(watched(bytes, new Map()), orgId, wide.day, 'daily').then(
      () => true,
      (error: unknown) => {
        if (error instanceof Fault && error.code === 'report_too_large') return false
        throw error
      },
    )
    if (!isEnough) return 2 * bytes
  }
  return 2 ** 20
}

/** Detection's tools, with the milliseconds that each question took. */
function watched(bytes: number, asked: Map<string, number[]>): DetectTools {
  return {
    ...detectTools(clickhouse),
    ask: async (q, params) => {
      const bounds = { max_execution_time: 120, max_memory_usage: String(bytes) }
      const { ms, value } = await timed(() => run(clickhouse, q, params, bounds))
      asked.set(q.name, [...(asked.get(q.name) ?? []), ms])
      return value
    },
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const began = performance.now()
  const value = await work()
  return { ms: performance.now() - began, value }
}
