/** Plans that are due in one minute: how long until all their targets are raised, beside their reminders and rows alone. */
import type { Connections } from '#config/state/connect.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import { bareCalls } from './bare-calls.ts'
import { bareRaise } from './bare-plans.ts'
import { estimatedMax, fleets, plansOfOrganization, reached, schedulePlans, targetsOfPlan } from './planned.ts'
import { between, spent } from './share.ts'
import { figure, quantile, say, type Stage } from './stage.ts'
import { minuteIn, until } from './waited.ts'

interface Running {
  connections: Connections
  product: Product
}

/** What is measured: so many plans, so many targets of them all, raised at `due`. */
interface Load {
  count: number
  targets: number
  due: Date
}

const usOf = (seconds: number, targets: number): string => `${figure((seconds / targets) * 1e6)} us`

/** In an organization as many plans as its one account can have policies for. */
export async function plansInOneMinute(set: Stage, running: Running, organizations: number): Promise<void> {
  const { connections: c, product } = running
  const load = await prepared(c, organizations)
  const { targets, due } = load
  const limit = await bareRaise(c, due)
  const { took, cpu } = await raised(set, c, load)
  say(`all in one minute: limit ${figure(limit)} s, ${usOf(limit, targets)} a target`)
  say(`  all plans active: ${figure(took)} s, ${usOf(took, targets)} a target; of the limit ${figure(limit / took)}`)
  say(`  CPU a target: ${cpu}`)
  await sayLate(running, load)
  const { asking, calling } = await bareCalls(c, product)
  say(`the same without plans: questions of ClickHouse ${figure(asking)} s, ${usOf(asking, targets)} a target;`)
  say(`  calls of the cloud ${figure(calling)} s, ${usOf(calling, targets)} a target`)
  say(`  limit, questions and calls, of all: ${figure((limit + asking + calling) / took)}`)
}

async function prepared(c: Connections, organizations: number): Promise<Load> {
  const count = organizations * plansOfOrganization
  const targets = count * targetsOfPlan
  say(`${figure(count)} plans of ${targetsOfPlan} targets, ${plansOfOrganization} of each organization`)
  let began = performance.now()
  const policies = await fleets(c, organizations)
  say(`  fleets and policies: ${figure((performance.now() - began) / 1000)} s`)
  began = performance.now()
  const due = minuteIn(c, 60)
  await schedulePlans(c, policies, due)
  const seconds = (performance.now() - began) / 1000
  say(`  scheduled, all targets reserved: ${figure(seconds)} s, ${usOf(seconds, targets)} a target`)
  await settled(c)
  await c.store.pool.query('analyze')
  return { count, targets, due }
}

/** Whatever was asked for before has been done. */
const settled = (c: Connections): Promise<void> =>
  until(c, 1, 'select (not exists (select from effect) and not exists (select from outbox))::int as n')

/** Seconds from the due minute until all are active, and who spent how much of the processors' time. */
async function raised(
  set: Stage,
  c: Connections,
  { count, targets, due }: Load,
): Promise<{ took: number; cpu: string }> {
  const stores = spent(set, [])
  const before = process.cpuUsage()
  const began = performance.now()
  await c.clock.set(due)
  await reached(c, count, 'active')
  const took = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  const { clickhouse, nats, postgres } = between(stores, spent(set, []))
  const us = (seconds: number) => usOf(seconds, targets)
  const cpu = `${us((user + system) / 1e6)} of the process, ${us(clickhouse)} of ClickHouse, ${us(postgres)} of PostgreSQL, ${us(nats)} of NATS`
  return { took, cpu }
}

/** @throws Error where not each target was raised once */
async function sayLate({ connections: c, product }: Running, { targets, due }: Load): Promise<void> {
  const { calls } = product.get(tokens.clouds).simulated.callsSince()
  const scaled = calls.filter(({ call }) => call === 'scale')
  if (scaled.length !== targets) throw new Error(`${scaled.length} raises of ${targets} targets were asked for`)
  const asked = scaled.map(({ at }) => (at.getTime() - due.getTime()) / 1000)
  say('seconds behind the due minute (p50, p99, most):')
  for (const [what, late] of [
    ['the plan begins to raise', await changed(c, 'scaling_up', due)],
    ['the cloud is asked to scale', asked],
    ['the plan is active', await changed(c, 'active', due)],
  ] as const)
    say(`  ${what}: ${[0.5, 0.99, 1].map((share) => figure(quantile(late, share))).join(', ')} (${late.length})`)
  const estimated = scaled.filter(({ detail }) => detail?.counts?.max === estimatedMax)
  if (estimated.length > 0) say(`  ${estimated.length} without their CPU: ClickHouse did not answer`)
}

const changedSql = `
  SELECT toUnixTimestamp64Milli(at) / 1000 - {due:Float64} AS late FROM plan_log FINAL
  WHERE kind = 'transition' AND to_status = {to:String} AND org_id LIKE 'bench-plans-%'`

/** Seconds from the due minute to the turn in which each plan became so. */
async function changed({ clickhouse }: Connections, to: string, due: Date): Promise<number[]> {
  const query_params = { to, due: due.getTime() / 1000 }
  const answer = await clickhouse.query({ query: changedSql, query_params, format: 'JSONEachRow' })
  return (await answer.json<{ late: number }>()).map(({ late }) => late)
}
