import { expect } from 'chai'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { compileProgram } from '#actors/recommendation/rule/compile.ts'
import type { Description, References, Rule } from '#actors/recommendation/rule/contract.ts'
import { cents } from '#actors/recommendation/rule/saving.ts'
import { Fixture, pricedAs, sourceOf, stubReferences, type Facts } from './fixture.ts'

/** What the rule says of facts, those of its fixture beside the given ones. */
function told(
  rule: Rule,
  type: string,
  facts: Facts,
  references: Partial<References> = {},
): Description | 'hold' | 'clear' {
  const program = compileProgram(type, [rule])
  const source = sourceOf(type, { ...new Fixture(rule, type).facts, ...facts })
  const to = {
    references: { ...stubReferences, ...references },
    of: pricedAs(type, source),
    name: String(facts['res.name'] ?? 'a'),
    region: 'eu-west-1',
  }
  return program.rules[0]!.describe(program.slots(source), {}, to)
}

function said(rule: Rule, type: string, facts: Facts, references: Partial<References> = {}): Description {
  const result = told(rule, type, facts, references)
  if (typeof result === 'string') throw new Error(result)
  return result
}

/** A rule with another saving, on EC2 instances. */
const saving = (of: Rule['saving'], facts: Facts, references: Partial<References> = {}, target?: Rule['target']) => {
  const rule = { ...ruleOf('RC-1001')!, saving: of, ...(target && { target }) }
  const paths = {
    'bill.cost_30d': undefined,
    'bill.usage_hours_30d': undefined,
    'hist.running_share_30d': undefined,
    'bill.component.compute_30d': undefined,
    'bill.component.storage_30d': undefined,
  }
  const { savingUsd, costUsd, isAssumed, evidence } = said(rule, 'aws-ec2', { ...paths, ...facts }, references)
  return { savingUsd, costUsd, isAssumed, basis: evidence['savingBasis'] }
}

const resize: Rule['target'] = { kind: 'set', spec: { instance_type: 'small' } }

