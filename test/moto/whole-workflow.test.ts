// tier: deep
/** What workflows of recommendations change and delete at AWS, once somebody has approved it. */
import { expect } from 'chai'
import { dayMs } from '#engine/value/day.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { owning, region } from './account.ts'
import { carriedOut, findingOf } from '#test/harness/carried.ts'
import { connected, type Connected } from './connected.ts'
import { machines } from './standing.ts'

describeMoto('workflows at AWS', (moto) => {
  let org: Connected
  let old: string
  let unused: string
  before(async () => {
    const [machine] = await machines(moto(), 1)
    const disk = (VolumeType: 'gp2' | 'gp3') =>
      owning(moto(), async (s) => {
        const order = { AvailabilityZone: `${region}a`, Size: 100, VolumeType, Encrypted: true }
        return (await s.ask('ec2', region, (m) => new m.CreateVolumeCommand(order))).VolumeId!
      })
    old = await disk('gp2')
    unused = await disk('gp3')
    const place = { VolumeId: old, InstanceId: machine!, Device: '/dev/sdh' }
    await owning(moto(), (s) => s.ask('ec2', region, (m) => new m.AttachVolumeCommand(place)))
    org = await connected(moto(), { regions: [region] })
    await until('the disks', async () => (await org.data('/resources/count?type=aws-ebs-volume')).count >= 3)
    // What is seen for thirty days and was never seen otherwise is known to have been so all that time.
    await setClock(new Date(Date.now() + 40 * dayMs), org.orgId)
    await org.scan()
    await org.job('recommendation-sweep')
  })
  after(async () => {
    await org.end()
    await resetClock()
  })

  const volume = (VolumeId: string) =>
    owning(moto(), async (s) => {
      const { Volumes = [] } = await s.ask('ec2', region, (m) => new m.DescribeVolumesCommand({}))
      return Volumes.find((one) => one.VolumeId === VolumeId)
    })
  const made = (from: number) =>
    org.door.asked
      .slice(from)
      .map(({ action }) => action)
      .filter((action) => /^(Modify|Create|Delete)/.test(action))

  it('make a disk of the kind that is cheaper, once', async () => {
    const id = await findingOf(org, old, 'RC-1111')
    const from = org.door.asked.length
    await carriedOut(org, id)
    expect(await volume(old)).to.include({ VolumeType: 'gp3', Size: 100, State: 'in-use' })
    expect(made(from)).to.deep.equal(['ModifyVolume'])
  })

  it('delete a disk that nothing uses, behind a snapshot of it', async () => {
    const id = await findingOf(org, unused, 'RC-1301')
    const from = org.door.asked.length
    await carriedOut(org, id)
    expect(await volume(unused)).to.equal(undefined)
    expect(made(from)).to.deep.equal(['CreateSnapshot', 'DeleteVolume'])
    const { Snapshots = [] } = await owning(moto(), (s) =>
      s.ask('ec2', region, (m) => new m.DescribeSnapshotsCommand({ OwnerIds: ['self'] })),
    )
    expect(Snapshots.filter(({ VolumeId }) => VolumeId === unused).length).to.equal(1)
  })
})
