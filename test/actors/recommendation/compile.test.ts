import { expect } from 'chai'
import { allRules, ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { appliesTo, compileProgram, forDaysOf, programOf, type Judging } from '#actors/recommendation/rule/compile.ts'
import { absent, type Rule } from '#actors/recommendation/rule/contract.ts'
import { resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { Fixture, sourceOf, stubReferences, pricedAs, type Facts } from './fixture.ts'

const rules = allRules()

const ofCatalogue = (id: string): Rule => ruleOf(id)!

function judged(rule: Rule, type: string, change: Facts = {}, by: Judging = {}) {
  const program = compileProgram(type, [rule])
  const { outcome, missing } = program.rules[0]!.outcome(
    program.slots(sourceOf(type, { ...new Fixture(rule, type).facts, ...change })),
    by,
  )
  return { outcome, missing }
}

const fires = { outcome: 'fires', missing: [] }
const clear = { outcome: 'clear', missing: [] }
const holds = (...missing: string[]) => ({ outcome: 'hold', missing })

describe('the program of a type', () => {
  it('has the rules that name it, and those of every type of its cloud but for children of clusters', () => {
    expect(appliesTo(ofCatalogue('RC-1601'), 'aws-ec2')).to.equal(true)
    expect(appliesTo(ofCatalogue('RC-1601'), 'aws-eks-deployment')).to.equal(false)
    expect(appliesTo(ofCatalogue('RC-1601'), 'azure-vm')).to.equal(false)
    expect(programOf('aws-ec2').rules).to.have.length(24)
    expect(programOf('aws-abacus').rules).to.deep.equal([])
    expect(programOf('aws-ec2')).to.equal(programOf('aws-ec2'))
    const sizes = resourceTypes.map(({ type }) => programOf(type).rules.length)
    expect(Math.max(...sizes)).to.equal(29)
    const reached = new Set(resourceTypes.flatMap(({ type }) => programOf(type).rules.map(({ rule }) => rule.id)))
    expect(reached.size).to.equal(rules.length)
  })

  it('says what must be gathered, of what the type has', () => {
    const program = compileProgram('aws-rds', [ofCatalogue('RC-1006')])
    expect(program.paths).to.deep.equal(program.paths.toSorted())
    expect(program.metrics).to.deep.equal([
      'connections.max.14d',
      'connections.p95.14d',
      'cpu_percent.avg.14d',
      'cpu_percent.p95.14d',
      'iops.avg.14d',
      'iops.p95.14d',
    ])
    expect(program.specs).to.deep.equal(['cluster_id', 'is_replica'])
  })

  it('asks nothing that the type does not have', () => {
    const program = compileProgram('aws-rds', [{ ...ofCatalogue('RC-1006'), evidence: ['specs.colour'] }])
    const asked: string[] = []
    const slots = program.slots((path) => {
      asked.push(path)
      return 1
    })
    expect(asked).to.not.include('specs.colour')
    expect(slots[program.paths.indexOf('specs.colour')]).to.equal(absent)
    expect(slots[program.paths.indexOf('specs.is_replica')]).to.equal(1)
  })

  it('judges anew only the rules that read what differs', () => {
    const program = compileProgram('aws-rds', [ofCatalogue('RC-1006'), ofCatalogue('RC-1408'), ofCatalogue('RC-1602')])
    const slots = (facts: Facts) => program.slots((path) => facts[path])
    const before = slots({
      'metric.connections.max.14d': 0,
      'gov.invalid_tag_values': ['a=b'],
      'specs.storage_encrypted': false,
    })
    const affected = (facts: Facts) =>
      program.affected(
        before,
        slots({
          'metric.connections.max.14d': 0,
          'gov.invalid_tag_values': ['a=b'],
          'specs.storage_encrypted': false,
          ...facts,
        }),
      )
    expect(affected({})).to.deep.equal([])
    expect(affected({ 'metric.connections.max.14d': 1 })).to.deep.equal([0])
    expect(affected({ 'specs.storage_encrypted': true })).to.deep.equal([1])
    expect(affected({ 'gov.invalid_tag_values': ['a=c'] })).to.deep.equal([2])
    expect(affected({ 'gov.invalid_tag_values': null })).to.deep.equal([2])
    expect(affected({ 'bill.cost_30d': 1 })).to.deep.equal([0, 1, 2])
  })
})

describe('a rule holds, and neither finds nor closes', () => {
  const idle = ofCatalogue('RC-1001')
  for (const status of ['pending', 'starting', 'stopping'])
    it(`while the resource is ${status}`, () => {
      expect(judged(idle, 'aws-ec2', { 'res.status': status })).to.deep.equal(holds())
    })

  it('while its status is not known', () => {
    for (const status of [undefined, null, '', 'unknown'])
      expect(judged(idle, 'aws-ec2', { 'res.status': status })).to.deep.equal(holds('res.status'))
    expect(judged(idle, 'aws-ec2', { 'res.status': 'stopped' })).to.deep.equal(clear)
  })

  it('where a controller may own what it disturbs', () => {
    expect(judged(idle, 'aws-ec2', { 'res.managed': undefined })).to.deep.equal(holds('res.managed'))
    expect(judged(idle, 'aws-ec2', { 'res.managed': true })).to.deep.equal(clear)
    expect(judged(ofCatalogue('RC-1404'), 'aws-ebs-volume', { 'res.managed': undefined })).to.deep.equal(fires)
    expect(judged(idle, 'aws-ec2', { 'res.managed': undefined, 'metric.cpu_percent.max.14d': 50 })).to.deep.equal(clear)
  })

  it('where it would end a use that nobody measured, though another says that there is none', () => {
    const idle: Rule = {
      ...ofCatalogue('RC-1001'),
      when: {
        any: ['cpu_percent', 'memory_percent'].map((name) => ({
          attr: `metric.${name}.max.14d`,
          op: 'lt',
          values: [5],
        })),
      },
    }
    const facts = { 'metric.cpu_percent.max.14d': 1, 'metric.memory_percent.max.14d': undefined }
    expect(judged(idle, 'aws-ec2', facts)).to.deep.equal(holds('metric.memory_percent.max.14d'))
    expect(judged(idle, 'aws-ec2', { ...facts, 'metric.memory_percent.max.14d': 90 })).to.deep.equal(fires)
    expect(judged(idle, 'aws-ec2', { ...facts, 'metric.memory_percent.max.14d': null })).to.deep.equal(fires)
    const harmless: Rule = {
      ...idle,
      target: { kind: 'none' },
      action: { ...idle.action, type: 'none', effect: 'none' },
    }
    expect(judged(harmless, 'aws-ec2', facts)).to.deep.equal(fires)
  })

  it('where a snapshot may belong to a backup service', () => {
    const old = ofCatalogue('RC-3305')
    const snapshot = { 'res.age_days': 180, 'specs.managed_by_backup': false }
    expect(judged(old, 'azure-snapshot', snapshot)).to.deep.equal(fires)
    expect(judged(old, 'azure-snapshot', { ...snapshot, 'res.age_days': 179 })).to.deep.equal(clear)
    expect(judged(old, 'azure-snapshot', { ...snapshot, 'specs.managed_by_backup': true })).to.deep.equal(clear)
    expect(judged(old, 'azure-snapshot', { ...snapshot, 'specs.managed_by_backup': undefined })).to.deep.equal(
      holds('specs.managed_by_backup'),
    )
  })
})

describe('a rule that reads the network', () => {
  const idle = ofCatalogue('RC-1001')
  const network = (bytesIn: number | null | undefined, bytesOut: number | null | undefined) =>
    judged(idle, 'aws-ec2', {
      'metric.network_bytes_in.sum.14d': bytesIn,
      'metric.network_bytes_out.sum.14d': bytesOut,
    })

  it('fires under its threshold, and where no network is measured at all', () => {
    expect(network(30e6, 30e6)).to.deep.equal(fires)
    expect(network(50e6, 30e6)).to.deep.equal(clear)
    expect(network(null, null)).to.deep.equal(fires)
  })

  it('holds while the measurements are not there yet', () => {
    expect(network(undefined, 30e6)).to.deep.equal(holds('metric.network_bytes_in.sum.14d'))
    expect(network(undefined, undefined).outcome).to.equal('hold')
    expect(network(null, 30e6)).to.deep.equal(holds())
  })
})

describe('figures of an organization', () => {
  it("take the place of the rule's own, one by one", () => {
    const idle = ofCatalogue('RC-1001')
    const busy = { 'metric.cpu_percent.max.14d': 7 }
    expect(judged(idle, 'aws-ec2', busy)).to.deep.equal(clear)
    expect(judged(idle, 'aws-ec2', busy, { params: { cpu_max_percent: 8 } })).to.deep.equal(fires)
    expect(judged(idle, 'aws-ec2', busy, { params: { net_mb_per_day_max: 8 } })).to.deep.equal(clear)
  })

  it('say for how many days a rule must be true', () => {
    expect(forDaysOf(ofCatalogue('RC-1001'))).to.equal(0)
    expect(
      forDaysOf({ ...ofCatalogue('RC-1001'), applies: { ...ofCatalogue('RC-1001').applies, forDays: 3 } }),
    ).to.equal(3)
    const named = rules.find(({ applies }) => applies.forDays === '$empty_days_min')!
    expect(forDaysOf(named)).to.equal(named.params['empty_days_min'])
    expect(forDaysOf(named, { empty_days_min: 99 })).to.equal(99)
  })
})

describe('an attribute that a producer leaves out', () => {
  const idle = ofCatalogue('RC-1001')
  const without = { 'specs.lifecycle': undefined }

  it('is what it usually is, where it only keeps the rule from others', () => {
    expect(judged(idle, 'aws-ec2', without, { fed: 'producer' })).to.deep.equal(fires)
    expect(judged(idle, 'aws-ec2', without, { fed: 'connector' })).to.deep.equal(holds('specs.lifecycle'))
    expect(judged(idle, 'aws-ec2', without)).to.deep.equal(holds('specs.lifecycle'))
    expect(judged(idle, 'aws-ec2', { 'specs.lifecycle': 'spot' }, { fed: 'producer' })).to.deep.equal(clear)
  })

  it('stands among the evidence as assumed', () => {
    const program = compileProgram('aws-ec2', [idle])
    const source = sourceOf('aws-ec2', { ...new Fixture(idle, 'aws-ec2').facts, ...without })
    const said = program.rules[0]!.describe(
      program.slots(source),
      { fed: 'producer' },
      { references: stubReferences, of: pricedAs('aws-ec2', source), name: 'a', region: 'b' },
    )
    expect(said).to.have.nested.property('evidence.assumed').that.deep.equals(['specs.lifecycle'])
  })

  it('is never taken for granted by a delete', () => {
    const remove = ofCatalogue('RC-1006')
    expect(judged(remove, 'aws-rds', { 'specs.is_replica': undefined }, { fed: 'producer' })).to.deep.equal(
      holds('specs.is_replica'),
    )
    expect(judged(remove, 'aws-rds', {}, { fed: 'producer' })).to.deep.equal(fires)
  })
})
