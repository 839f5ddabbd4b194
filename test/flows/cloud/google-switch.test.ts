/** All that can be started and stopped at Google Cloud, by hand and by schedules, through the whole product. */
import { expect } from 'chai'
import { resetClock } from '#test/harness/people.ts'
import { kubernetesKind, resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { Project } from '#test/streams/cloud/gcp/project.ts'
import { deepIt, sample } from '#test/harness/tier.ts'
import { connectedTo, starts, stops, uids, type Google, type GoogleType } from './google.ts'
import { acted, scheduled, unanswered } from './switching.ts'
import { unsettled } from './weather.ts'

const all = Object.entries(uids) as [GoogleType, string][]

describe('what is started and stopped at Google Cloud', () => {
  let project: Project
  let org: Google
  before(async () => {
    project = new Project()
    org = await connectedTo(project)
  })
  // The clock goes forward alone: what was seen later than now would count for more.
  afterEach(() => org.weather.calm())
  after(async () => {
    await org.end()
    await resetClock()
  })

  /** What was done since, in any order. */
  const since = (from: number) => project.done.slice(from).toSorted()
  const list = all.map(([, uid]) => uid)
  /** The types that go through the whole product in `npm test`; test/streams/cloud/gcp has the calls of each type. */
  const some = sample(list)
  const [someStops, someStarts] = [sample(stops), sample(starts)]

  it('is all that can be scheduled there, but for what runs in clusters', () => {
    const types = resourceTypes.filter(
      ({ provider, schedulable, type }) => provider === 'gcp' && schedulable && kubernetesKind(type) === undefined,
    )
    expect(types.map(({ type }) => type).toSorted()).to.deep.equal(all.map(([type]) => type).toSorted())
  })

  deepIt('is stopped and started by actions, by one call each', async () => {
    const [from, asked] = [project.done.length, org.weather.asked.length]
    expect(await acted(org, list, 'stop')).to.deep.equal(list.map(() => 'succeeded'))
    expect(since(from)).to.deep.equal(stops.toSorted())
    expect(await acted(org, list, 'stop')).to.deep.equal(list.map(() => 'succeeded'))
    expect(await acted(org, list, 'start')).to.deep.equal(list.map(() => 'succeeded'))
    expect(since(from)).to.deep.equal([...stops, ...starts].toSorted())
    expect(org.weather.changes(asked)).to.have.length(stops.length + starts.length)
  })

  deepIt('is stopped and started when a schedule falls due', async () => {
    const from = project.done.length
    await scheduled(org, list)
    expect(since(from)).to.deep.equal([...stops, ...starts].toSorted())
  })

  it('is stopped and started by an action, by one call each', async () => {
    const from = project.done.length
    expect(await acted(org, [list[0]!], 'stop')).to.deep.equal(['succeeded'])
    expect(await acted(org, [list[0]!], 'start')).to.deep.equal(['succeeded'])
    expect(since(from)).to.deep.equal([stops[0]!, starts[0]!].toSorted())
  })

  deepIt('is stopped and started once where a fifth of the questions is put off or not heard of', async () => {
    const [from, asked] = [project.done.length, org.weather.asked.length]
    Object.assign(org.weather, unsettled)
    expect(await acted(org, some, 'stop')).to.deep.equal(some.map(() => 'succeeded'))
    expect(await acted(org, some, 'start')).to.deep.equal(some.map(() => 'succeeded'))
    await scheduled(org, some)
    const night = [...someStops, ...someStarts]
    expect(since(from)).to.deep.equal([...night, ...night].toSorted())
    expect(unanswered(org.weather, asked)).to.include.members(['throttled', 'lost'])
  })

  deepIt('waits for a zone that is away, and is then done once', async () => {
    const from = project.done.length
    const zonal = [uids['gcp-vm'], uids['gcp-mig']]
    org.weather.isAway = ({ path }) => path.includes('/zones/us-central1-a/')
    expect(await acted(org, zonal, 'stop', { whenPaused: () => org.weather.calm() })).to.deep.equal([
      'succeeded',
      'succeeded',
    ])
    expect(since(from)).to.deep.equal(['group 0', 'stop web'])
    expect(await acted(org, zonal, 'start')).to.deep.equal(['succeeded', 'succeeded'])
    expect(since(from)).to.deep.equal(['group 0', 'group 3', 'start web', 'stop web'])
  })
})
