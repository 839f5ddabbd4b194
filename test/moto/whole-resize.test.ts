// tier: deep
/** Machines that become another size at AWS by a workflow that a recommendation began and somebody has approved. */
import { expect } from 'chai'
import { dayMs } from '#engine/value/day.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { owning, region } from './account.ts'
import { carriedOut, findingOf } from '#test/harness/carried.ts'
import { connected, type Connected } from './connected.ts'
import { losing } from './refusing.ts'
import { machines } from './standing.ts'

const [was, becomes] = ['m4.large', 'm6i.large'] as const

describeMoto('machines of another size', (moto) => {
  let org: Connected
  let uids: string[]
  before(async () => {
    uids = await machines(moto(), 2, region, was)
    org = await connected(moto(), { regions: [region] })
    await until('the machines', async () => (await org.data('/resources/count?type=aws-ec2')).count === 2)
    await setClock(new Date(Date.now() + 3 * dayMs), org.orgId)
    await org.scan()
    await org.job('recommendation-sweep')
  })
  afterEach(() => void (org.door.loses = () => false))
  after(async () => {
    await org.end()
    await resetClock()
  })

  const machineOf = (uid: string) =>
    owning(moto(), async (s) => {
      const answer = await s.ask('ec2', region, (m) => new m.DescribeInstancesCommand({ InstanceIds: [uid] }))
      const { InstanceType, State } = answer.Reservations![0]!.Instances![0]!
      return [InstanceType, State!.Name]
    })
  /** Questions that change something. */
  const changes = (from: number) =>
    org.door.asked.slice(from).filter(({ action }) => /^(Stop|Start|Modify|Terminate|Run|Reboot)/.test(action))
  const inTurn = ['StopInstances', 'ModifyInstanceAttribute', 'StartInstances']
  const whole = async (uid: string) => {
    const id = await findingOf(org, uid, 'RC-1103')
    const from = org.door.asked.length
    const { steps } = await carriedOut(org, id)
    expect(steps.map(({ kind, status }: any) => `${kind} ${status}`)).to.deep.equal(
      ['precondition', 'approval', 'execute', 'validate'].map((kind) => `${kind} succeeded`),
    )
    expect(await machineOf(uid)).to.deep.equal([becomes, 'running'])
    await until('what it shows', async () => {
      const [{ instanceType, status }] = await org.data(`/resources/by-uids?uids=${uid}`)
      return instanceType === becomes && status === 'running'
    })
    const { items } = await org.data('/state-history?limit=100')
    const states = items.filter(({ resourceUid }: any) => resourceUid === uid).map(({ state }: any) => state)
    expect(states).to.deep.equal(['running', 'stopped'])
    return changes(from)
  }

  it('are stopped, changed and started, each once', async () => {
    const asked = await whole(uids[0]!)
    expect(asked.map(({ action }) => action)).to.deep.equal(inTurn)
    expect(await machineOf(uids[1]!)).to.deep.equal([was, 'running'])
  })

  it('are stopped, changed and started in turn where three of ten answers and the first of each change are lost, and nothing that was answered again', async () => {
    org.door.loses = losing(0.3, inTurn)
    const asked = await whole(uids[1]!)
    const order = asked.map(({ action }) => action).filter((action, index, all) => action !== all[index - 1])
    expect(order).to.deep.equal(inTurn)
    for (const action of inTurn) {
      const answered = asked.filter((one) => one.action === action && !one.isLost).length
      expect(answered, action).to.be.at.most(1)
    }
    expect(new Set(asked.filter(({ isLost }) => isLost).map(({ action }) => action))).to.deep.equal(new Set(inTurn))
  })
})
