// tier: deep
/** Machines of Google Cloud and Azure that become another size by a workflow that somebody has approved. */
import { expect } from 'chai'
import { dayMs } from '#engine/value/day.ts'
import { carriedOut, findingOf } from '#test/harness/carried.ts'
import type { Connected } from '#test/harness/connected.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { Project } from '#test/streams/cloud/gcp/project.ts'
import { connectedTo as connectedToAzure, Subscription, uidOf, type Azure } from './azure.ts'
import { connectedTo as connectedToGoogle, uids, type Google } from './google.ts'
import { unsettled } from './weather.ts'

/** A machine is found to be of an older series, and changed: the steps of the workflow in words. */
async function resized(org: Connected, uid: string, rule: string): Promise<string[]> {
  await setClock(new Date(Date.now() + 3 * dayMs), org.orgId)
  await org.scan()
  await org.job('recommendation-sweep')
  const { steps } = await carriedOut(org, await findingOf(org, encodeURIComponent(uid), rule))
  return steps.map(({ kind, status }: any) => `${kind} ${status}`)
}

const steps = ['precondition succeeded', 'approval succeeded', 'execute succeeded', 'validate succeeded']

const shows = (org: Connected, uid: string, size: string) =>
  until(`what ${uid} shows`, async () => {
    const [one] = await org.data(`/resources/by-uids?uids=${encodeURIComponent(uid)}`)
    return one.instanceType === size && one.status === 'running'
  })

describe('machines of another size, where a fifth of the questions is put off or not heard of', () => {
  let org: Azure | Google
  afterEach(async () => {
    org.weather.calm()
    await org.end()
    await resetClock()
  })

  it('at Google Cloud are stopped, changed and started, each once', async () => {
    const project = new Project()
    project.machine.size = 'n1-standard-2'
    org = await connectedToGoogle(project)
    Object.assign(org.weather, unsettled)
    expect(await resized(org, uids['gcp-vm'], 'RC-2104')).to.deep.equal(steps)
    expect(project.done).to.deep.equal(['stop web', 'size e2-standard-2', 'start web'])
    expect(project.machine).to.include({ size: 'e2-standard-2', state: 'RUNNING' })
    await shows(org, uids['gcp-vm'], 'e2-standard-2')
  })

  it('at Azure are deallocated, changed and started, each once', async () => {
    const of = new Subscription()
    const machine = of.things['azure-vm']
    org = await connectedToAzure(of)
    Object.assign(org.weather, unsettled)
    expect(await resized(org, uidOf('azure-vm'), 'RC-3103')).to.deep.equal(steps)
    expect(machine.effects).to.deep.equal(['deallocate', 'write', 'start'])
    expect(machine.body['properties'].hardwareProfile.vmSize).to.equal('Standard_D4_v3')
    await shows(org, uidOf('azure-vm'), 'Standard_D4_v3')
  })
})
