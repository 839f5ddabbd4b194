import { expect } from 'chai'
import { plantedPolicies } from '#test/harness/autoscaler-row.ts'
import { accountState } from '#actors/recommendation/sweep/gather/context.ts'
import { orgSpend30d } from '#actors/recommendation/sweep/gather/account-bill.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { moment, now, World } from '#test/harness/gathered.ts'
import { tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const change = (uid: string, days: number, hours: number, from: string, to: string) => ({
  resource_uid: uid,
  at: moment(days, hours),
  change_id: `${uid}-${days}-${hours}`,
  kind: 'state_transition',
  details: JSON.stringify({ from, to }),
})
const hours = { SkuMeter: 'BoxUsage:m5.large', ConsumedUnit: 'Hrs' }

type Line = [daysAgo: number, uid: string, cost: number, more?: object]
type Facts = Readonly<Record<string, unknown>>
const under = (facts: Facts, path: string): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([one]) => one.startsWith(path)))

describe('what is known of resources beside their discovery', () => {
  describe('bills of resources', () => {
    let all: Awaited<ReturnType<World['gather']>>
    const factsOf = (uid: string) => under(all.get(uid)!.facts, 'bill.')

    const reservation = '/providers/Microsoft.Capacity/reservationOrders/Order-1/reservations/R-1'
    before(async () => {
      const world = new World(await tenant())
      const young = { firstSeenDays: 10 }
      world.know('i-1', 'aws-ec2')
      for (const uid of ['ten', 'six', 'today', 'free']) world.know(uid, 'aws-ec2', young)
      world.know('priced', 'aws-ec2', { ...young, hourlyRateUsd: 0.5 })
      world.know('sp-1', 'aws-savings-plan')
      world.know(reservation.toLowerCase(), 'azure-reservation')
      const plan = { x_PurchaseType: 'savings_plan', CommitmentDiscountId: 'sp-1', BilledCost: '0' }
      const covered = { x_PurchaseType: 'reserved', CommitmentDiscountId: reservation, BilledCost: '0' }
      await world.bill(
        ...range(1, 31).map((n): Line => [n, 'i-1', 2, { ...hours, ConsumedQuantity: '24' }]),
        ...range(1, 10).map((n): Line => [
          n,
          'i-1',
          1,
          { SkuMeter: 'EBS:VolumeUsage.gp3', ConsumedUnit: 'GB-Mo', ConsumedQuantity: '5' },
        ]),
        [2, 'i-1', 0, { ...hours, x_PurchaseType: 'reserved', ListCost: '3', ConsumedQuantity: '6' }],
        [0, 'i-1', 50],
        ...range(1, 10).map((n): Line => [n, 'ten', 3, { ...hours, ConsumedQuantity: '12' }]),
        ...range(1, 6).map((n): Line => [n, 'six', 3]),
        [0, 'today', 4],
        [1, 'i-9', 30, { ...plan, CommitmentDiscountStatus: 'Used', ContractedCost: '50', ListCost: '60' }],
        [2, '', 10, { ...plan, CommitmentDiscountStatus: 'Unused', ListCost: '0' }],
        [1, 'vm-9', 3, { ...covered, CommitmentDiscountStatus: 'Used', ContractedCost: '4' }],
        [2, '', 1, { ...covered, CommitmentDiscountStatus: 'Unused', ListCost: '0' }],
      )
      all = await world.gather()
    })

    it('adds up 30 whole days, and says of what', () => {
      const facts = factsOf('i-1')
      expect(Object.entries(facts).filter(([, value]) => value !== 0)).to.have.deep.members([
        ['bill.cost_30d', 70],
        ['bill.cost_basis', 'billed'],
        ['bill.on_demand_cost_30d', 70],
        ['bill.on_demand_share_30d', 1],
        ['bill.usage_hours_30d', 726],
        ['bill.covered_on_demand_equivalent_30d', 3],
        ['bill.component.compute_30d', 60],
        ['bill.component.storage_30d', 10],
      ])
      expect(facts['bill.component.iops_30d']).to.equal(0)
    })

    it('projects what is young from a week on, takes today alone, then the price while it runs, else does not know', () => {
      const costs = ['ten', 'six', 'today', 'free', 'priced'].map((uid) => {
        const facts = factsOf(uid)
        return [uid, facts['bill.cost_30d'], facts['bill.cost_basis']]
      })
      expect(costs).to.deep.equal([
        ['ten', 90, 'projected'],
        ['six', 18, 'billed'],
        ['today', 4, 'today'],
        ['free', undefined, undefined],
        ['priced', 360, 'rate'],
      ])
      expect(factsOf('ten')).to.include({ 'bill.usage_hours_30d': 360, 'bill.component.compute_30d': 90 })
      expect(factsOf('today')).to.not.have.property('bill.component.compute_30d')
    })

    it('tells how far a commitment is used by effective cost, whatever the shown cost is', () => {
      expect(factsOf('sp-1')).to.deep.equal({
        'bill.cost_30d': 40,
        'bill.cost_basis': 'billed',
        'bill.unused_30d': 10,
        'bill.covered_on_demand_equivalent_30d': 50,
        'bill.utilization_30d': 0.75,
      })
    })

    it('knows a reservation of Azure by the id that FOCUS writes in mixed case', () => {
      expect(factsOf(reservation.toLowerCase())).to.include({
        'bill.cost_30d': 4,
        'bill.unused_30d': 1,
        'bill.utilization_30d': 0.75,
      })
    })
  })

  describe('bills of accounts', () => {
    let world: World
    beforeEach(async () => void (world = new World(await tenant())))

    deepIt('tells what of an account is steady, covered and without tags', async () => {
      world.know('a-1', 'aws-account')
      world.know('i-1', 'aws-ec2')
      const run = { ServiceName: 'AmazonEC2', ...hours }
      // 20 on two days and 50 on 28: the 5th percentile lies at 1.45 of 29 steps, 0.45 of the way from 20 to 50.
      await world.bill(...range(1, 30).map((n): Line => [n, 'i-1', n <= 2 ? 20 : 50, run]), [
        3,
        'i-1',
        360,
        { ...run, x_PurchaseType: 'savings_plan' },
      ])
      await world.org.connections.clickhouse.command({
        query: `INSERT INTO resource_state (org_id, cloud_account_id, resource_uid, tags, first_seen_at, observed_at, x_Version)
                VALUES ({org:String}, 'acct-1', 'i-1', map('Owner', 'x'), now(), now(), 340282366920938463463374607431768211455)`,
        query_params: { org: world.org.orgId },
      })
      const governance = { ...governanceDefaults, requiredTags: ['owner'] }
      const facts = await world.facts('a-1', 'bill.', { governance })
      expect(facts['bill.cost_30d']).to.equal(1800)
      expect(facts['bill.untagged_share_30d']).to.equal(0)
      expect(facts['bill.service.compute.on_demand_30d']).to.equal(1440)
      expect(facts['bill.service.compute.steady_on_demand_30d']).to.be.closeTo(30 * 33.5, 1e-9)
      expect(facts['bill.service.compute.coverage_30d']).to.be.closeTo(0.2, 1e-12)
      expect(facts['bill.service.dynamodb.on_demand_30d']).to.equal(0)
      const more = { ...governanceDefaults, requiredTags: ['owner', 'cost-center'] }
      expect(await world.facts('a-1', 'bill.untagged', { governance: more })).to.deep.equal({
        'bill.untagged_share_30d': 1,
      })
    })

    it('tells what an organization spent, and that nothing was billed', async () => {
      const tools = { ask: world.tools.ask, cost: 'billed_cost' as const }
      const { orgId } = world.org
      expect(await orgSpend30d(tools, orgId, now)).to.equal(null)
      await world.bill([31, 'i-1', 100], [30, 'i-1', 1], [1, '', 2, { ChargeCategory: 'Tax' }], [0, 'i-1', 1000])
      expect(await orgSpend30d(tools, orgId, now)).to.equal(3)
    })
  })

  describe('history', () => {
    let all: Awaited<ReturnType<World['gather']>>
    const factsOf = (uid: string) => under(all.get(uid)!.facts, 'hist.')

    before(async () => {
      const world = new World(await tenant())
      world.know('halted', 'aws-ec2', { status: 'stopped', firstSeenDays: 100 })
      for (const uid of ['late', 'restarted']) world.know(uid, 'aws-ec2', { firstSeenDays: 60 })
      for (const uid of ['unwatched', 'billed']) world.know(uid, 'aws-ec2', { firstSeenDays: 3 })
      for (const uid of ['named', 'grouped', 'neither']) world.know(uid, 'aws-ec2')
      await world.insert('resource_change', [
        // Ran from 20 days ago for 12 days.
        change('halted', 100, 0, '', 'stopped'),
        change('halted', 20, 0, 'stopped', 'running'),
        change('halted', 8, 0, 'running', 'stopped'),
        change('late', 60, 0, '', 'stopped'),
        change('late', 2, 0, 'stopped', 'running'),
        change('unwatched', 3, 0, '', 'running'),
        change('billed', 3, 0, '', 'running'),
        change('restarted', 60, 0, '', 'running'),
        change('restarted', 10, 0, 'running', 'stopped'),
        change('restarted', 9, 0, 'stopped', 'running'),
        change('restarted', 6, 6, 'running', 'stopped'),
        change('restarted', 5, 0, 'stopped', 'running'),
      ])
      await world.insert('state_history', [
        { resource_uid: 'restarted', action_id: 'a-1', state: 'running', changed_at: moment(9, 0.1) },
      ])
      await world.org.put(
        'scheduler_event',
        [
          [6, 0, 'stop'],
          [5, 0, 'start'],
          [2, 0, 'stop'],
          [1, 12, 'start'],
        ].map(([days, hour, action]) => ({
          org_id: world.org.orgId,
          resource_uid: 'restarted',
          triggered_at: moment(days as number, hour as number),
          schedule_id: 's-1',
          action,
          status: 'completed',
          x_Version: '1',
        })),
      )
      // The 31st day does not count.
      await world.bill(...range(1, 31).map((n): Line => [n, 'billed', 1, { ...hours, ConsumedQuantity: '18' }]))
      const { body: group } = await world.org.send('POST', '/resource-groups', {
        name: 'g',
        members: [{ resourceUID: 'grouped' }],
      })
      const made = await world.org.send('POST', '/schedules', {
        name: 's',
        timezone: 'UTC',
        rules: [{ action: 'stop', cron: '0 18 * * *' }],
        enabled: true,
        resourceUIDs: ['named'],
        resourceGroupIDs: [group.data.id],
      })
      expect(made.status, JSON.stringify(made.body)).to.equal(201)
      all = await world.gather()
    })

    it('tells since when it is as it is, and for which part of the time it ran', () => {
      const facts = factsOf('halted')
      expect(facts['hist.status_days']).to.be.closeTo(8 + 9.5 / 24, 1e-9)
      expect(facts['hist.running_share_30d']).to.be.closeTo(12 / 30, 1e-12)
      expect(facts['hist.has_schedule']).to.equal(false)
      expect(facts['hist.schedule_overrun_hours_14d']).to.equal(0)
    })

    it('tells the share outside business hours', () => {
      // A fortnight from Monday 23 March has ten business days: 236 hours outside of 08:00 to 18:00. It ran the last two days: 48 of them.
      expect(factsOf('late')['hist.offhours_running_share_14d']).to.be.closeTo(48 / 236, 1e-12)
    })

    it('does not know of what was not watched for seven tenths of the time, but for what a bill says of hours', () => {
      expect(Object.keys(factsOf('unwatched'))).to.have.members([
        'hist.status_days',
        'hist.schedule_overrun_hours_14d',
        'hist.has_schedule',
      ])
      expect(factsOf('billed')['hist.running_share_30d']).to.equal(0.75)
    })

    it('counts restarts that nobody asked for, and the hours that outlast the stop of a schedule', () => {
      const facts = factsOf('restarted')
      expect(facts['hist.auto_restarts_30d']).to.equal(1)
      expect(facts['hist.schedule_overrun_hours_14d']).to.equal(6 + 36)
    })

    it('knows which resources an enabled schedule covers, by name and by group', () => {
      const covered = ['named', 'grouped', 'neither'].map((uid) => factsOf(uid)['hist.has_schedule'])
      expect(covered).to.deep.equal([true, true, false])
    })
  })

  describe('what scales fleets', () => {
    let world: World
    before(async () => void (world = new World(await tenant())))

    it('is the policy of each, and what it did of late, beside what the inventory says [ASC-38]', async () => {
      const specs = { min_size: 1, max_size: 8, scaling_policy_count: 1 }
      world.know('g-1', 'aws-asg', { unitCount: 4, specs })
      world.know('g-2', 'aws-asg', { unitCount: 3, specs })
      const made = `${moment(20).replace(' ', 'T')}Z`
      const triggers = [{ preset: 'business-hours' as const, timezone: 'UTC' }]
      await plantedPolicies(world.org, {
        policy_id: 'p-1',
        target_uid: 'g-1',
        mode: 'autopilot',
        effective_mode: 'autopilot',
        triggers: [...triggers, ...triggers],
        current: { min: 2, max: 10, desired: 5, cpuPercent: null, observedAt: made },
        is_told: true,
        created_at: made,
        updated_at: made,
      })
      const event = (n: number, days: number, kind: string, from: number, to: number) => ({
        policy_id: 'p-1',
        n,
        event_id: `e-${n}`,
        at: moment(days, n),
        kind,
        from_min: 2,
        from_max: 10,
        from_desired: from,
        to_min: to,
        to_max: 10,
        to_desired: to,
        target_uid: 'g-1',
      })
      // Eight days ago is outside of the window, a recommendation is no change, and one hour is more than two cooldowns.
      const events = [event(1, 8, 'write', 4, 6), event(2, 3, 'recommendation', 6, 8), event(3, 3, 'write', 6, 8)]
      const back = { ...event(4, 3, 'schedule', 8, 4), at: moment(3, 3 + 9 / 60) }
      await world.insert('policy_event', [...events, back, event(5, 3, 'apply', 4, 6), event(6, 0, 'write', 6, 4)])
      const reads = new Map([['aws-asg', ['scale_events.sum.7d', 'scale_reversals.sum.7d', 'cpu_percent.p95.14d']]])
      const all = await world.gather({ reads })
      const of = (uid: string) =>
        Object.fromEntries(Object.entries(all.get(uid)!.facts).filter(([path]) => /^(scale|metric)\./.test(path)))
      expect(of('g-1')).to.deep.equal({
        'scale.has_policy': true,
        'scale.native_policy_count': 1,
        'scale.current': 5,
        'scale.min': 2,
        'scale.max': 10,
        'scale.target_cpu_percent': 60,
        'scale.cooldown_seconds': 300,
        'scale.trigger_count': 2,
        'metric.scale_events.sum.7d': 3,
        'metric.scale_reversals.sum.7d': 1,
      })
      expect(of('g-2')).to.deep.equal({
        'scale.has_policy': false,
        'scale.native_policy_count': 1,
        'scale.current': 3,
        'scale.min': 1,
        'scale.max': 8,
        'scale.target_cpu_percent': null,
        'scale.cooldown_seconds': null,
        'scale.trigger_count': null,
      })
    })
  })

  describe('relations', () => {
    let world: World
    beforeEach(async () => void (world = new World(await tenant())))

    it('tells what hangs on what: costs of disks, the holder of a disk, sources of copies, members of groups', async () => {
      await Promise.all([
        world.discover('g-1', 'aws-asg'),
        world.discover('i-1', 'aws-ec2', { parentUid: 'g-1', status: 'stopped' }),
        world.discover('v-1', 'aws-ebs-volume', { parentUid: 'i-1' }),
        world.discover('v-2', 'aws-ebs-volume', { specs: { attached: false, days_detached: 200 } }),
        world.discover('s-1', 'aws-ebs-snapshot', { specs: { volume_id: 'v-1' } }),
        world.discover('s-2', 'aws-ebs-snapshot', { specs: { volume_id: 'v-9' } }),
      ])
      await world.bill([1, 'i-1', 5], [1, 'v-1', 7], [2, 'v-1', 1], [1, 'g-1', 2])
      const all = await world.gather()
      const of = (uid: string) => {
        const { facts } = all.get(uid)!
        return Object.fromEntries(Object.entries(facts).filter(([path]) => /^(rel|res)\./.test(path)))
      }
      expect(of('g-1')).to.deep.equal({ 'res.managed': false, 'res.child_count': 1 })
      expect(all.get('g-1')!.facts['bill.cost_30d']).to.equal(15)
      expect(of('i-1')).to.deep.equal({
        'res.managed': true,
        'res.child_count': 1,
        'rel.attached_storage_cost_30d': 8,
        'rel.load_balancer_count': 0,
      })
      expect(of('v-1')).to.deep.equal({ 'res.managed': false, 'res.child_count': 0, 'rel.instance_status': 'stopped' })
      expect(of('v-2')).to.deep.equal({
        'res.managed': false,
        'res.child_count': 0,
        'rel.attached': false,
        'rel.detached_days': 200,
        'rel.instance_status': null,
      })
      expect(of('s-1')['rel.source_exists']).to.equal(true)
      expect(of('s-2')['rel.source_exists']).to.equal(false)
    })

    it('says that the source of a copy is gone only where it would be seen: whatever way it is written, wherever it may be', async () => {
      const arn = 'arn:aws:ec2:eu-west-1:1:volume/V-1'
      const copies = { 'by-arn': arn, copied: 'vol-ffffffff', gone: 'v-9' }
      await Promise.all([
        world.discover('v-1', 'aws-ebs-volume'),
        ...Object.entries(copies).map(([uid, source_id]) =>
          world.discover(uid, 'aws-ebs-snapshot', { specs: { source_id } }),
        ),
        world.discover('of-azure', 'azure-snapshot', { specs: { source_resource_id: '/disks/D-9' } }),
      ])
      const seen = { ...(await accountState(world.tools, world.org.orgId, 'acct-1')), isInventoryComplete: true }
      const all = await world.gather(seen)
      const exists = ['by-arn', 'copied', 'gone', 'of-azure'].map((uid) => all.get(uid)!.facts['rel.source_exists'])
      // The inventory has no disk of Azure at all: its role may not list any.
      expect(exists).to.deep.equal([true, undefined, false, undefined])
    })

    it('knows of no members only where it has something of their kind in the region, and of no controller it cannot see', async () => {
      await Promise.all([
        world.discover('h-1', 'aws-dedicated-host'),
        world.discover('i-1', 'aws-ec2', { parentUid: 'unseen' }),
        world.discover('c-1', 'aws-eks'),
        world.discover('i-2', 'aws-ec2', { parentUid: 'c-1' }),
      ])
      const paths = { 'h-1': 'rel.instance_count', 'i-1': 'res.managed', 'i-2': 'res.managed' }
      const facts = async (holds: (which: RegExp) => boolean) => {
        const all = await world.gather({ holds })
        return Object.entries(paths).map(([uid, path]) => all.get(uid)!.facts[path])
      }
      expect(await facts((which) => which.test('aws-ec2'))).to.deep.equal([0, undefined, true])
      expect(await facts(() => false)).to.deep.equal([undefined, undefined, true])
    })

    it('leaves out what an inventory that was never seen whole cannot tell', async () => {
      await Promise.all([
        world.discover('i-1', 'aws-ec2', { parentUid: 'g-9' }),
        world.discover('v-1', 'aws-ebs-volume'),
        world.discover('s-1', 'aws-ebs-snapshot', { specs: { volume_id: 'v-9' } }),
      ])
      const seen = await accountState(world.tools, world.org.orgId, 'acct-1')
      expect(seen).to.deep.include({ isInventoryComplete: false, collector: undefined })
      const all = await world.gather(seen)
      const unknown = ['res.managed', 'rel.attached_storage_cost_30d', 'rel.instance_status', 'rel.source_exists']
      const told = [...all].flatMap(([uid, { facts }]) =>
        unknown.filter((path) => path in facts).map((path) => `${uid} ${path}`),
      )
      expect(told).to.deep.equal(['v-1 res.managed', 's-1 res.managed'])
    })

    deepIt('tells since when it is there by the oldest evidence of any kind', async () => {
      await Promise.all([
        world.discover('seen', 'aws-ec2', { firstSeenDays: 3 }),
        world.discover('said', 'aws-ec2', { firstSeenDays: 3, specs: { created_at: '2025-01-01T00:00:00Z' } }),
        world.discover('billed', 'aws-ec2', { firstSeenDays: 3 }),
        world.discover('sampled', 'aws-ec2', { firstSeenDays: 3 }),
        world.discover('detached', 'aws-ebs-volume', { firstSeenDays: 3, specs: { days_detached: 40 } }),
      ])
      await world.bill([60, 'billed', 1], [95, 'billed', 1])
      await world.insert('metric_sample', [
        { resource_uid: 'sampled', metric: 'cpu_percent', ts: moment(20, 6), value: 1 },
      ])
      const born = [...(await world.gather())].map(([uid, { bornAt }]) => [uid, bornAt])
      expect(born).to.deep.equal([
        ['seen', '2026-04-03T00:00:00.000Z'],
        ['said', '2025-01-01T00:00:00.000Z'],
        ['billed', '2026-02-05T00:00:00.000Z'],
        ['sampled', '2026-03-17T06:00:00.000Z'],
        ['detached', '2026-02-25T09:30:00.000Z'],
      ])
    })
  })
})
