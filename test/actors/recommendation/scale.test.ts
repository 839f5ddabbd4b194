import { expect } from 'chai'
import type { GatherAbout, GatherResource, GatherTools } from '#actors/recommendation/sweep/gather/context.ts'
import {
  askScaling,
  scaleCounts,
  scaleFacts,
  type ScaleChange,
  type ScalePolicy,
  type Scaling,
} from '#actors/recommendation/sweep/gather/scale.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import { scaleChanges } from '#analytics/recommendation/questions.ts'
import { AuditedVolume } from '#test/harness/audit.ts'

/** Windows end with the day before. */
const now = new Date('2026-04-06T09:30:00Z')
const until = Date.parse('2026-04-06T00:00:00Z')
const dayMs = 86_400_000

const about: GatherAbout = {
  orgId: 'o1',
  account: 'acct-1',
  now,
  cost: 'billed_cost',
  reads: new Map([['aws-asg', programOf('aws-asg').metrics]]),
  governance: governanceDefaults,
  collector: undefined,
  isInventoryComplete: true,
  holds: () => true,
}
const group: GatherResource = {
  uid: 'r-1',
  type: 'aws-asg',
  status: 'running',
  parentUid: '',
  region: 'us-east-1',
  unitCount: 4,
  hourlyRateUsd: 0.68,
  specs: { min_size: 2, max_size: 10, desired: 4, scaling_policy_count: 0, created_at: '2025-01-01T00:00:00Z' },
  createdAt: new Date(until - 100 * dayMs),
}
const policy: ScalePolicy = {
  uid: 'r-1',
  policyId: 'p-1',
  min: 2,
  max: 10,
  targetCpuPercent: 60,
  cooldownSeconds: 300,
  triggers: 1,
  desired: 5,
  createdAt: new Date(until - 30 * dayMs),
}
const scaling = (own?: Partial<ScalePolicy>, changes: readonly ScaleChange[] = []): Scaling => ({
  policies: new Map(own ? [['r-1', { ...policy, ...own }]] : []),
  changes: new Map([['p-1', changes]]),
})
const change = (at_ms: number, from: number, to: number): ScaleChange => ({
  policy_id: 'p-1',
  at_ms,
  from_min: 2,
  from_max: 10,
  from_desired: from,
  to_min: 2,
  to_max: 10,
  to_desired: to,
})
/** Up and down again, a change every `seconds`, since the middle of yesterday. */
const flapping = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, n) =>
    change(until - dayMs / 2 + n * seconds * 1000, n % 2 === 0 ? 4 : 6, n % 2 === 0 ? 6 : 4),
  )
const facts = (of: Partial<GatherResource>, known: Scaling, told: Record<string, never> = {}) =>
  scaleFacts({ ...group, ...of }, known, told, about)

describe('what scales a fleet', () => {
  it('is its policy: bounds, target, cooldown and triggers as it has them, units as it knows them [ASC-38]', () => {
    expect(facts({}, scaling({ min: 3, max: 12, triggers: 2 }))).to.deep.equal({
      'scale.has_policy': true,
      'scale.native_policy_count': 0,
      'scale.current': 5,
      'scale.min': 3,
      'scale.max': 12,
      'scale.target_cpu_percent': 60,
      'scale.cooldown_seconds': 300,
      'scale.trigger_count': 2,
      'metric.scale_events.sum.7d': 0,
      'metric.scale_reversals.sum.7d': 0,
    })
  })

  it('is known to be nothing without one: bounds and units are those of the inventory [ASC-38]', () => {
    expect(facts({}, scaling())).to.deep.equal({
      'scale.has_policy': false,
      'scale.native_policy_count': 0,
      'scale.current': 4,
      'scale.min': 2,
      'scale.max': 10,
      'scale.target_cpu_percent': null,
      'scale.cooldown_seconds': null,
      'scale.trigger_count': null,
    })
  })

  it('is not known where a producer leaves it out, and is asked of no resource that rules do not ask it of', () => {
    const told = facts({ unitCount: null, specs: {} }, scaling())
    expect(
      Object.entries(told)
        .filter(([, value]) => value === undefined)
        .map(([path]) => path),
    ).to.deep.equal(['scale.native_policy_count', 'scale.current', 'scale.min', 'scale.max'])
    expect(facts({ type: 'aws-ec2' }, scaling())).to.deep.equal({})
    expect(facts({ type: 'aws-eks-nodegroup' }, scaling())).to.deep.equal({})
  })

  it('is policies of the cloud as each inventory tells them', () => {
    const native = (type: string, specs: object) =>
      facts({ type, specs: { ...specs } }, scaling())['scale.native_policy_count']
    expect([
      native('aws-asg', { scaling_policy_count: 2 }),
      native('aws-ecs-service', { autoscaling: true }),
      native('aws-ecs-service', { autoscaling: false }),
      native('gcp-mig', { autoscaler: true }),
      native('azure-vmss', { autoscale: false }),
      native('azure-vmss', {}),
      native('azure-databricks-instance-pool', {}),
    ]).to.deep.equal([2, 1, 0, 1, 0, undefined, 0])
  })

  it('has units and bounds by whatever name the inventory of a cloud has for them', () => {
    const of = (type: string, specs: object) => {
      const told = facts({ type, unitCount: null, specs: { ...specs } }, scaling())
      return [told['scale.min'], told['scale.max'], told['scale.current']]
    }
    expect([
      of('aws-ecs-service', { min_capacity: 1, max_capacity: 8, desired_count: 3 }),
      of('gcp-mig', { min_replicas: 2, max_replicas: 9, target_size: 4 }),
      of('azure-vmss', { min_capacity: 1, max_capacity: 5, capacity: 2 }),
      of('azure-databricks-instance-pool', { min_idle: 2, max_capacity: 10 }),
    ]).to.deep.equal([
      [1, 8, 3],
      [2, 9, 4],
      [1, 5, 2],
      [2, 10, undefined],
    ])
  })

  it('is asked of PostgreSQL and ClickHouse once a page, and not at all where there is no fleet', async () => {
    const asked: unknown[] = []
    const tools = {
      reads: { rows: async (_: string, params: unknown[]) => (asked.push(params), [policy]) },
      ask: async (q: unknown, params: unknown) => (asked.push(params), q === scaleChanges ? flapping(2, 300) : []),
    } as unknown as GatherTools
    const machine = { ...group, uid: 'i-1', type: 'aws-ec2' }
    expect(await askScaling(tools, [machine], about)).to.deep.equal({ policies: new Map(), changes: new Map() })
    expect(asked).to.deep.equal([])
    expect(await askScaling(tools, [machine, group], about)).to.deep.equal(scaling({}, flapping(2, 300)))
    expect(asked).to.deep.equal([
      ['o1', 'acct-1', ['r-1']],
      { org: 'o1', policies: ['p-1'], from_ms: until - 14 * dayMs, to_ms: until },
    ])
  })
})

