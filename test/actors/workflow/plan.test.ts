/** What is planned for a recommendation, and what a look is compared with. */
import { expect } from 'chai'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { changesOf } from '#actors/workflow/plan/changes.ts'
import { operationText } from '#actors/workflow/plan/describe.ts'
import {
  hashOf,
  planOf,
  scheduleRules,
  templateOf,
  type InventoryResource,
  type RecommendationFacts,
} from '#actors/workflow/plan/plan.ts'
import { matches } from '#actors/workflow/plan/match.ts'
import { scheduleTermsFor } from '#actors/workflow/plan/schedule.ts'
import { schedulable } from '#streams/cloud/resource/resource-type.ts'
import { parse } from '#streams/cron/messages.ts'
import { plan as stopped } from '#test/harness/workflow.ts'

const recommended = (fields: Partial<RecommendationFacts> = {}): RecommendationFacts => ({
  id: 'r-1',
  status: 'open',
  ruleId: 'RC-1001',
  category: 'idle',
  actionType: 'stop',
  automation: 'executor',
  title: 'Stop EC2 instance web.',
  remediation: 'Ask the owner, then stop the instance.',
  resourceUid: 'i-1',
  resourceName: 'web',
  resourceType: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  targetSpec: null,
  currentCostUsd: '276.48',
  savingsUsd: '152.64',
  ...fields,
})
const machine = (fields: Partial<InventoryResource> = {}): InventoryResource => ({
  status: 'running',
  instanceType: 'm5.2xlarge',
  specs: {},
  schedulable: true,
  ...fields,
})
const nothing = { fourEyes: false, windows: [], policies: [] }
const resize = recommended({
  ruleId: 'RC-1101',
  actionType: 'resize',
  automation: 'api',
  targetSpec: { instance_type: 'm5a.xlarge', vcpus: 4, memory_gib: 16 },
})

