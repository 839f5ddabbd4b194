/**
 * What autoscaler policies make of recorded loads, by the what-if of the product: hours of one unit and how long these work more than the
 * target and more than they can, beside a fleet that always is as large as its peak needs, and beside a clairvoyant that has in each
 * minute what that minute needs (the ceiling). Then how fast samples are taken in with policies and without, in turns.
 * Usage: npm run -s bench -- autoscaler [--peak 20] [--target 60] [--cooldown 300] [--min 1] [--policies 1000] [--resources 100000] [--rows 100000] [--rounds 3] [--first] [--only load,ingest]
 * `--first`: with the first sample that each policy hears, by which it comes to its recommendation.
 * Without the recorded series (TIDEMARK_DATA) the first part is left out.
 */
import { parseArgs } from 'node:util'
import { replay, type Minute, type ReplayedTerms } from '#actors/autoscaling/policy/what-if.ts'
import { data } from '#test/real/data.ts'
import { recordings, type Series } from './harness/recorded-load.ts'
import { samplings } from './harness/sampling.ts'
import { figure, goal, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    peak: { type: 'string', default: '20' },
    target: { type: 'string', default: '60' },
    cooldown: { type: 'string', default: '300' },
    min: { type: 'string', default: '1' },
    policies: { type: 'string', default: '1000' },
    resources: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    first: { type: 'boolean', default: false },
    only: { type: 'string', default: 'load,ingest' },
  },
})
const [peak, target] = [Number(values.peak), Number(values.target)]
const parts = new Set(values.only.split(','))
const minuteMs = 60_000

if (parts.has('load')) {
  if (data) loads(data)
  else say('The recorded series are not here: set TIDEMARK_DATA to their folder.')
}
if (parts.has('ingest')) await ingest()
process.exit(0)

/** Hours of one unit; minutes of all. */
interface Sums {
  minutes: number
  policy: number
  fixed: number
  clairvoyant: number
  aboveTarget: number
  aboveFull: number
  writes: number
}

function loads(folder: string): void {
  const terms: ReplayedTerms = {
    min: Number(values.min),
    max: Math.ceil(1.5 * peak),
    targetCpuPercent: target,
    cooldownSeconds: Number(values.cooldown),
    triggers: [],
    adoption: null,
    step: null,
    maxHourlyUsd: null,
  }
  say(
    `Fleets whose peak needs ${peak} units at ${target} %; policies of ${terms.min} to ${terms.max} units, cooldown ${values.cooldown} s`,
  )
  say(
    `${' '.repeat(38)} days  policy h   fixed h  clairv. h  clairv. / policy  policy / fixed  > target  > 100 %  changes a day`,
  )
  const found = recordings(folder).map(({ name, series }) => ({
    name,
    sums: series.map((one) => sumsOf(one, terms)).reduce(added),
  }))
  for (const { name, sums } of found) say(`${name.padEnd(38)} ${cells(sums).join('  ')}`)
  for (const { name, sums } of found) {
    goal('autoscaler', `${name}: hours of the clairvoyant by those of the policy`, sums.clairvoyant / sums.policy, {
      min: 0.6,
    })
    goal('autoscaler', `${name}: minutes above 100 %`, (100 * sums.aboveFull) / sums.minutes, { max: 2 }, ' %')
  }
}

/** The load of each minute, in percent of one unit. */
function loadsOf({ values: recorded, stepMinutes }: Series): number[] {
  const most = Math.max(...recorded)
  return recorded.flatMap((value) => Array.from({ length: stepMinutes }, () => (value / most) * peak * target))
}

function sumsOf(series: Series, terms: ReplayedTerms): Sums {
  const load = loadsOf(series)
  const needed = load.map((one) => Math.ceil(one / target - 1e-9))
  const minutes = load.map((one, n): Minute => ({ at: n * minuteMs, load: one, units: n === 0 ? needed[0]! : null }))
  const made = replay(terms, minutes, null)
  return {
    minutes: load.length,
    policy: made.capacityHours,
    fixed: (needed.reduce((most, one) => Math.max(most, one), 0) * load.length) / 60,
    clairvoyant: needed.reduce((sum, one) => sum + one, 0) / 60,
    aboveTarget: made.hoursAboveTarget * 60,
    aboveFull: made.hoursAboveFull * 60,
    writes: made.writes,
  }
}

function added(a: Sums, b: Sums): Sums {
  return {
    minutes: a.minutes + b.minutes,
    policy: a.policy + b.policy,
    fixed: a.fixed + b.fixed,
    clairvoyant: a.clairvoyant + b.clairvoyant,
    aboveTarget: a.aboveTarget + b.aboveTarget,
    aboveFull: a.aboveFull + b.aboveFull,
    writes: a.writes + b.writes,
  }
}

function share(part: number, whole: number): string {
  return `${figure((100 * part) / whole)} %`
}

function cells({ minutes, policy, fixed, clairvoyant, aboveTarget, aboveFull, writes }: Sums): string[] {
  const days = minutes / 1440
  return [
    figure(days).padStart(5),
    figure(policy).padStart(8),
    figure(fixed).padStart(8),
    figure(clairvoyant).padStart(9),
    (clairvoyant / policy).toFixed(2).padStart(16),
    (policy / fixed).toFixed(2).padStart(14),
    share(aboveTarget, minutes).padStart(8),
    share(aboveFull, minutes).padStart(8),
    figure(writes / days).padStart(8),
  ]
}

async function ingest(): Promise<void> {
  const [policies, resources, rows, rounds] = [values.policies, values.resources, values.rows, values.rounds].map(
    Number,
  ) as [number, number, number, number]
  const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', INGEST_MESSAGES_PER_MINUTE: '0' } })
  const c = await set.open()
  const { rate, without, ratio } = await samplings(set, c, {
    rows,
    resources,
    policies,
    rounds,
    withFirst: values.first,
  })
  say(
    `\n${figure(rows)} samples of ${figure(resources)} resources, one a message${values.first ? ', the first of policies among them' : ''}`,
  )
  say(`with ${figure(policies)} policies: ${figure(rate)} a second; without any: ${figure(without)}`)
  goal('autoscaler', `samples with ${figure(policies)} policies, of those without`, ratio, { min: 0.97 })
  await c.close()
  await set.close()
}
