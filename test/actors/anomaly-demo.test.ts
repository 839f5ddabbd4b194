// tier: deep
/** What the demo organization is notified of in its first month: the rules over the bills of the simulated cloud, in memory. */
import { expect } from 'chai'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { isSuppressed } from '#actors/anomaly/cause.ts'
import { recurrenceOf, type HistoryDay } from '#actors/anomaly/recurrence.ts'
import { judgeDay, rule } from '#actors/anomaly/rule.ts'
import { foldAnomalies, type UnfoldedAnomaly } from '#actors/anomaly/story.ts'
import { addDays, days } from '#engine/value/day.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import { actionLog } from '#streams/cloud/simulated/action/log.ts'
import { dayLines } from '#streams/cloud/simulated/bill/bill.ts'
import { buildWorld } from '#streams/cloud/simulated/world/world.ts'
import { MemoryActor } from '#test/harness/turn.ts'

type Series = Map<string, Map<string, HistoryDay>>

/** Days before the judged month that its days are compared with. */
const historyDays = 100
const judgedDays = 30

type Bills = ReturnType<typeof bills>

/**
 * US dollars by day of the organization, its accounts and resources, and of services without a resource by account; whose a resource is, and
 * until when it was reserved.
 */
function bills(today: string) {
  const world = buildWorld('tidemark', today)
  const log = actionLog()
  const [series, loose]: [Series, Series] = [new Map(), new Map()]
  const [accountOf, reserved] = [new Map<string, string>(), new Map<string, string>()]
  const add = (to: Series, key: string, day: string, cost: number, charged: number) => {
    const known = to.get(key) ?? new Map<string, HistoryDay>()
    const before = known.get(day) ?? { cost: 0, charged: 0 }
    known.set(day, { cost: before.cost + cost, charged: before.charged + charged })
    to.set(key, known)
  }
  for (const sim of world.accounts) {
    const account = { id: sim.externalId, provider: sim.provider, externalId: sim.externalId } as never
    for (const day of days(addDays(today, -historyDays - judgedDays), addDays(today, -1)))
      for (const line of dayLines({ world, log, account, sim }, day)) {
        const cost = Number(line.BilledCost)
        const charged = line.ChargeCategory === 'Credit' ? 0 : cost
        for (const key of ['org|o1', `cloud_account|${sim.externalId}`]) add(series, key, day, cost, charged)
        if (line.ResourceId) {
          add(series, `resource|${line.ResourceId}`, day, cost, charged)
          accountOf.set(String(line.ResourceId), sim.externalId)
          if (line.purchaseType === 'reserved') reserved.set(String(line.ResourceId), day)
        } else add(loose, `${sim.externalId}|${line.ServiceName}`, day, cost, charged)
      }
  }
  return { series, loose, accountOf, reserved }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const earlier = (known: ReadonlyMap<string, HistoryDay>, day: string, count: number) =>
  Array.from({ length: count }, (_, back) => known.get(addDays(day, -back - 1))).flatMap((one) => one ?? [])
/** What a part of a key rose by, with `days` in the baseline of the key. */
const rise = (known: ReadonlyMap<string, HistoryDay>, day: string, count: number): number =>
  (known.get(day)?.cost ?? 0) - sum(earlier(known, day, 7).map(({ cost }) => cost)) / count

function judged({ series, loose, accountOf, reserved }: Bills, day: string): UnfoldedAnomaly[] {
  return [...series].flatMap(([name, known]): UnfoldedAnomaly[] => {
    const [type, key] = [name.slice(0, name.indexOf('|')), name.slice(name.indexOf('|') + 1)] as ['org', string]
    const actual = known.get(day)?.cost
    const week = earlier(known, day, 7)
    if (actual === undefined || week.length < rule.baselineDaysMin) return []
    const expected = sum(week.map(({ cost }) => cost)) / week.length
    const charged = sum(week.map((one) => one.charged)) / week.length
    const judgement = judgeDay({ actual, expected, charged, prior_days: 0, prior_mean: 0, prior_deviation: 0 })
    if (!judgement) return []
    const isPart = (account: string) => type === 'org' || account === key
    const uids =
      (type as string) === 'resource' ? [key] : [...accountOf].flatMap(([uid, of]) => (isPart(of) ? [uid] : []))
    const deltas = uids.map((uid) => ({ uid, usd: rise(series.get(`resource|${uid}`)!, day, week.length) }))
    const isNew = (uid: string) => [...series.get(`resource|${uid}`)!.keys()].every((one) => one > addDays(day, -3))
    const isOpened = (account: string) =>
      [...series.get(`cloud_account|${account}`)!.keys()].every((one) => one > addDays(day, -3))
    const fresh = uids.filter(isNew)
    const costOf = (of: readonly string[]) => sum(of.map((uid) => series.get(`resource|${uid}`)!.get(day)?.cost ?? 0))
    const services = [...loose].flatMap(([of, one]) => {
      const [account, service] = of.split('|') as [string, string]
      return isPart(account) ? [{ service, usd: Math.max(0, rise(one, day, week.length)) }] : []
    })
    const found = {
      ...anomalyFound.examples[0]!,
      ...judgement,
      date: day,
      type,
      key,
      actualUsd: actual,
      expectedUsd: expected,
      cloudAccountId: accountOf.get(key) ?? '',
      suppressed: isSuppressed(actual - expected, {
        new_usd: costOf(fresh),
        opened_usd: costOf(fresh.filter((uid) => isOpened(accountOf.get(uid)!))),
      }),
      topResources: deltas
        .filter(({ usd }) => usd > 0)
        .toSorted((a, b) => b.usd - a.usd)
        .slice(0, 5)
        .map(({ uid, usd }) => ({ resourceUid: uid, resourceName: '', costUSD: 0, deltaUSD: usd })),
      recurrence: recurrenceOf({ date: day, actual, isRunning: false }, known),
    }
    const most = services.toSorted((a, b) => b.usd - a.usd)[0]
    const looseUsd = sum(services.map(({ usd }) => usd))
    const cause = reserved.get(key) === addDays(day, -1) ? 'Reservation expiry' : ''
    return [{ found, cause, loose: { usd: looseUsd, service: most?.service ?? '' } }]
  })
}

/** The messages of the month, each with the keys that it is about and the dollars of the first. */
function messagesOf(all: Bills, today: string, notifiesRecurring = false) {
  const actors = new Map<string, MemoryActor<any>>()
  const messages = new Map<string, { keys: string[]; usd: number }>()
  for (const day of days(addDays(today, -judgedDays), addDays(today, -1)))
    for (const one of foldAnomalies(judged(all, day), notifiesRecurring)) {
      const name = `${one.type}|${one.key}`
      const actor = actors.get(name) ?? new MemoryActor(anomalyActor, { place: '-', key: name })
      actors.set(name, actor)
      const at = Date.parse(addDays(day, 1))
      const { emitted } = actor.take(anomalyFound, one, { at })
      if (!emitted.some(({ type }) => type.startsWith('cost.anomaly.'))) continue
      const id = `${day} ${one.story!.key}`
      const known = messages.get(id) ?? { keys: [], usd: one.actualUsd - one.expectedUsd }
      messages.set(id, { ...known, keys: [...known.keys, name] })
    }
  return [...messages].map(([id, message]) => ({ id, ...message })).toSorted((a, b) => b.usd - a.usd)
}

describe('the demo organization', () => {
  it('notifies of three causes in its first month, the new account first, and of many more where recurring ones are wanted [G-118]', () => {
    const today = '2026-11-28'
    const all = bills(today)
    const told = messagesOf(all, today).map(({ keys, usd }) => [keys.map((key) => key.split('|')[0]), usd.toFixed(2)])
    expect(told).to.deep.equal([
      [['org'], '474.76'],
      // 24 hours of 1.536 after 0.384 US dollars.
      [['resource'], '27.65'],
      // Three machines, each 24 hours of 0.384 after 0.23808 US dollars.
      [['resource', 'resource', 'resource'], '3.50'],
    ])
    expect(messagesOf(all, today, true).length).to.be.above(20)
  })
})
