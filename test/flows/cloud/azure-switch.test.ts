/** All that can be started and stopped at Azure, by hand and by schedules, through the whole product. */
import { expect } from 'chai'
import { kubernetesKind, resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { resetClock } from '#test/harness/people.ts'
import { deepDescribe } from '#test/harness/tier.ts'
import { connectedTo, insideUids, Subscription, uidOf, verbs, type Azure, type AzureType } from './azure.ts'
import { acted, scheduled, unanswered } from './switching.ts'
import { unsettled } from './weather.ts'

const types = Object.keys(verbs) as AzureType[]
const desktops = uidOf('azure-avd-host-pool')
const list = [...types.map(uidOf), desktops, ...Object.values(insideUids)]
const succeeded = list.map(() => 'succeeded')
const insideStops = ['delete', 'edit', 'stop']
const insideStarts = ['edit', 'start', 'start']

describe('what can be started and stopped at Azure', () => {
  it('is everything that can be scheduled, except what runs in clusters', () => {
    const known = resourceTypes.filter(
      ({ provider, schedulable, type }) => provider === 'azure' && schedulable && kubernetesKind(type) === undefined,
    )
    const driven = [...types, 'azure-avd-host-pool', ...Object.keys(insideUids)]
    expect(known.map(({ type }) => type).toSorted()).to.deep.equal(driven.toSorted())
  })
})

// The calls of each type: test/streams/cloud/azure. Google Cloud goes through the whole product in `npm test`.
deepDescribe('what is started and stopped at Azure', () => {
  let of: Subscription
  let org: Azure
  before(async () => {
    of = new Subscription()
    org = await connectedTo(of)
  })
  // The clock goes forward alone: what was seen later than now would count for more.
  afterEach(() => org.weather.calm())
  after(async () => {
    await org.end()
    await resetClock()
  })

  /** Effects by type since they were cleared, those of desktops and of the workspace too. */
  const effects = () => ({
    ...Object.fromEntries(types.map((type) => [type, [...of.things[type].effects]])),
    desktops: of.hosts.map(({ effects: all }) => [...all]),
    inside: of.inside.effects.toSorted(),
  })
  const clear = () => {
    for (const { effects: all } of [...Object.values(of.things), ...of.hosts]) all.length = 0
    of.inside.effects.length = 0
  }
  /** Those of so many stops with the starts behind them. */
  const nights = (count: number) => ({
    ...Object.fromEntries(types.map((type) => [type, Array.from({ length: count }, () => verbs[type]).flat()])),
    desktops: of.hosts.map(() => Array.from({ length: count }, () => ['deallocate', 'start']).flat()),
    inside: Array.from({ length: count }, () => [...insideStops, ...insideStarts])
      .flat()
      .toSorted(),
  })

  it('is stopped and started by actions, by one call each', async () => {
    clear()
    const asked = org.weather.asked.length
    expect(await acted(org, list, 'stop')).to.deep.equal(succeeded)
    expect(await acted(org, list, 'stop')).to.deep.equal(succeeded)
    expect(await acted(org, list, 'start')).to.deep.equal(succeeded)
    expect(effects()).to.deep.equal(nights(1))
    // A stop and a start of each, those of desktops by the machines of three.
    expect(org.weather.changes(asked)).to.have.length(2 * (types.length + 3 + 3))
  })

  it('is stopped and started when a schedule falls due', async () => {
    clear()
    await scheduled(org, list)
    expect(effects()).to.deep.equal(nights(1))
  })

  it('is stopped and started once where a fifth of the questions is put off or not heard of', async () => {
    clear()
    const asked = org.weather.asked.length
    Object.assign(org.weather, unsettled)
    expect(await acted(org, list, 'stop')).to.deep.equal(succeeded)
    expect(await acted(org, list, 'start')).to.deep.equal(succeeded)
    await scheduled(org, list)
    expect(effects()).to.deep.equal(nights(2))
    expect(unanswered(org.weather, asked)).to.include.members(['throttled', 'lost'])
  })

  it('waits for a subscription that is away, and is then done once', async () => {
    clear()
    org.weather.isAway = ({ path }) => path.startsWith('/subscriptions/')
    expect(await acted(org, list, 'stop', { whenPaused: () => org.weather.calm() })).to.deep.equal(succeeded)
    expect(await acted(org, list, 'start')).to.deep.equal(succeeded)
    expect(effects()).to.deep.equal(nights(1))
  })
})
