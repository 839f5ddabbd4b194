import { expect } from 'chai'
import { planCost } from '#actors/catalog/terraform/cost.ts'
import { readPlan } from '#actors/catalog/terraform/plan.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'

// Prices of us-east-1 an hour: m5.large 0.096, m5.xlarge 0.192; of us-central1: n2-standard-2 0.097118. A month has 730 hours.
const large = '70.08'
const tables = new ReferenceTables().at({ now: new Date('2026-11-01'), families: [] })

const typeAndName = (address: string) =>
  address
    .replaceAll(/\[[^\]]*\]/g, '')
    .split('.')
    .slice(-2)
const moduleOf = (address: string) => {
  const end = address.lastIndexOf(`${typeAndName(address)[0]}.`)
  return end > 0 ? { module_address: address.slice(0, end - 1) } : {}
}
const change = (address: string, before: unknown, then: unknown, after_unknown: unknown = {}, action?: string) => {
  const [type, name] = typeAndName(address)
  const actions = [action ?? (before === null ? 'create' : 'update')]
  return {
    address,
    ...moduleOf(address),
    mode: 'managed',
    type,
    name,
    change: { actions, before, after: then, after_unknown },
  }
}
const template = (address: string, instance_type: string, more: object = {}) =>
  change(address, null, { instance_type, ...more }, { id: true, latest_version: true })
/** A group of `count` machines whose template has no id yet. */
const group = (address: string, count: number) =>
  change(
    address,
    null,
    { desired_capacity: count, min_size: 1, launch_template: [{}] },
    { launch_template: [{ id: true }] },
  )

const referring = (type: string, name: string, reference: string) => ({
  mode: 'managed',
  type,
  name,
  provider_config_key: 'aws',
  expressions: { launch_template: [{ id: { references: [`${reference}.id`, reference] } }] },
})
function costOf(resource_changes: unknown[], root_module: object = {}) {
  const provider_config = {
    aws: { expressions: { region: { constant_value: 'us-east-1' } } },
    google: { expressions: { region: { constant_value: 'us-central1' } } },
  }
  const document = { format_version: '1.2', resource_changes, configuration: { provider_config, root_module } }
  return planCost(readPlan(Buffer.from(JSON.stringify(document))), tables)
}
const amountsOf = (cost: ReturnType<typeof costOf>) =>
  Object.fromEntries(cost.resources.map(({ address, before, after }) => [address, [before, after]]))
const without = (cost: ReturnType<typeof costOf>) =>
  cost.notPriced.filter(({ reason }) => reason !== 'free').map(({ address, part, why }) => `${address} ${part}: ${why}`)

const ofImage = (address: string) => `${address} disks: its size is that of its image`
const notShown = (address: string) =>
  `${address} machines: its size is defined in a template that the plan does not show`