describe('the saving of a rule', () => {
  it('is the whole cost, but for what stays billed', () => {
    const full: Rule['saving'] = { kind: 'full', keep: ['storage'] }
    expect(saving(full, { 'bill.cost_30d': 100, 'bill.component.storage_30d': 30 })).to.deep.equal({
      savingUsd: 70,
      costUsd: 100,
      isAssumed: false,
      basis: 'measured',
    })
    expect(saving(full, { 'bill.cost_30d': 100 })).to.deep.equal({
      savingUsd: 100,
      costUsd: 100,
      isAssumed: true,
      basis: 'assumed',
    })
    expect(saving(full, { 'bill.cost_30d': 20, 'bill.component.storage_30d': 30 })).to.deep.equal({
      savingUsd: 0,
      costUsd: 20,
      isAssumed: false,
      basis: 'none',
    })
    expect(saving(full, {})).to.deep.equal({ savingUsd: 0, costUsd: 0, isAssumed: true, basis: 'none' })
  })

  it('is a share of an amount, assumed where it is not measured', () => {
    const fraction: Rule['saving'] = { kind: 'fraction', of: '@bill.component.storage_30d', value: 0.2 }
    expect(saving(fraction, { 'bill.component.storage_30d': 500, 'bill.cost_30d': 10 })).to.deep.equal({
      savingUsd: 100,
      costUsd: 500,
      isAssumed: false,
      basis: 'measured',
    })
    expect(saving({ ...fraction, assumed: true }, { 'bill.component.storage_30d': 500 })).to.include({
      savingUsd: 100,
      basis: 'assumed',
    })
    expect(saving(fraction, { 'bill.cost_30d': 10 })).to.deep.equal({
      savingUsd: 0,
      costUsd: 10,
      isAssumed: true,
      basis: 'none',
    })
  })

  it('is a quantity at a unit price', () => {
    const quantity: Rule['saving'] = { kind: 'quantity', quantity: 3, price: 'aws.public_ipv4_month' }
    expect(saving(quantity, { 'ref.price.aws.public_ipv4_month': 3.65 })).to.include({
      savingUsd: 10.95,
      basis: 'measured',
    })
    expect(saving(quantity, { 'ref.price.aws.public_ipv4_month': undefined })).to.include({
      savingUsd: 0,
      basis: 'none',
    })
  })

  it('is what is had beyond the need', () => {
    const excess: Rule['saving'] = { kind: 'excess', have: 400, need: 100, of: '@bill.cost_30d' }
    expect(saving(excess, { 'bill.cost_30d': 80 })).to.include({ savingUsd: 60 })
    expect(saving({ ...excess, need: 500 }, { 'bill.cost_30d': 80 })).to.include({ savingUsd: 0, basis: 'none' })
    expect(saving({ ...excess, have: 0 }, { 'bill.cost_30d': 80 })).to.include({ savingUsd: 0 })
  })

  describe('as a difference of prices', () => {
    const delta: Rule['saving'] = { kind: 'price_delta', per: 'hour', quantity: '@bill.usage_hours_30d', fallback: 0.5 }
    const price: References['price'] = (_of, target) => (target ? 0.172 : 0.384)
    const of = (facts: Facts, more: object = {}, prices: References['price'] = price) =>
      saving({ ...delta, ...more }, facts, { price: prices }, resize)

    it('carries discounts over: of half the list price half is saved', () => {
      expect(of({ 'bill.cost_30d': 276.48, 'bill.usage_hours_30d': 720 }).savingUsd).to.be.closeTo(152.64, 1e-9)
      expect(of({ 'bill.cost_30d': 138.24, 'bill.usage_hours_30d': 720 }).savingUsd).to.be.closeTo(76.32, 1e-9)
    })

    it('counts no more than the hours cost by list, unless compute is billed by itself', () => {
      expect(of({ 'bill.cost_30d': 500, 'bill.usage_hours_30d': 720 }).savingUsd).to.be.closeTo(152.64, 1e-9)
      const split = { 'bill.cost_30d': 500, 'bill.component.compute_30d': 300, 'bill.usage_hours_30d': 720 }
      expect(of(split).savingUsd).to.be.closeTo(300 * (1 - 0.172 / 0.384), 1e-9)
    })

    it('takes an assumed share where no price or no hours are known', () => {
      expect(of({ 'bill.cost_30d': 100, 'bill.usage_hours_30d': 720 }, {}, () => undefined)).to.deep.equal({
        savingUsd: 50,
        costUsd: 100,
        isAssumed: true,
        basis: 'assumed',
      })
      expect(of({ 'bill.cost_30d': 100 })).to.include({ savingUsd: 50, isAssumed: true })
      expect(of({})).to.include({ savingUsd: 0 })
    })

    it('is no finding where the target costs more, unless it says so', () => {
      const dearer: References['price'] = (_of, target) => (target ? 0.4 : 0.2)
      const rule = { ...ruleOf('RC-1001')!, target: resize, saving: delta }
      const facts = { 'bill.cost_30d': 144, 'bill.usage_hours_30d': 720, 'bill.component.compute_30d': undefined }
      expect(told(rule, 'aws-ec2', facts, { price: dearer })).to.equal('clear')
      expect(of(facts, { signed: true }, dearer).savingUsd).to.be.closeTo(-144, 1e-9)
    })
  })

  it('of hours switched off is their part of the running time', () => {
    const hours: Rule['saving'] = { kind: 'off_hours', stoppable: ['compute'], hoursOn: 42 }
    expect(saving(hours, { 'bill.cost_30d': 100, 'hist.running_share_30d': 1 })).to.deep.equal({
      savingUsd: 75,
      costUsd: 100,
      isAssumed: false,
      basis: 'measured',
    })
    expect(
      saving(hours, { 'bill.cost_30d': 100, 'bill.component.compute_30d': 60, 'hist.running_share_30d': 0.5 })
        .savingUsd,
    ).to.equal(30)
    expect(saving(hours, { 'bill.cost_30d': 100, 'hist.running_share_30d': 0.2 }).savingUsd).to.equal(0)
    expect(saving(hours, { 'bill.cost_30d': 100 })).to.include({ savingUsd: 75, isAssumed: true })
  })

  it('of a commitment is what its tier takes off the base', () => {
    const commitment: Rule['saving'] = { kind: 'commitment', base: '@bill.cost_30d', product: 'compute-sp' }
    expect(saving(commitment, { 'bill.cost_30d': 1000 }).savingUsd).to.be.closeTo(280, 1e-9)
    expect(saving(commitment, { 'bill.cost_30d': 1000 }, { tierRates: () => undefined })).to.include({
      savingUsd: 0,
      basis: 'none',
    })
    expect(
      saving(commitment, { 'bill.cost_30d': 1000 }, { tierRates: () => ({ '3yr_all_upfront': 0.5 }) }).savingUsd,
    ).to.equal(500)
  })

  it('is rounded to the cent, half away from zero on its decimal text', () => {
    expect([1.005, -1.005, 2.675, 0.1 + 0.2, 1e-9, -0.001, 152.64].map(cents)).to.deep.equal([
      1.01, -1.01, 2.68, 0.3, 0, 0, 152.64,
    ])
  })
})

