/** Groups of machines and pools of nodes at Google Cloud that are scaled, through the whole product. */
import { expect } from 'chai'
import { resetClock } from '#test/harness/people.ts'
import { Project } from '#test/streams/cloud/gcp/project.ts'
import type { Answer, Question } from '#test/streams/cloud/gcp/far-google.ts'
import { deepIt } from '#test/harness/tier.ts'
import { answering, connectedTo, uids, type Google } from './google.ts'
import { cooled, planned, policyFor, restful, tells, told, type Fleet } from './scaling.ts'
import { unsettled } from './weather.ts'

const minuteMs = 60_000

/** Of every minute that is asked for, as Cloud Monitoring says it of a group: a share. */
function measured({ query }: Question, busy: number): Answer {
  const [from, to] = ['interval.startTime', 'interval.endTime'].map((name) => Date.parse(query.get(name)!))
  if (!query.get('filter')?.includes('instance/cpu/utilization')) return { body: {} }
  const points = []
  for (let at = to!; at > from!; at -= minuteMs)
    points.push({ interval: { endTime: new Date(at).toISOString() }, value: { doubleValue: busy } })
  return { body: { timeSeries: [{ metadata: { systemLabels: { instance_group: 'api' } }, points }] } }
}

describe('fleets of Google Cloud that are scaled, where a fifth of the questions is put off or not heard of', () => {
  let org: Google
  let project: Project
  let busy: number | undefined
  const begin = async (of: Project) => {
    project = of
    busy = undefined
    const said = answering(project)
    org = await connectedTo(project, (question) =>
      busy !== undefined && question.path.endsWith('/timeSeries') ? measured(question, busy) : said(question),
    )
    Object.assign(org.weather, unsettled)
  }
  afterEach(async () => {
    org.weather.calm()
    await org.end()
    await resetClock()
  })
  const fleet = (type: 'gcp-mig' | 'gcp-gke-nodepool'): Fleet => ({
    uid: uids[type],
    type,
    done: () => project.done,
  })

  deepIt('are a group that grows by a policy once Cloud Monitoring says that it is busy, once', async () => {
    await begin(new Project())
    const id = await policyFor(org, fleet('gcp-mig'), { min: 3, max: 9, targetCPUPercent: 60 })
    await tells(org, id, [['write', 3, 9]])
    await cooled(org)
    busy = 0.9
    await org.job('target-load')
    // 3 x 90 / 60.
    await org.reached('five machines', async () => project.group.size === 5)
    busy = undefined
    expect(project.done).to.deep.equal(['group 5'])
    await tells(org, id, [
      ['write', 3, 9],
      ['write', 5, 9],
    ])
    await restful(org, id, fleet('gcp-mig'), 60)
  })

  it('are a group whose autoscaler is given other bounds by a policy, and back', async () => {
    await begin(new Project({ mode: 'ON', min: 2, max: 8 }))
    const group = fleet('gcp-mig')
    const id = await policyFor(org, group, { min: 2, max: 8, targetCPUPercent: 60 })
    await told(org, group.uid, 90)
    await org.reached('five machines', async () => project.group.size === 5)
    expect(project.done).to.deep.equal(['scaler ON 5-8'])
    await tells(org, id, [['write', 5, 8]])
  })

  deepIt('are a group for an event, by the bounds of its autoscaler, and put back behind it', async () => {
    await begin(new Project({ mode: 'ON', min: 2, max: 8 }))
    const id = await policyFor(org, fleet('gcp-mig'), { min: 2, max: 8, targetCPUPercent: 70 })
    // 2, 8 and 3 of them x 3 x 50 / 70, the load being unknown: 5 to 18 and 7, which an autoscaler has by its least alone.
    const was = await planned(org, id, async () => {
      expect([project.scaler, project.group.size]).to.deep.equal([{ mode: 'ON', min: 7, max: 18 }, 7])
    })
    expect(was).to.deep.equal([2, 8, 3])
    expect(project.scaler).to.deep.equal({ mode: 'ON', min: 2, max: 8 })
    expect(project.done).to.deep.equal(['scaler ON 7-18', 'scaler ON 2-8'])
  })

  deepIt('are a group without an autoscaler for an event, and put back behind it', async () => {
    await begin(new Project())
    const id = await policyFor(org, fleet('gcp-mig'), { min: 3, max: 9, targetCPUPercent: 70 })
    const was = await planned(org, id, async () => expect(project.group.size).to.equal(7))
    expect(was).to.deep.equal([3, 3, 3])
    expect(project.done).to.deep.equal(['group 7', 'group 3'])
  })

  deepIt('are a pool of nodes that grows by a policy in whole zones, and for an event, and back', async () => {
    await begin(new Project())
    const pool = fleet('gcp-gke-nodepool')
    const id = await policyFor(org, pool, { min: 4, max: 12, targetCPUPercent: 60 })
    await told(org, pool.uid, 90)
    await org.reached('three a zone', async () => project.pool.perZone === 3)
    expect(project.done).to.deep.equal(['nodes 3'])
    // 6 x 3 x 50 / 70 are 13, which its two zones have by 7 each.
    const was = await planned(org, id, async () => expect(project.pool.perZone).to.equal(7))
    expect(was).to.deep.equal([6, 6, 6])
    expect(project.done).to.deep.equal(['nodes 3', 'nodes 7', 'nodes 3'])
  })
})
