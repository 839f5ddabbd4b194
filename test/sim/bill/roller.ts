/** A process that works marked days out anew: the engine's own passes, with the works of the product over the model's stores. */
import { shownBills } from '#actors/account/queries.ts'
import { isAsShown, type ShownBills } from '#analytics/billing/bill.ts'
import { costDays, recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayOf } from '#analytics/rollup/day-batch.ts'
import { costTypes, retypeCostDays } from '#analytics/rollup/stale-day/cost-type.ts'
import type { Meter } from '#engine/meter.ts'
import type { MarkRow } from '#engine/actor/ports.ts'
import { Projections, type ProjectionWork } from '#engine/run/projection.ts'
import { org } from '#test/sim/bill/state.ts'
import type { Process, World } from '#test/sim/bill/world.ts'

/** A store that is away for one statement. */
export class Away extends Error {}

const meter = { retries: { inc: () => {} }, projected: { inc: () => {} } } as unknown as Meter

/** Passes over the marks, whenever there are any, until it dies. */
export async function roll(world: World, process: Process): Promise<void> {
  for (;;) {
    await world.marked(process)
    await pass(world, process)
  }
}

/** One pass: the first rest behind it is its end. */
async function pass(world: World, process: Process): Promise<void> {
  const { state, bug, plan } = world
  const step = () => world.step(process)
  const over = new AbortController()
  const store = state.store(step, plan.marksMax)
  const tools = {
    store: bug.store?.(store, state) ?? store,
    meter,
    clock: { now: () => world.now, sleep: async () => over.abort() },
    report: { info: () => {}, error: () => {}, warn: (told: { err?: unknown }) => world.failed(told.err) },
    lanes: () => [0],
  }
  const works = [days(world, process), types(world, process)].map((work) => bug.work?.(work) ?? work)
  await new Projections(tools, works as ProjectionWork[]).run(over.signal)
}

const client = (world: World, process: Process) => {
  const step = async () => {
    await world.step(process)
    if (world.isRough && world.random.chance(world.plan.failure)) throw new Away()
  }
  return world.facts.client(step)
}

const days = (world: World, process: Process): ProjectionWork<ShownBills> => ({
  name: costDays.name,
  basis: (marks, rows) => shownBills(rows, marks.map(costDayOf)),
  ready: async (marks, shown) => {
    await world.step(process)
    return marks.filter((mark) => !waits(world, mark, shown))
  },
  run: (marks, generation, shown, stands) =>
    recomputeCostDays(client(world, process), marks.map(costDayOf), generation, {
      now: new Date(world.now),
      shown,
      stands,
      pair: process.pair,
    }),
})

/** A day that is restated may wait, unless it turns over. */
function waits(world: World, mark: MarkRow, shown: ShownBills): boolean {
  if (!world.isRough || !world.random.chance(world.plan.waits)) return false
  const day = costDayOf(mark)
  const published = world.facts.day(day.cloudAccountId, day.day)
  const bills = published?.bills.map(({ period, export: exportId }) => ({ period, exportId }))
  return bills !== undefined && isAsShown(shown, day, bills)
}

const types = (world: World, process: Process): ProjectionWork<ShownBills> => ({
  name: costTypes.name,
  basis: (marks, rows) =>
    shownBills(
      rows,
      marks.map(({ key }) => ({ orgId: org, cloudAccountId: key })),
    ),
  run: async (marks, generation, shown, stands) => {
    const accounts = marks.map(({ key }) => key)
    return retypeCostDays(client(world, process), org, accounts, generation, {
      now: new Date(world.now),
      shown,
      stands,
      pair: process.pair,
    })
  },
})