describe('changes of a fleet', () => {
  const t0 = until - dayMs
  const at = (seconds: number, from: number, to: number) => change(t0 + seconds * 1000, from, to)

  it('go back where they undo the one before within two cooldowns', () => {
    // Up; down after 600 s: back. Down again: on. Up after 601 s: too late. Down 10 s later: back.
    const changes = [at(0, 4, 6), at(600, 6, 4), at(700, 4, 3), at(1301, 3, 5), at(1311, 5, 4)]
    expect(scaleCounts(changes, 300)).to.deep.equal({ scale_events: 5, scale_reversals: 2 })
    expect(scaleCounts(changes, 1)).to.deep.equal({ scale_events: 5, scale_reversals: 0 })
  })

  it('are those of bounds too, but what changes nothing is none', () => {
    const same = at(10, 4, 4)
    const bounds = { ...at(20, 4, 4), to_max: 12 }
    const untold = { ...at(30, 0, 0), from_desired: null, to_desired: null, to_min: 6 }
    expect(scaleCounts([same], 300)).to.deep.equal({ scale_events: 0, scale_reversals: 0 })
    expect(scaleCounts([at(0, 6, 4), same, bounds, untold], 300)).to.deep.equal({ scale_events: 3, scale_reversals: 1 })
  })

  it('are told by samples where there are some, else by what a policy did that is as old as the window', () => {
    const of = (told: Record<string, unknown>, own: Partial<ScalePolicy> = {}) =>
      facts({}, scaling(own, flapping(4, 300)), told as never)['metric.scale_events.sum.7d']
    expect([
      of({}),
      of({ 'metric.scale_events.sum.7d': null }),
      of({ 'metric.scale_events.sum.7d': 9 }),
      of({}, { createdAt: new Date(until - 7 * dayMs) }),
      of({}, { createdAt: new Date(until - 7 * dayMs + 1) }),
    ]).to.deep.equal([4, 4, undefined, 4, undefined])
    const long = [change(until - 8 * dayMs, 4, 6), change(until, 6, 4)]
    expect(facts({}, scaling({}, long))['metric.scale_events.sum.7d']).to.equal(0)
  })
})

/** One group that was audited with these facts: what the six rules say, with the saving of what they find. */
function rulesOf(
  own: Partial<ScalePolicy> | undefined,
  metrics: Record<string, number>,
  changes: readonly ScaleChange[] = [],
) {
  const audited = new AuditedVolume()
  audited.now = now.getTime()
  audited.discover({
    type: 'aws-asg',
    name: 'web',
    instanceType: 'c5.xlarge',
    unitCount: 4,
    hourlyRateUSD: 0.68,
    specs: { ...group.specs },
  })
  const measured = Object.fromEntries(Object.entries(metrics).map(([path, value]) => [`metric.${path}`, value]))
  const bill = { 'bill.cost_30d': 300, 'bill.component.compute_30d': 300, 'hist.running_share_30d': 1 }
  const known = { ...bill, ...measured }
  const { emitted } = audited.gather({ ...known, ...facts({}, scaling(own, changes), known as never) })
  const found = emitted.flatMap(({ data }) => (data.finding?.ruleId.startsWith('RC-ASC-') ? [data.finding] : []))
  const outcomes = Object.entries(audited.state.outcomes).filter(([id]) => id.startsWith('RC-ASC-'))
  return {
    outcomes: Object.fromEntries(outcomes.map(([id, { o }]) => [id.slice(-1), o])),
    found: found.map(({ ruleId, titleTo, savingsUsd }) => [ruleId, titleTo, savingsUsd]),
  }
}