describe('the plan of a workflow', () => {
  it('stops a machine by its power, and is the same text for approvers', () => {
    const plan = planOf(recommended(), machine(), nothing)
    expect(plan).to.deep.equal({
      template: 'stop',
      templateRevision: 1,
      title: 'Stop EC2 instance web.',
      ruleId: 'RC-1001',
      actionType: 'stop',
      resource: { uid: 'i-1', name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' },
      ops: [
        {
          kind: 'stop',
          expect: { exists: true, instanceType: 'm5.2xlarge' },
          done: { exists: true, status: 'stopped' },
        },
      ],
      targetSpec: null,
      was: { exists: true, status: 'running', instanceType: 'm5.2xlarge' },
      target: { exists: true, status: 'stopped' },
      estimate: { costUsd: 276.48, savingsUsd: 152.64 },
      instruction: '',
      ...nothing,
    })
    expect(operationText(plan)).to.equal('Stop it: aws-ec2 web (i-1)')
  })

  it('changes the size of a machine while it is off, and starts it again only where it ran', () => {
    const plan = planOf(resize, machine(), nothing)
    expect(plan.ops).to.deep.equal([
      {
        kind: 'stop',
        expect: { exists: true, instanceType: 'm5.2xlarge' },
        done: { exists: true, status: 'stopped' },
      },
      {
        kind: 'resize',
        size: 'm5a.xlarge',
        expect: { exists: true, status: 'stopped', instanceType: 'm5.2xlarge' },
        done: { exists: true, instanceType: 'm5a.xlarge' },
      },
      {
        kind: 'start',
        expect: { exists: true, instanceType: 'm5a.xlarge' },
        done: { exists: true, status: 'running' },
      },
    ])
    expect(plan.target).to.deep.equal({ exists: true, status: 'running', instanceType: 'm5a.xlarge' })
    expect(operationText(plan)).to.equal(
      'Stop it, then resize it from m5.2xlarge to m5a.xlarge, then start it: aws-ec2 web (i-1)',
    )
    expect(planOf(resize, machine({ status: 'stopped' }), nothing).ops.map(({ kind }) => kind)).to.deep.equal([
      'resize',
    ])
  })

  it('sets the size of what is no machine together with what else is to be, and nothing that follows from the size', () => {
    const of = recommended({
      resourceType: 'aws-rds',
      ruleId: 'RC-1117',
      actionType: 'resize',
      automation: 'api',
      targetSpec: { instance_type: 'db.m5.large', vcpus: 2, memory_gib: 8, multi_az: false },
    })
    const { template, ops } = planOf(of, machine({ instanceType: 'db.m5.4xlarge', specs: { multi_az: true } }), nothing)
    expect([template, ops]).to.deep.equal([
      'resize',
      [
        {
          kind: 'set',
          specs: { multi_az: false, instance_type: 'db.m5.large' },
          expect: { exists: true, instanceType: 'db.m5.4xlarge', specs: { multi_az: true } },
          done: { exists: true, instanceType: 'db.m5.large', specs: { multi_az: false } },
        },
      ],
    ])
  })

  it('takes a snapshot before what can have one is deleted', () => {
    const of = (resourceType: string) =>
      planOf(
        recommended({ resourceType, ruleId: 'RC-1301', actionType: 'delete', automation: 'api' }),
        machine({ instanceType: '', status: 'pending' }),
        nothing,
      ).ops
    expect(of('aws-ebs-volume')).to.deep.equal([
      { kind: 'snapshot', expect: { exists: true }, done: {} },
      { kind: 'delete', expect: { exists: true }, done: { exists: false } },
    ])
    expect(of('aws-eip').map(({ kind }) => kind)).to.deep.equal(['delete'])
  })

  it('deallocates a machine that is stopped and still billed by what its power state is to be', () => {
    const of = recommended({
      resourceType: 'azure-vm',
      ruleId: 'RC-3002',
      automation: 'api',
      targetSpec: { power_state: 'deallocated' },
    })
    const plan = planOf(of, machine({ status: 'stopped', specs: { power_state: 'stopped' } }), nothing)
    expect([plan.template, plan.ops]).to.deep.equal([
      'stop',
      [
        {
          kind: 'set',
          specs: { power_state: 'deallocated' },
          expect: { exists: true, specs: { power_state: 'stopped' } },
          done: { exists: true, specs: { power_state: 'deallocated' } },
        },
      ],
    ])
  })

  it('is for people where no call of the service does it, with the instruction', () => {
    const of = recommended({ actionType: 'purchase', automation: 'manual', remediation: 'Buy the plan.' })
    const { template, ops, instruction, target } = planOf(of, machine(), nothing)
    expect([template, ops, instruction, target]).to.deep.equal(['manual', [], 'Buy the plan.', {}])
  })

  it('has a template for every rule, and no call for what the catalogue leaves to people', () => {
    const counts: Record<string, number> = {}
    for (const { id, category, action, target, applies } of allRules()) {
      const resourceType = applies.types.find((type) => !type.includes('*')) ?? 'aws-ec2'
      const targetSpec =
        target.kind === 'schedule'
          ? { preset: target['preset'] }
          : target.kind === 'delete' || target.kind === 'stop' || target.kind === 'none'
            ? null
            : { x: 1 }
      const { type: actionType, automation } = action
      const of = recommended({ ruleId: id, category, actionType, automation, resourceType, targetSpec })
      const template = templateOf(of, { schedulable: schedulable(resourceType) })
      counts[template] = (counts[template] ?? 0) + 1
      if (automation === 'manual') expect(template, id).to.equal('manual')
      if (id.startsWith('RC-ASC')) expect(template, id).to.equal('manual')
    }
    expect(Object.values(counts).reduce((sum, n) => sum + n)).to.equal(allRules().length)
    expect(Object.keys(counts).toSorted()).to.deep.equal([
      'delete',
      'manual',
      'pause',
      'resize',
      'schedule',
      'set',
      'stop',
    ])
    expect(counts['pause']).to.equal(3)
    // All 149 that delete but the two that delete what stands for others.
    expect(counts['delete']).to.equal(147)
  })

  it('has one name however its members stand, and another one with every change', () => {
    const plan = planOf(resize, machine(), nothing)
    const turned = Object.fromEntries(Object.entries(plan).toReversed()) as unknown as typeof plan
    expect(hashOf(turned))
      .to.equal(hashOf(plan))
      .and.to.match(/^[0-9a-f]{64}$/)
    expect(hashOf(JSON.parse(JSON.stringify(plan)))).to.equal(hashOf(plan))
    for (const other of [
      { ...plan, fourEyes: true },
      { ...plan, targetSpec: { ...plan.targetSpec, instance_type: 'm5.large' } },
      { ...plan, ops: plan.ops.toReversed() },
    ])
      expect(hashOf(other)).not.to.equal(hashOf(plan))
  })

  it('says what of it would be another one by now, and of a plan of before nothing of how the resource was', () => {
    const plan = planOf(recommended(), machine(), nothing)
    const { was: _was, ...older } = plan
    const now = (of: Partial<RecommendationFacts>, resource: Partial<InventoryResource> = {}, added: object = {}) =>
      planOf(recommended(of), machine(resource), { ...nothing, ...added })
    for (const [other, ...parts] of [
      [now({})],
      [now({ savingsUsd: '1.00', title: 'Stop it.' }), 'figures'],
      [now({}, { status: 'stopped' }), 'resource'],
      [now({}, { status: 'stopping' }), 'resource'],
      [now({}, { deletedAt: new Date(0) }), 'resource'],
      [now({}, { instanceType: 'm5.large' }), 'resource', 'operations'],
      [now({ resourceName: 'shop' }), 'subject'],
      [now({}, {}, { policies: ['p-1'] }), 'policies'],
      [now({}, { schedulable: false }), 'template', 'operations'],
    ] as const)
      expect(changesOf(JSON.parse(JSON.stringify(plan)), other)).to.deep.equal(parts)
    expect(changesOf(older, now({}, { status: 'stopped' }))).to.deep.equal([])
    expect(changesOf(older, now({ resourceName: 'shop' }))).to.deep.equal(['subject'])
    // What was approved before is still what was hashed then.
    expect(hashOf(older)).to.equal('cac04c8b31c9e1570e2661f182ef6cb83985f18f373da32b1b7c031df31ee93b')
    expect(hashOf(plan)).not.to.equal(hashOf(older))
  })

  it('makes a schedule of the business hours, also where they end at midnight', () => {
    expect(scheduleRules(governanceDefaults)).to.deep.equal([
      { action: 'start', cron: '0 8 * * 1,2,3,4,5' },
      { action: 'stop', cron: '0 18 * * 1,2,3,4,5' },
    ])
    const late = { ...governanceDefaults, businessHours: { days: [6, 7], from: '09:30', to: '24:00' } }
    expect(scheduleRules(late)).to.deep.equal([
      { action: 'start', cron: '30 9 * * 0,6' },
      { action: 'stop', cron: '0 0 * * 0,1' },
    ])
    for (const { cron } of scheduleRules(late)) expect(() => parse(cron)).not.to.throw()
  })

  it('is named after the resource, or its id where it has no name, in at most 100 characters', async () => {
    const reads = { rows: async () => [] } as unknown as Parameters<typeof scheduleTermsFor>[0]['reads']
    const nameOf = async (name: string) => {
      const resource = { ...stopped.resource, uid: 'i-1', name }
      return (await scheduleTermsFor({ reads }, 'o-1', { ...stopped, resource })).name
    }
    expect([await nameOf('web'), await nameOf('')]).to.deep.equal(['Business hours of web', 'Business hours of i-1'])
    expect(await nameOf('x'.repeat(200))).to.equal(`Business hours of ${'x'.repeat(82)}`)
  })
})

describe('a look', () => {
  it('is what was wanted, is not, or cannot tell', () => {
    const wanted = { exists: true, status: 'stopped' as const, specs: { a: 1 } }
    expect(matches(wanted, { exists: true, status: 'stopped', specs: { a: 1, b: 2 } })).to.equal('yes')
    expect(matches(wanted, { exists: true, status: 'running', specs: { a: 1 } })).to.equal('no')
    expect(matches(wanted, { exists: true, specs: { a: 1 } })).to.equal('unknown')
    expect(matches(wanted, { exists: true, specs: { a: 2 } })).to.equal('no')
    expect(matches(wanted, { exists: true }, { status: 'stopped', specs: { a: 1 } })).to.equal('yes')
    // What the cloud says counts before what the inventory says.
    expect(matches(wanted, { exists: true, specs: { a: 2 } }, { status: 'stopped', specs: { a: 1 } })).to.equal('no')
    expect(matches({ exists: false }, { exists: true })).to.equal('no')
    expect(matches({}, {})).to.equal('yes')
  })
})
