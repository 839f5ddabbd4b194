import { expect } from 'chai'
import { environmentOf } from '#actors/recommendation/audit/facts.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { uuidOf } from '#engine/value/id.ts'
import { AuditedVolume, noReferences, organizationNow, told } from '#test/harness/audit.ts'
import { tables } from '#test/harness/reference.ts'
import { amount } from '#test/harness/tier.ts'

const dayMs = 86_400_000
const t0 = Date.parse('2026-01-15T10:00:00Z')
/** Attached to nothing for three weeks. */
const orphan = { specs: { state: 'available', days_detached: 21, volume_type: 'gp3', encrypted: true } }
const attached = { specs: { state: 'in-use', days_detached: 0, volume_type: 'gp3', encrypted: true } }
const bill = { 'bill.cost_30d': 8 }

/** Random ways that a case tries. */
const ways = amount(60, 300, 3000)

describe('the audit of a resource', () => {
  it('finds what a discovery says already, at once, under an id that stays [REC-55] [G-66]', () => {
    const volume = new AuditedVolume()
    const { emitted } = volume.discover(orphan)
    const { data } = emitted[0]!
    expect([data.recommendationId, data.n]).to.deep.equal([
      uuidOf('recommendation', 'o1', 'acct-1', 'r-1', 'RC-1301'),
      1,
    ])
    expect(data.finding).to.deep.include({
      ruleId: 'RC-1301',
      resourceName: 'scratch',
      category: 'orphan',
      actionType: 'delete',
      destructive: true,
      titleTo: '',
      savingsUsd: 0,
      confidence: 1,
      severity: 'info',
      heldBackBy: '',
    })
    expect(data.finding.specs).to.include({ instanceType: 'gp3', sizeGB: '100', state: 'available' })
  })

  it('leads to the console by the project that a name of Google says, whatever id its account has here', () => {
    const uid = 'projects/shop-prod/zones/europe-west1-b/disks/old'
    const specs = {
      state: 'READY',
      zone: 'europe-west1-b',
      attached: false,
      user_count: 0,
      detached_days: 40,
      created_at: '2025-01-01T00:00:00Z',
    }
    const { emitted } = new AuditedVolume(organizationNow(), uid).discover({
      resourceUid: uid,
      name: 'old',
      type: 'gcp-disk',
      provider: 'gcp',
      instanceType: 'pd-standard',
      specs,
    })
    expect(new Set(emitted.map(({ data }) => data.finding.consoleUrl))).to.deep.equal(
      new Set([
        'https://console.cloud.google.com/compute/disksDetail/zones/europe-west1-b/disks/old?project=shop-prod',
      ]),
    )
  })

  it('says nothing of what is the same as before, and what changed of it where something did', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan)
    expect(volume.discover(orphan).emitted).to.deep.equal([])
    expect(volume.state.observedAt).to.deep.equal(new Date(volume.now))
    expect(told(volume.gather(bill))).to.deep.equal([['RC-1301', 8]])
    expect(told(volume.gather(bill))).to.deep.equal([])
    expect(told(volume.gather({ 'bill.cost_30d': 9 }))).to.deep.equal([['RC-1301', 9]])
  })

  it('ends a finding whose reason is gone, and tells it anew under the same id when it is back [REC-47]', () => {
    const volume = new AuditedVolume()
    const first = volume.discover(orphan).emitted[0]!.data
    const ended = volume.discover(attached).emitted
    expect(ended.map(({ data }) => [data.recommendationId, data.n, data.why])).to.deep.equal([
      [first.recommendationId, 2, 'cleared'],
    ])
    const again = volume.discover(orphan).emitted[0]!.data
    expect([again.recommendationId, again.n]).to.deep.equal([first.recommendationId, 3])
  })

  it('holds, and neither finds nor ends, while what a rule reads is unknown', () => {
    const volume = new AuditedVolume()
    expect(told(volume.discover({ specs: { state: 'available' } }))).to.deep.equal([])
    expect(volume.state.outcomes['RC-1301']!.o).to.equal('h')
    volume.discover(orphan)
    expect(told(volume.discover({ specs: { volume_type: 'gp3' } }))).to.deep.equal([])
    expect([volume.state.outcomes['RC-1301']!.o, Object.keys(volume.state.told)]).to.deep.equal(['h', ['RC-1301']])
  })

  it('finds a volume at its first discovery by when the cloud says it was detached', () => {
    const seen = { state: 'available', volume_type: 'gp3', created_at: '2025-06-01T00:00:00Z' }
    // t0 is 14 days and 1 hour after the first, and 13 days and 23 hours after the second.
    const two = ['2026-01-01T09:00:00Z', '2026-01-01T11:00:00Z'].map((detached_at) => {
      const volume = new AuditedVolume()
      return told(volume.discover({ specs: { ...seen, detached_at } }, { at: t0 }))
    })
    expect(two).to.deep.equal([[['RC-1301', 0]], []])
  })

  it('finds a disk of Google that was never attached by its age', () => {
    const specs = { state: 'READY', user_count: 0, detached_at: null, created_at: '2025-06-01T00:00:00Z' }
    const disk = new AuditedVolume(organizationNow(), 'd-1')
    const found = { resourceUid: 'd-1', type: 'gcp-disk', provider: 'gcp', instanceType: 'pd-ssd', specs } as const
    expect(told(disk.discover(found, { at: t0 }))).to.deep.include(['RC-2301', 0])
  })

  it('keeps since when it cannot be told where something was told or decided, and of nothing else', () => {
    const volume = new AuditedVolume()
    volume.discover({ specs: { state: 'available' } }, { at: t0 })
    expect(volume.state.outcomes['RC-1301']).to.deep.equal({ o: 'h' })
    volume.discover(orphan, { at: t0 + 1000 })
    volume.discover({ specs: { volume_type: 'gp3' } }, { at: t0 + 2000 })
    const held = new Date(t0 + 2000).toISOString()
    expect(volume.state.outcomes['RC-1301']!.held).to.equal(held)
    volume.discover({ specs: {} }, { at: t0 + 3000 })
    expect(volume.state.outcomes['RC-1301']!.held).to.equal(held)
    const others = Object.entries(volume.state.outcomes).filter(([, { o, since }]) => o === 'h' && since === undefined)
    expect(others.length).to.be.above(1)
    for (const [id, { held: from }] of others) expect(from, id).to.equal(id === 'RC-1301' ? held : undefined)
  })

  it('knows how long a volume has been detached by having watched it, where nobody says', () => {
    const volume = new AuditedVolume()
    volume.discover({ specs: { state: 'in-use' } }, { at: t0 })
    volume.discover({ specs: { state: 'available' } }, { at: t0 + dayMs })
    expect(told(volume.gather(bill, {}, { at: t0 + 14 * dayMs }))).to.deep.equal([])
    expect(told(volume.gather(bill, {}, { at: t0 + 15 * dayMs }))).to.deep.equal([['RC-1301', 8]])
    const found = new AuditedVolume()
    found.discover({ specs: { state: 'available' } }, { at: t0 })
    expect(told(found.gather(bill, {}, { at: t0 + 13 * dayMs }))).to.deep.equal([])
    expect(told(found.gather(bill, {}, { at: t0 + 14 * dayMs }))).to.deep.equal([['RC-1301', 8]])
  })

  it('says after thirty days of knowing nothing that a finding is stale, once; facts bring it back', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan, { at: t0 })
    volume.discover({ specs: {} }, { at: t0 + 1000 })
    const after = (days: number) => told(volume.gather(bill, {}, { at: t0 + days * dayMs + 2000 }))
    expect([after(1), after(29), after(30), after(31)]).to.deep.equal([[], [], ['stale'], []])
    expect(told(volume.discover(orphan))).to.deep.equal([['RC-1301', 8]])
  })

  it('of a resource that is gone ends with it, and an older discovery that comes late does not bring it back [S-36]', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan, { at: t0 })
    expect(told(volume.delete({ at: t0 + 5000 }))).to.deep.equal(['deleted'])
    expect(told(volume.discover(orphan, { at: t0 + 6000, time: t0 + 4000 }))).to.deep.equal([])
    expect(told(volume.gather(bill))).to.deep.equal([])
    expect(volume.state.deletedAt).to.deep.equal(new Date(t0 + 5000))
    expect(told(volume.discover(orphan, { at: t0 + 9000 }))).to.deep.equal([['RC-1301', 0]])
  })

  it('takes no facts of a resource it has never heard of, but those that say what it is', () => {
    const volume = new AuditedVolume()
    expect(told(volume.gather(bill))).to.deep.equal([])
    const resource = {
      name: 'scratch',
      type: 'aws-ebs-volume',
      provider: 'aws',
      region: 'us-east-1',
      status: 'running',
      fed: 'connector',
    }
    const times = { observedAt: new Date(t0).toISOString(), firstSeenAt: new Date(t0 - 90 * dayMs).toISOString() }
    expect(told(volume.gather(bill, { found: { resource, specs: orphan.specs, ...times } }))).to.deep.equal([
      ['RC-1301', 8],
    ])
    const older = { resource, specs: attached.specs, ...times, observedAt: new Date(t0 - 1).toISOString() }
    expect(told(volume.gather(bill, { found: older }))).to.deep.equal([])
  })

  it('retires what a policy turns off, for all resources or those it selects, and finds it again when it is on [REC-47]', () => {
    const volume = new AuditedVolume()
    volume.discover({ ...orphan, tags: { env: 'dev' } })
    const off = { category: 'orphan', enabled: false } as const
    volume.org = organizationNow({ rules: [off], version: '2' })
    expect(told(volume.gather(bill))).to.deep.equal(['retired'])
    const others = { all: [{ attr: 'res.tags.env', op: 'equals' as const, values: ['prod'] }] }
    volume.org = organizationNow({ rules: [{ ...off, selector: others }], version: '3' })
    expect(told(volume.gather(bill))).to.deep.equal([['RC-1301', 8]])
    // What is said of one rule counts before what is said of its category.
    volume.org = organizationNow({ rules: [off, { ruleId: 'RC-1301', enabled: true }], version: '4' })
    expect(told(volume.gather(bill))).to.deep.equal([])
  })

  it('goes by the figures of a policy in place of the rule’s own', () => {
    const volume = new AuditedVolume(
      organizationNow({ rules: [{ ruleId: 'RC-1301', params: { detached_days_min: 30 } }] }),
    )
    expect(told(volume.discover(orphan))).to.deep.equal([])
    const longer = { specs: { ...orphan.specs, days_detached: 30 } }
    expect(told(volume.discover(longer))).to.deep.equal([['RC-1301', 0]])
  })

  it('has no finding of cost of what people keep out of it by a tag', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan)
    expect(told(volume.discover({ ...orphan, tags: { 'Cost-Recommendations': 'Ignore' } }))).to.deep.equal(['retired'])
    expect(told(volume.discover(orphan))).to.deep.equal([['RC-1301', 0]])
  })

  it('knows which environment counts: the cloud’s tag, else what people accepted [G-43]', () => {
    const env = (tags: Record<string, string>, accepted: 'dev' | 'prod' | '') => {
      const volume = new AuditedVolume()
      volume.discover({ ...attached, tags })
      volume.state.env = accepted
      return environmentOf(volume.state, { ...governanceDefaults, envTagKeys: ['stage', 'env'] })
    }
    expect([
      env({ Stage: 'production', env: 'dev' }, 'dev'),
      env({ stage: 'blue', ENV: 'staging' }, 'dev'),
      env({ team: 'dev' }, 'prod'),
      env({}, ''),
    ]).to.deep.equal(['prod', 'staging', 'prod', 'unknown'])
  })

  it('hears what people decided, each word once, and closes what was opened again though nothing is there', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan)
    volume.settle('RC-1301', 'dismissed', 1)
    expect(volume.state.decided).to.deep.equal({ 'RC-1301': 'dismissed' })
    volume.discover(attached)
    expect(told(volume.settle('RC-1301', 'open', 2))).to.deep.equal(['cleared'])
    expect(told(volume.settle('RC-1301', 'dismissed', 1))).to.deep.equal([])
    expect(volume.state.decided).to.deep.equal({})
  })

  it('asks more of averages of an hour than of five minutes before it names a smaller size: peaks do not show in them', () => {
    const sizes: Record<string, number> = {
      'ref.instance.gpu_count': 0,
      'ref.instance.vcpus': 8,
      'ref.instance.memory_gib': 32,
    }
    const references = {
      ...noReferences,
      fact: (path: string) => sizes[path],
      fit: () => ({ instance_type: 'm5.xlarge', vcpus: 4, memory_gib: 16 }),
      price: (_: unknown, target: unknown) => (target ? 0.192 : 0.384),
    }
    const machine = new AuditedVolume(organizationNow({ references }))
    const specs = { lifecycle: 'on-demand', created_at: '2024-01-01T00:00:00Z' }
    machine.discover({ type: 'aws-ec2', instanceType: 'm5.2xlarge', specs })
    const rightsized = (p99: number, stepSeconds: number) => {
      const measured = { days: 14, stepSeconds, coverage: { '14d': 1 } }
      const facts = {
        'metric.cpu_percent.p99.14d': p99,
        'metric.cpu_percent.max.14d': 45,
        'metric.memory_percent.p99.14d': 20,
        'bill.cost_30d': 276.48,
        'bill.component.compute_30d': 276.48,
        'bill.usage_hours_30d': 720,
      }
      const by = { cpu_percent: measured, memory_percent: measured }
      machine.gather(facts, { measured: by })
      return machine.state.outcomes['RC-1101']!.o
    }
    expect([rightsized(39, 300), rightsized(39, 3600), rightsized(30, 3600), rightsized(29.9, 3600)]).to.deep.equal([
      'f',
      'c',
      'c',
      'f',
    ])
  })

  it('closes what was opened again of a resource that is gone [S-36]', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan)
    volume.settle('RC-1301', 'dismissed', 1)
    expect(told(volume.delete())).to.deep.equal(['deleted'])
    expect(told(volume.settle('RC-1301', 'open', 2))).to.deep.equal(['deleted'])
  })

  it('counts the days of a status from its last change, not from before it: what ran this morning is not stopped for weeks', () => {
    const machine = { type: 'aws-ec2', instanceType: 'm5.large', specs: { created_at: '2025-01-01T00:00:00Z' } }
    const stopped = { ...machine, status: 'stopped' } as const
    const audit = new AuditedVolume()
    audit.discover(stopped)
    const swept = { 'hist.status_days': 40, 'rel.attached_storage_cost_30d': 8, 'bill.cost_30d': 8 }
    const isFound = () => 'RC-1003' in audit.state.told
    audit.gather(swept)
    expect(isFound()).to.equal(true)
    audit.discover({ ...machine, status: 'running' })
    expect(isFound()).to.equal(false)
    audit.discover(stopped)
    expect(isFound()).to.equal(false)
    audit.gather({ ...swept, 'hist.status_days': 29.9 })
    expect(isFound()).to.equal(false)
    audit.gather({ ...swept, 'hist.status_days': 30 })
    expect(isFound()).to.equal(true)
    // Looked at again on the same day it says the same.
    expect(audit.gather({ ...swept, 'hist.status_days': 30.4 }).emitted).to.deep.equal([])
  })

  it('does not say of a machine that was made smaller that it is too large still, by what was measured before', () => {
    const audit = new AuditedVolume(organizationNow({ references: tables.at({ now: new Date(t0), families: [] }) }))
    const machine = (instanceType: string, at: number) =>
      audit.discover(
        { type: 'aws-ec2', status: 'running', instanceType, specs: { created_at: '2024-01-01T00:00:00Z' } },
        { at },
      )
    const used = (percent: number, days: number) =>
      audit.gather(
        {
          'bill.cost_30d': 276.48,
          'res.managed': false,
          'metric.cpu_percent.p99.14d': percent,
          'metric.cpu_percent.max.14d': percent + 5,
          'metric.memory_percent.p99.14d': percent,
        },
        {},
        { at: t0 + days * dayMs },
      )
    const resizes = ({ emitted }: ReturnType<typeof used>) =>
      emitted
        .filter(({ data }) => data.finding?.ruleId === 'RC-1101' || data.why)
        .map(({ data }) => data.why ?? [data.finding.titleFrom, data.finding.titleTo])
    machine('m5.2xlarge', t0)
    expect(resizes(used(20, 1))).to.deep.equal([['m5.2xlarge', 'c6a.xlarge']])
    expect(resizes(machine('m5.xlarge', t0 + 2 * dayMs))).to.deep.equal(['cleared'])
    expect(resizes(used(20, 3))).to.deep.equal([])
    // From the first midnight on 14 whole days are of the new size.
    expect(resizes(used(20, 16))).to.deep.equal([])
    expect(resizes(used(20, 17))).to.deep.equal([['m5.xlarge', 'c6a.large']])
  })

  it('goes by the newest sweep, whatever comes late', () => {
    const volume = new AuditedVolume()
    volume.discover(orphan)
    volume.gather({ 'bill.cost_30d': 9 }, { at: '2026-01-16T04:45:00.000Z' })
    expect(told(volume.gather({ 'bill.cost_30d': 1 }, { at: '2026-01-15T04:45:00.000Z' }))).to.deep.equal([])
    expect(volume.state.facts).to.deep.equal({ 'bill.cost_30d': 9 })
  })

  it('comes to the same whatever the order and the portions in which it is told the same: random ways', async () => {
    const { random } = await import('#test/harness/load.ts')
    const { shuffled } = await import('#test/harness/export-load.ts')
    for (let seed = 1; seed <= ways; seed++) {
      const next = random(seed)
      const pick = (n: number) => Math.floor(next() * n)
      const days = 10 + pick(10)
      // The newest of each kind is the same for both; what is older may come before or behind it.
      const last = { found: pick(2) === 0 ? orphan : attached, cost: 1 + pick(50) }
      const words = [
        ...Array.from({ length: pick(4) }, () => ({ day: pick(days), found: pick(2) === 0 ? orphan : attached })),
        { day: days, found: last.found },
        ...Array.from({ length: pick(4) }, () => ({ day: pick(days), cost: 1 + pick(50) })),
        { day: days, cost: last.cost },
      ]
      const told = (order: typeof words) => {
        const volume = new AuditedVolume()
        volume.discover(attached, { at: t0 })
        for (const word of order) {
          const time = t0 + 1000 + word.day * dayMs
          const now = { at: Math.max(volume.now, t0 + (days + 1) * dayMs) }
          if ('found' in word) volume.discover(word.found, { ...now, time })
          else volume.gather({ 'bill.cost_30d': word.cost }, { at: new Date(time).toISOString() }, now)
        }
        return Object.entries(volume.state.told).map(([rule, { fingerprint }]) => [rule, fingerprint])
      }
      const inOrder = words.toSorted((a, b) => a.day - b.day)
      expect(told(shuffled(words, pick)), `seed ${seed}`).to.deep.equal(told(inOrder))
    }
  })

  it('ends where the state ends whatever the order of what it hears: random ways', async () => {
    const { random } = await import('#test/harness/load.ts')
    for (let seed = 1; seed <= ways; seed++) {
      const next = random(seed)
      const volume = new AuditedVolume()
      const open = new Map<string, number>()
      for (let n = 0; n < 12; n++) {
        const at = volume.now + 1000 + Math.floor(next() * 5) * dayMs
        const roll = next()
        const said =
          roll < 0.4
            ? volume.discover(next() < 0.5 ? orphan : attached, { at })
            : roll < 0.5
              ? volume.discover({ specs: {} }, { at })
              : roll < 0.6
                ? volume.delete({ at })
                : volume.gather({ 'bill.cost_30d': 1 + Math.floor(next() * 3) }, {}, { at })
        for (const { data } of said.emitted)
          if (data.finding) open.set(data.recommendationId, data.finding.savingsUsd)
          else if (data.why !== 'stale') open.delete(data.recommendationId)
      }
      // Told once more of the very same, it has nothing to add, and what is open is what its row says it told.
      const { facts, told: last } = volume.state
      const again = volume.state.deletedAt ? [] : volume.gather(facts, {}, { at: volume.now }).emitted
      expect([again, open.size], `seed ${seed}`).to.deep.equal([[], Object.keys(last).length])
    }
  })
})