describe('rules about autoscalers', () => {
  it('hold all six while nothing is known', () => {
    const audited = new AuditedVolume()
    audited.discover({ type: 'aws-asg', specs: { created_at: '2025-01-01T00:00:00Z' } })
    audited.gather({ 'bill.cost_30d': 300 })
    const of = (n: number) => audited.state.outcomes[`RC-ASC-00${n}`]?.o
    expect([1, 2, 3, 4, 5, 6].map(of)).to.deep.equal(['h', 'h', 'h', 'h', 'h', 'h'])
  })

  it('RC-ASC-001: a fleet that nobody scales though its load varies, until it has a policy [ASC-38]', () => {
    // 45 / 15 is three times; 4 x 15 / 60 = 1 unit at least, 4 x 75 / 60 = 5 at most; 300 x (1 - 20 / 60) = 200.
    const load = {
      'cpu_percent.avg.14d': 20,
      'cpu_percent.p50.14d': 15,
      'cpu_percent.p95.14d': 45,
      'cpu_percent.max.14d': 75,
    }
    expect(rulesOf(undefined, load).found).to.deep.equal([['RC-ASC-001', '1 to 5', 200]])
    const covered = rulesOf({}, load)
    expect([covered.found, covered.outcomes['1']]).to.deep.equal([[], 'c'])
  })

  it('RC-ASC-002: a minimum above what is needed, until the load needs it [ASC-38]', () => {
    // 22 / 60 of 6 are 2.2: three units; half of 300.
    const own = { min: 6 }
    const load = { 'capacity.p50.14d': 6, 'cpu_percent.p95.14d': 22 }
    expect(rulesOf(own, load).found).to.deep.equal([['RC-ASC-002', '3', 150]])
    const used = rulesOf(own, { ...load, 'cpu_percent.p95.14d': 40 })
    expect([used.found, used.outcomes['2']]).to.deep.equal([[], 'c'])
  })

  it('RC-ASC-003: a maximum that holds the fleet down, until it does not [ASC-38]', () => {
    // 10 x 90 / 60 = 15; what it will cost more is no saving.
    const load = { 'capacity.p95.14d': 10, 'cpu_percent.p95.14d': 80, 'cpu_percent.p99.14d': 90 }
    expect(rulesOf({}, load).found).to.deep.equal([['RC-ASC-003', '15', 0]])
    const free = rulesOf({}, { ...load, 'capacity.p95.14d': 8 })
    expect([free.found, free.outcomes['3']]).to.deep.equal([[], 'c'])
  })

  it('RC-ASC-004: a target that is too careful, until it is raised [ASC-38]', () => {
    // 300 x (1 - 40 / 60) = 100.
    const load = { 'capacity.p50.14d': 4, 'cpu_percent.p99.14d': 70 }
    expect(rulesOf({ targetCpuPercent: 40 }, load).found).to.deep.equal([['RC-ASC-004', '60', 100]])
    const raised = rulesOf({ targetCpuPercent: 50 }, load)
    expect([raised.found, raised.outcomes['4']]).to.deep.equal([[], 'c'])
  })

  it('RC-ASC-005: a minimum that is the same all week though the load is not, until a trigger lowers it [ASC-38]', () => {
    // 118 of 168 hours: 300 x 118 / 168 = 210.71.
    const load = { 'cpu_percent.on_p95.14d': 50, 'cpu_percent.off_p95.14d': 10 }
    expect(rulesOf({ triggers: 0 }, load).found).to.deep.equal([['RC-ASC-005', 'business-hours', 210.71]])
    const triggered = rulesOf({ triggers: 1 }, load)
    expect([triggered.found, triggered.outcomes['5']]).to.deep.equal([[], 'c'])
  })

  it('RC-ASC-006: a fleet that goes to and fro, by what its policy did, until it calms down [ASC-38]', () => {
    expect(rulesOf({}, {}, flapping(50, 600)).found).to.deep.equal([['RC-ASC-006', '600', 0]])
    const calm = rulesOf({}, {}, flapping(49, 600))
    expect([calm.found, calm.outcomes['6']]).to.deep.equal([[], 'c'])
    const slow = rulesOf({}, {}, flapping(60, 601))
    expect([slow.found, slow.outcomes['6']]).to.deep.equal([[], 'c'])
  })

  it('clear what was found of a policy once it is removed, but do not tell of what is not known', () => {
    const load = { 'capacity.p95.14d': 10, 'cpu_percent.p95.14d': 80, 'cpu_percent.p99.14d': 90, 'capacity.p50.14d': 4 }
    expect(rulesOf(undefined, load).outcomes).to.deep.equal({ 1: 'h', 2: 'c', 3: 'c', 4: 'c', 5: 'c', 6: 'h' })
  })
})