describe('a group of machines with a template in the same plan', () => {
  it('costs its machines and disks, with the template that the configuration names', () => {
    const disks = { block_device_mappings: [{ ebs: [{ volume_type: 'gp3', volume_size: 50 }] }] }
    const cost = costOf(
      [
        template('aws_launch_template.other', 'm5.xlarge'),
        template('aws_launch_template.web', 'm5.large', disks),
        group('aws_autoscaling_group.web', 3),
      ],
      { resources: [referring('aws_autoscaling_group', 'web', 'aws_launch_template.web')] },
    )
    // 3 x 70.08 + 3 x 50 x 0.08
    expect(amountsOf(cost)).to.deep.equal({ 'aws_autoscaling_group.web': ['0', '222.24'] })
    expect([without(cost), cost.unknown, cost.isComplete]).to.deep.equal([[], [], true])
  })

  it('takes the instance of the template that has its own key, or the one that is named by a key', () => {
    const cost = costOf(
      [
        template('aws_launch_template.web["a"]', 'm5.large'),
        template('aws_launch_template.web["b"]', 'm5.xlarge'),
        group('aws_autoscaling_group.web["a"]', 1),
        group('aws_autoscaling_group.web["b"]', 1),
        group('aws_autoscaling_group.fixed', 2),
      ],
      {
        resources: [
          referring('aws_autoscaling_group', 'web', 'aws_launch_template.web'),
          referring('aws_autoscaling_group', 'fixed', 'aws_launch_template.web["b"]'),
        ],
      },
    )
    expect(amountsOf(cost)).to.deep.equal({
      'aws_autoscaling_group.web["a"]': ['0', large],
      'aws_autoscaling_group.web["b"]': ['0', '140.16'],
      'aws_autoscaling_group.fixed': ['0', '280.32'],
    })
  })

  it('follows outputs of modules and variables into modules', () => {
    const outputs = { id: { expression: { references: ['aws_launch_template.this.id', 'aws_launch_template.this'] } } }
    const module_calls = {
      template: { module: { outputs } },
      group: {
        expressions: { template_id: { references: ['module.template.id', 'module.template'] } },
        module: {
          resources: [
            {
              ...referring('aws_autoscaling_group', 'this', ''),
              expressions: { launch_template: [{ id: { references: ['var.template_id'] } }] },
            },
          ],
        },
      },
    }
    const cost = costOf(
      [
        template('module.template.aws_launch_template.this', 'm5.large'),
        template('aws_launch_template.other', 'm5.xlarge'),
        group('module.group["eu"].aws_autoscaling_group.this', 2),
      ],
      { module_calls },
    )
    expect(amountsOf(cost)).to.deep.equal({ 'module.group["eu"].aws_autoscaling_group.this': ['0', '140.16'] })
  })

  it('takes the only template of its module where the plan does not say which, and none of several', () => {
    const cost = costOf([
      template('module.one.aws_launch_template.this[0]', 'm5.large'),
      group('module.one.aws_autoscaling_group.this[0]', 1),
      template('aws_launch_template.a', 'm5.large'),
      template('aws_launch_template.b', 'm5.xlarge'),
      group('aws_autoscaling_group.c', 1),
    ])
    expect(amountsOf(cost)).to.deep.equal({ 'module.one.aws_autoscaling_group.this[0]': ['0', large] })
    expect(without(cost)).to.deep.equal([
      ofImage('module.one.aws_autoscaling_group.this[0]'),
      notShown('aws_autoscaling_group.c'),
    ])
    expect([cost.unknown, cost.isComplete]).to.deep.equal([['aws_autoscaling_group.c'], false])
  })

  it('changes with the newest version of its template, unless it names an older one', () => {
    const [was, is] = ['m5.large', 'm5.xlarge'].map((instance_type) => ({
      id: 'lt-1',
      name: 'web',
      instance_type,
      latest_version: 3,
    }))
    const same = (name: string, version: string) => {
      const values = { desired_capacity: 2, launch_template: [{ id: 'lt-1', version }] }
      return change(`aws_autoscaling_group.${name}`, values, values, {}, 'no-op')
    }
    const cost = costOf([
      change('aws_launch_template.web', was, { ...is, latest_version: undefined }, { latest_version: true }),
      same('newest', '$Latest'),
      same('third', '3'),
      same('second', '2'),
    ])
    expect(amountsOf(cost)).to.deep.equal({
      'aws_autoscaling_group.newest': ['140.16', '280.32'],
      'aws_autoscaling_group.third': ['140.16', '140.16'],
    })
    expect(without(cost)).to.include(notShown('aws_autoscaling_group.second'))
  })

  it('is priced with one instance type on demand, not with several or at spot prices', () => {
    const specification = [{ launch_template_specification: [{ launch_template_name: 'web' }] }]
    const mixed = (name: string, override: object[], share?: number) =>
      change(`aws_autoscaling_group.${name}`, null, {
        desired_capacity: 2,
        mixed_instances_policy: [
          {
            launch_template: [{ ...specification[0], override }],
            instances_distribution: share === undefined ? [] : [{ on_demand_percentage_above_base_capacity: share }],
          },
        ],
      })
    const cost = costOf([
      change('aws_launch_template.web', null, { name: 'web', instance_type: 'm5.large' }, { id: true }),
      mixed('plain', []),
      mixed('larger', [{ instance_type: 'm5.xlarge' }], 100),
      mixed('several', [{ instance_type: 'm5.xlarge' }, { instance_type: 'm5.large' }]),
      mixed('spot', [], 50),
    ])
    expect(amountsOf(cost)).to.deep.equal({
      'aws_autoscaling_group.plain': ['0', '140.16'],
      'aws_autoscaling_group.larger': ['0', '280.32'],
    })
    expect(without(cost)).to.include.members([
      'aws_autoscaling_group.several machines: they can have several instance types',
      'aws_autoscaling_group.spot machines: spot prices change every hour',
    ])
  })

  it('may be of a launch configuration, and has no machines at zero', () => {
    const configured = (name: string, count: number) =>
      change(`aws_autoscaling_group.${name}`, null, { desired_capacity: count, launch_configuration: 'old' })
    const cost = costOf([
      change('aws_launch_configuration.old', null, {
        name: 'old',
        instance_type: 'm5.large',
        root_block_device: [{ volume_type: 'gp2', volume_size: 20 }],
      }),
      configured('two', 2),
      configured('none', 0),
    ])
    // 2 x 70.08 + 2 x 20 x 0.1
    expect(amountsOf(cost)).to.deep.equal({
      'aws_autoscaling_group.two': ['0', '144.16'],
      'aws_autoscaling_group.none': ['0', '0'],
    })
  })

  it('is a machine or a node group as well, which take from it what they do not say themselves', () => {
    const launch_template = [{ name: 'web' }]
    const cost = costOf([
      change('aws_launch_template.web', null, { name: 'web', instance_type: 'm5.large' }, { id: true }),
      change('aws_instance.one', null, { launch_template }, { instance_type: true }),
      change('aws_instance.own', null, { launch_template, instance_type: 'm5.xlarge' }),
      change('aws_eks_node_group.nodes', null, { launch_template, scaling_config: [{ desired_size: 4 }] }),
    ])
    expect(amountsOf(cost)).to.deep.equal({
      'aws_instance.one': ['0', large],
      'aws_instance.own': ['0', '140.16'],
      'aws_eks_node_group.nodes': ['0', '280.32'],
    })
  })

  it('is found on Google Cloud by its link, and has no size while two versions run', () => {
    const link = 'projects/p/global/instanceTemplates/web'
    const values = {
      id: link,
      machine_type: 'n2-standard-2',
      disk: [{ boot: true, disk_type: 'pd-standard', disk_size_gb: 100 }],
    }
    const manager = (name: string, version: object[]) =>
      change(`google_compute_instance_group_manager.${name}`, null, { zone: 'us-central1-a', target_size: 2, version })
    const byLink = { instance_template: `https://www.googleapis.com/compute/v1/${link}?uniqueId=7` }
    const cost = costOf([
      change('google_compute_instance_template.web', values, values, {}, 'no-op'),
      manager('one', [byLink]),
      manager('two', [byLink, { name: 'canary', instance_template: 'x' }]),
    ])
    // 2 x 0.097118 x 730 + 2 x 100 x 0.04
    expect(amountsOf(cost)).to.deep.equal({ 'google_compute_instance_group_manager.one': ['0', '149.79228'] })
    expect(without(cost)).to.deep.equal(['google_compute_instance_group_manager.two machines: it has several versions'])
  })
})

describe('what of a plan cannot be priced', () => {
  const unknown = (...changes: unknown[]) => costOf(changes).unknown

  it('is what it creates, replaces or resizes; not what stays, goes, is billed by usage, or updates a type without prices', () => {
    const sized = { instance_type: 'm5.large' }
    expect(
      unknown(
        change('aws_instance.created', null, {}, { instance_type: true }),
        change('aws_instance.resized', sized, {}, { instance_type: true }),
        change('aws_nat_gateway.created', null, { id: 'x', availability_zone: 'us-east-1a' }),
        change('aws_nat_gateway.updated', { id: 'x' }, { id: 'x' }),
        change('aws_nat_gateway.kept', { id: 'x' }, { id: 'x' }, {}, 'no-op'),
        change('aws_nat_gateway.gone', { id: 'x' }, null, {}, 'delete'),
        change('aws_s3_bucket.created', null, { bucket: 'b' }),
        change('aws_instance.priced', null, sized),
      ),
    ).to.deep.equal(['aws_instance.created', 'aws_instance.resized', 'aws_nat_gateway.created'])
  })
})
