// tier: deep
import { expect } from 'chai'
import type { FactSource, Rule } from '#actors/recommendation/rule/contract.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { metricsOf } from '#streams/cloud/simulated/measure/metrics-by-type.ts'
import { stories } from '#streams/cloud/simulated/world/stories/stories.ts'
import type { Metric } from '#streams/metric/messages.ts'
import {
  appliesTo,
  declaredOf,
  describeRules,
  evaluator,
  isOfEveryType,
  pathsOf,
  type Judged,
} from '#test/real/rule/catalogue.ts'
import { edges, environmentOf, everythingTold, factsOf, otherNames, type Told } from '#test/real/rule/facts.ts'

const cloud = simulatedCloud({
  seed: 'tidemark',
  now: () => new Date('2026-03-16T10:30:00Z'),
  sleep: () => Promise.resolve(),
})

/** There are no accelerators, no databases sold by transaction units and no reserved concurrency: known to have no such series. */
const never: readonly string[] = ['gpu_percent', 'dtu_percent', 'provisioned_use_percent']

/** Supplied by the bills, the history, autoscaler policies, the settings of the organization and the tables of the product. */
const supplied: readonly string[] = ['res', 'bill', 'hist', 'scale', 'gov', 'policy', 'ref']

const told = new Map<string, Told[]>()
const everything = () => [...told.values()].flat()

describeRules('simulated cloud: rules of the catalogue', (rules, folder) => {
  const declared = declaredOf(folder)
  let judge: (rule: Rule, facts: FactSource) => Judged
  before(async function () {
    this.timeout(180_000)
    judge = await evaluator(folder)
    for (const [account, all] of await everythingTold(cloud)) told.set(account, all)
  })

  const isSupplied = (type: string, all: readonly Told[], path: string): boolean => {
    const [source = '', name = ''] = path.split('.')
    if (supplied.includes(source)) return true
    if (source === 'metric') return never.includes(name) || isMeasured(all, name)
    if (!['specs', 'rel'].includes(source)) return false
    if (!declared.get(type)?.has(path) || name in edges) return true
    const own = name === 'detached_days' ? 'days_detached' : name
    return all.every(({ found: { specs = {} } }) => specs[own] !== undefined)
  }

  const isMeasured = (all: readonly Told[], name: string): boolean =>
    all.some(({ found: { resourceUid } }) => {
      const measured = metricsOf(cloud.world.byUid.get(resourceUid)!)
      return [name, ...(otherNames[name] ?? [])].some((metric) => measured.includes(metric as Metric))
    })

  it('have all they read, 291 and all of what came since', () => {
    const types = Map.groupBy(everything(), ({ found }) => found.type)
    const own = rules.filter((rule) => !isOfEveryType(rule) && [...types.keys()].some((type) => appliesTo(rule, type)))
    expect(own.length).to.be.at.least(291)
    const missing = own.map((rule) => {
      const read = [...types].filter(([type]) => appliesTo(rule, type))
      const paths = read.flatMap(([type, all]) => pathsOf(rule).filter((path) => !isSupplied(type, all, path)))
      return [rule.id, [...new Set(paths)]] as const
    })
    expect(missing.filter(([, paths]) => paths.length > 0)).to.eql([])
  })

  it('find every story that names them, on each of its resources', () => {
    const missed = stories.flatMap(({ id, account, names, rules: ids }) =>
      told
        .get(account)!
        .filter(({ found }) => names.includes(found.name))
        .flatMap((one) => {
          const named = rules.filter((rule) => ids.includes(rule.id))
          const silent = named.filter((rule) => judge(rule, factsOf(cloud, one)).outcome !== 'fire')
          return silent.map((rule) => `${id}: ${rule.id} on ${one.found.name}`)
        }),
    )
    expect(missed).to.eql([])
  })

  it('find nothing that would disturb a production resource no story is about', () => {
    const disturbing = rules.filter(({ action: { type, effect }, target: { kind } }) => {
      const disturbs = ['restart', 'outage', 'data_loss', 'irreversible'].includes(effect)
      return type !== 'purchase' && (disturbs || kind === 'delete' || kind === 'stop')
    })
    const found = [...told].flatMap(([account, all]) =>
      all
        .filter((one) => worksInProduction(account, one))
        .flatMap((one) => {
          const facts = factsOf(cloud, one)
          const own = disturbing.filter((rule) => appliesTo(rule, one.found.type) && !isKept(rule, one))
          const firing = own.filter((rule) => judge(rule, facts).outcome === 'fire')
          return firing.map((rule) => `${rule.id} on ${one.found.name}`)
        }),
    )
    expect(found).to.eql([])
  })
})

function worksInProduction(account: string, { found }: Told): boolean {
  const isTold = stories.some((story) => story.account === account && story.names.includes(found.name))
  return !isTold && !['dev', 'staging'].includes(environmentOf(found)) && !/staging|dev$/.test(account)
}

/** The catalogue deletes snapshots by age alone; what a backup service manages is not the user's to delete. */
const isKept = ({ id }: Rule, { found: { specs = {} } }: Told): boolean =>
  id === 'RC-3305' && specs['managed_by_backup'] === true