describe('a larger machine instead of surplus credits (RC-1105)', () => {
  const rule = ruleOf('RC-1105')!
  const facts: Facts = {
    'bill.component.surplus_credits_30d': 40,
    'bill.component.compute_30d': 60,
    'bill.cost_30d': 100,
  }
  const at = (then: number): Partial<References> => ({ price: (_of, target) => (target ? then : 0.1) })

  it('saves the credits less what the larger size costs more', () => {
    expect(said(rule, 'aws-ec2', facts, at(0.15)).savingUsd).to.be.closeTo(40 - 30, 1e-9)
    expect(said(rule, 'aws-ec2', facts, at(0.08)).savingUsd).to.be.closeTo(40 + 12, 1e-9)
  })

  it('is no finding where it costs more than the credits, and saves nothing it cannot price', () => {
    expect(told(rule, 'aws-ec2', facts, at(0.2))).to.equal('clear')
    expect(said(rule, 'aws-ec2', facts, { price: () => undefined })).to.include({ savingUsd: 0, isAssumed: true })
  })
})

describe('worked examples of the rule language', () => {
  it('delete a database nobody connects to', () => {
    const facts: Facts = {
      'res.name': 'orders-old',
      'res.instance_type': 'db.r6g.large',
      'specs.cluster_id': null,
      'specs.is_replica': false,
      'metric.connections.max.14d': 0,
      'metric.connections.p95.14d': 0,
      'metric.cpu_percent.avg.14d': 2.1,
      'metric.iops.avg.14d': 3.4,
      'bill.cost_30d': 219.4,
    }
    expect(said(ruleOf('RC-1006')!, 'aws-rds', facts)).to.deep.include({
      title: 'Delete RDS instance orders-old with a final snapshot: no client connected in 14 days.',
      from: 'db.r6g.large',
      to: '',
      costUsd: 219.4,
      savingUsd: 219.4,
      target: undefined,
      evidence: {
        isReplica: false,
        connectionsMax: 0,
        cpuPercentAvg: 2.1,
        iopsAvg: 3.4,
        metric: 'connections',
        windowDays: 14,
        max: 0,
        p95: 0,
        savingBasis: 'measured',
      },
    })
  })

  it('schedule a machine that runs around the clock', () => {
    const facts: Facts = {
      'res.name': 'build-agent-2',
      'res.env': 'dev',
      'hist.has_schedule': false,
      'hist.running_share_30d': 0.99,
      'specs.priority': 'Regular',
      'bill.cost_30d': 168,
      'bill.component.compute_30d': 140,
      'policy.business_hours_per_week': 50,
    }
    const result = said(ruleOf('RC-3201')!, 'azure-vm', facts)
    expect(result).to.deep.include({
      title:
        'Schedule virtual machine build-agent-2 to run in business hours only: it is non-production and runs around the clock.',
      from: 'always on',
      to: 'business hours',
      costUsd: 168,
      target: { preset: 'business-hours' },
      evidence: { env: 'dev', hasSchedule: false, runningShare: 0.99, priority: 'Regular', savingBasis: 'measured' },
    })
    expect(cents(result.savingUsd)).to.equal(97.91)
  })

  it('delete a disk nothing uses', () => {
    const facts: Facts = {
      'res.name': 'pvc-3f1',
      'res.size_gb': 500,
      'res.age_days': 200,
      'rel.user_count': 0,
      'rel.detached_days': 41,
      'specs.disk_type': 'pd-balanced',
      'bill.cost_30d': 50,
    }
    expect(said(ruleOf('RC-2301')!, 'gcp-disk', facts)).to.deep.include({
      title: 'Delete disk pvc-3f1: it has been unattached for 15 days or more.',
      from: '500 GB',
      costUsd: 50,
      savingUsd: 50,
      evidence: { userCount: 0, detachedDays: 41, ageDays: 200, diskType: 'pd-balanced', savingBasis: 'measured' },
    })
  })

  it('close ports to the internet, which saves nothing', () => {
    const facts: Facts = {
      'res.name': 'sg-legacy',
      'specs.open_admin_ports': [22, 3389],
      'rel.interface_count': 3,
      'bill.cost_30d': 0,
    }
    expect(said(ruleOf('RC-1415')!, 'aws-security-group', facts)).to.deep.include({
      title: 'Close ports 22, 3389 of security group sg-legacy to the internet.',
      from: '22, 3389',
      savingUsd: 0,
      evidence: { openAdminPorts: [22, 3389], interfaceCount: 3, savingBasis: 'none' },
    })
  })

  it('commit to what runs steadily, at all tiers there are', () => {
    const facts: Facts = {
      'res.name': 'shop-prod',
      'bill.cost_30d': 18_250,
      'bill.service.compute.steady_on_demand_30d': 5200,
      'bill.service.compute.coverage_30d': 0.41,
    }
    const result = said(ruleOf('RC-1501')!, 'aws-account', facts)
    expect(result).to.deep.include({
      title: 'Buy a Compute Savings Plan for account shop-prod: steady on-demand compute is not covered.',
      from: '41%',
      to: '',
      costUsd: 5200,
      tierRates: { '1yr_no_upfront': 0.72, '3yr_all_upfront': 0.5 },
    })
    expect(cents(result.savingUsd)).to.equal(1456)
    expect(result.target).to.deep.equal({
      product: 'aws-compute-savings-plan',
      term: '1yr',
      payment: 'no_upfront',
      amount: 5200 / 720,
    })
  })

  describe('resize a machine', () => {
    const rule = ruleOf('RC-1101')!
    const facts: Facts = {
      'res.name': 'api-7',
      'res.instance_type': 'm5.2xlarge',
      'ref.instance.gpu_count': 0,
      'ref.instance.vcpus': 8,
      'ref.instance.memory_gib': 32,
      'metric.cpu_percent.p99.14d': 27.5,
      'metric.cpu_percent.p95.14d': 20,
      'metric.cpu_percent.max.14d': 41,
      'metric.memory_percent.p99.14d': 33,
      'bill.usage_hours_30d': 720,
      'bill.cost_30d': 276.48,
      'bill.component.compute_30d': undefined,
    }
    const sizes = [
      { instance_type: 'm6i.xlarge', vcpus: 4, memory_gib: 16, price: 0.192 },
      { instance_type: 'r6i.xlarge', vcpus: 4, memory_gib: 32, price: 0.252 },
      { instance_type: 'm5.2xlarge', vcpus: 8, memory_gib: 32, price: 0.384 },
    ]
    const asked: Record<string, unknown>[] = []
    const references: Partial<References> = {
      fit: (_catalogue, _keep, need) => {
        asked.push({ ...need })
        return sizes.find(
          ({ vcpus, memory_gib: gib }) => vcpus >= Number(need['vcpus']) && gib >= Number(need['memory_gib']),
        )
      },
      price: (_of, target) => (target ? (target['price'] as number) : 0.384),
    }

    it('to the cheapest that its use needs', () => {
      const result = said(rule, 'aws-ec2', facts, references)
      expect(result.title).to.equal('Resize EC2 instance api-7 from m5.2xlarge to m6i.xlarge.')
      expect(result.savingUsd).to.be.closeTo(138.24, 1e-9)
      expect(asked.at(-1)!['vcpus']).to.be.closeTo(8 * 0.41, 1e-9)
      expect(asked.at(-1)!['memory_gib']).to.be.closeTo(13.2, 1e-9)
    })

    it('that keeps its memory where nobody measures it', () => {
      const result = said(rule, 'aws-ec2', { ...facts, 'metric.memory_percent.p99.14d': null }, references)
      expect(result.title).to.equal('Resize EC2 instance api-7 from m5.2xlarge to r6i.xlarge.')
    })

    it('to none where it was saturated for a moment, or its size is not known', () => {
      expect(told(rule, 'aws-ec2', { ...facts, 'metric.cpu_percent.max.14d': 100 }, references)).to.equal('clear')
      const unmeasured = { ...facts, 'metric.memory_percent.p99.14d': null, 'ref.instance.memory_gib': undefined }
      const before = asked.length
      expect(told(rule, 'aws-ec2', unmeasured, references)).to.equal('hold')
      expect(asked).to.have.length(before)
      expect(told(rule, 'aws-ec2', facts, { ...references, fit: () => undefined })).to.equal('hold')
    })
  })

  it('keep vCPUs and memory where accelerators alone are too many (RC-1106)', () => {
    const need: unknown[] = []
    const fit: References['fit'] = (_catalogue, _keep, asked) => {
      need.push({ ...asked })
      return { instance_type: 'g5.xlarge' }
    }
    const facts: Facts = {
      'ref.instance.gpu_count': 4,
      'ref.instance.vcpus': 48,
      'ref.instance.memory_gib': 192,
      'metric.gpu_percent.p99.14d': 30,
    }
    said(ruleOf('RC-1106')!, 'aws-ec2', facts, { fit })
    expect(need).to.deep.equal([{ gpus: 2, vcpus: 48, memory_gib: 192 }])
  })

  it('size a database by its units, or by its processor where it has none (RC-3112)', () => {
    const need: unknown[] = []
    const fit: References['fit'] = (_catalogue, _keep, asked) => {
      need.push(asked['capacity'])
      return { capacity: 50 }
    }
    const facts: Facts = { 'specs.capacity': 100, 'metric.dtu_percent.p99.14d': 35, 'metric.cpu_percent.p99.14d': 7 }
    said(ruleOf('RC-3112')!, 'azure-sql-database', facts, { fit })
    said(ruleOf('RC-3112')!, 'azure-sql-database', { ...facts, 'metric.dtu_percent.p99.14d': null }, { fit })
    expect(need).to.deep.equal([50, 10])
  })

  it('show a lookup that knows no successor as nothing to do, and one that is not known as not to tell', () => {
    const rule = ruleOf('RC-1104')!
    expect(told(rule, 'aws-ec2', {}, { lookup: () => '' })).to.equal('clear')
    expect(told(rule, 'aws-ec2', {}, { lookup: () => undefined })).to.equal('hold')
    expect(said(rule, 'aws-ec2', {}, { lookup: () => 'm7g.large' }).target).to.deep.equal({
      instance_type: 'm7g.large',
    })
  })

  it('keep versions as the cloud writes them', () => {
    const { target } = said(ruleOf('RC-2421')!, 'gcp-gke', { 'ref.lifecycle.successor': '1.30' })
    expect(Object.values(target!)).to.deep.equal(['1.30'])
  })
})
