// tier: deep
/** Services of ECS scaled at AWS: by what CloudWatch measures, and for an event with the way back. */
import { expect } from 'chai'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { planBody } from '#test/harness/readiness.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'
import { losing } from './refusing.ts'
import { containers } from './standing.ts'

const minuteMs = 60_000

/** Names of services, by the share of answers that get lost. */
const lossy = [
  { share: 0, when: '', cart: 'cart', shop: 'shop' },
  { share: 0.3, when: ', where three of ten answers are lost', cart: 'cart-2', shop: 'shop-2' },
] as const

describeMoto('services of ECS that are scaled', (moto) => {
  let org: Connected
  const uids: Record<string, string> = {}
  const scalable = (name: string) => ({
    ServiceNamespace: 'ecs' as const,
    ResourceId: `service/shop/${name}`,
    ScalableDimension: 'ecs:service:DesiredCount' as const,
  })
  const bound = (name: string, MinCapacity: number, MaxCapacity: number) =>
    owning(moto(), (s) =>
      s.ask(
        'application-auto-scaling',
        region,
        (m) => new m.RegisterScalableTargetCommand({ ...scalable(name), MinCapacity, MaxCapacity }),
      ),
    )
  before(async () => {
    for (const { cart, shop } of lossy) {
      uids[cart] = await containers(moto(), cart, 2)
      uids[shop] = await containers(moto(), shop, 4)
      await bound(cart, 1, 6)
      await bound(shop, 2, 10)
    }
    org = await connected(moto(), { regions: [region] })
    await until('the services', async () => (await org.resources('&type=aws-ecs-service')).length === 4)
  })
  afterEach(async () => {
    org.door.loses = () => false
    await resetClock()
  })
  after(() => org.end())

  /** Least, most and how many there are to be, as AWS has it. */
  const counts = (name: string) =>
    owning(moto(), async (s) => {
      const filter = { cluster: 'shop', services: [name] }
      const { services = [] } = await s.ask('ecs', region, (m) => new m.DescribeServicesCommand(filter))
      const { ServiceNamespace, ResourceId } = scalable(name)
      const { ScalableTargets = [] } = await s.ask(
        'application-auto-scaling',
        region,
        (m) => new m.DescribeScalableTargetsCommand({ ServiceNamespace, ResourceIds: [ResourceId] }),
      )
      const [{ MinCapacity, MaxCapacity } = {}] = ScalableTargets
      return [MinCapacity, MaxCapacity, services[0]!.desiredCount]
    })
  const policy = async (uid: string, fields: object) =>
    (
      await org.done('POST', '/autoscaler-policies', {
        name: uid.split('/').at(-1),
        mode: 'autopilot',
        cloudAccountID: org.accountId,
        target: { type: 'aws-ecs-service', uid },
        // Where answers are lost the clock goes on for what may be many minutes.
        cooldownSeconds: 7200,
        triggers: [],
        ...fields,
      })
    ).id as string
  const busy = (ServiceName: string, percent: number) =>
    owning(moto(), (s) => {
      const Dimensions = [
        { Name: 'ClusterName', Value: 'shop' },
        { Name: 'ServiceName', Value: ServiceName },
      ]
      const now = Math.floor(org.connections.clock.now() / minuteMs)
      // Of minutes to come too: where answers are lost, the clock goes on before it has been asked.
      const MetricData = Array.from({ length: 10 }, (_, index) => {
        const Timestamp = new Date((now - 3 + index) * minuteMs)
        return { MetricName: 'CPUUtilization', Dimensions, Value: percent, Timestamp }
      })
      return s.ask('cloudwatch', region, (m) => new m.PutMetricDataCommand({ Namespace: 'AWS/ECS', MetricData }))
    })

  /** Orders of a number of units, without those that were repeated because the answer to them was lost. */
  const orders = (from: number) =>
    org.door.asked.slice(from).flatMap(({ action, isLost }, index, all) => {
      if (action !== 'UpdateService') return []
      const isRepeated = isLost && all.slice(index + 1).some((later) => later.action === action)
      return isRepeated ? [] : [action]
    })

  for (const { share, when, cart, shop } of lossy) {
    it(`grow by a policy once CloudWatch says that they are busy, once within its cooldown${when}`, async () => {
      org.door.loses = share === 0 ? () => false : losing(share, ['UpdateService'])
      const id = await policy(uids[cart]!, { min: 1, max: 6, targetCPUPercent: 60 })
      const path = `/autoscaler-policies/${id}`
      const is = (status: string) => org.reached(status, async () => (await org.data(path)).status === status)
      if (share === 0) {
        await is('pending_infrastructure')
        await org.done('POST', '/autoscaler-policies/create-infrastructure', { cloudAccountID: org.accountId })
      }
      await is('active')
      const from = org.door.asked.length
      await busy(cart, 90)
      // What is asked for the load may be lost as well: minute after minute it is asked again.
      const loaded = (what: string, isSo: () => Promise<boolean>) =>
        org.reached(what, async () => {
          await org.job('target-load')
          return isSo()
        })
      // 2 x 90 / 60.
      await loaded('three of six', async () => String(await counts(cart)) === '3,6,3')
      await loaded('what it shows', async () => (await org.data(path)).currentTarget.desired === 3)
      const events = await org.data(`${path}/events?limit=100`)
      expect(events.map(({ kind, toMin, toMax }: any) => [kind, toMin, toMax])).to.deep.equal([['write', 3, 6]])
      expect(orders(from)).to.deep.equal(['UpdateService'])
      await org.done('POST', `${path}/remove`)
    })

    it(`are raised for an event to the second, and put back behind it${when}`, async () => {
      await setClock(new Date('2030-11-29T12:00:00Z'), org.orgId)
      const id = await policy(uids[shop]!, { min: 2, max: 10, targetCPUPercent: 70 })
      const plan = (await org.done('POST', '/event-readiness', planBody([id]))).id as string
      const become = (status: string) =>
        org.reached(`${status} of the plan`, async () => (await org.data(`/event-readiness/${plan}`)).status === status)
      await org.done('POST', `/event-readiness/${plan}/schedule`)
      await become('scheduled')
      // What cannot be looked at while it is reserved fails at once; what is reserved is tried until it is so.
      org.door.loses = losing(share)
      const { targets } = await org.data(`/event-readiness/${plan}`)
      expect(targets[0]).to.include({ originalMin: 2, originalMax: 10, originalDesired: 4 })
      await setClock(new Date('2030-11-29T13:30:00Z'), org.orgId)
      await become('active')
      expect(await counts(shop)).to.deep.equal([5, 22, 9])
      await setClock(new Date('2030-11-29T18:45:00Z'), org.orgId)
      await become('completed')
      expect(await counts(shop)).to.deep.equal([2, 10, 4])
    })
  }
})
