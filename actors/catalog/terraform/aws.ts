import { disk, machine, unit, without, type ChargedPart, type PartsOf, type Side } from './part.ts'
import { ebs, notOnDemand, spot, toKnownText, volumes } from './aws-part.ts'
import { launchTemplateOf, scalingGroup, templateMachine, templateParts } from './aws-template.ts'
import { later } from './values.ts'

function instance(side: Side): ChargedPart[] {
  const { values } = side
  return [
    instanceMachine(side),
    ...volumes(side, side.values, { name: 'root disk', path: 'root_block_device', isAlways: true }),
    ...volumes(side, side.values, { name: 'disk', path: 'ebs_block_device', isAlways: false }),
    ...publicAddress(values.at('associate_public_ip_address'), side),
  ]
}

function instanceMachine(side: Side): ChargedPart {
  const { values } = side
  const name = 'machine'
  const template = values.text('instance_type') === later ? launchTemplateOf(side) : undefined
  if (template) return templateMachine(side, template, { name, type: 'aws-ec2', count: 1 })
  return notOnDemand(name, values, 'tenancy') ?? machine(side, { name, type: 'aws-ec2', path: 'instance_type' })
}

function publicAddress(said: unknown, side: Side): ChargedPart[] {
  const name = 'public IP address'
  if (said === later) return [without(name, 'size_unknown', 'whether it gets one is not known until it is applied')]
  return said === true ? [unit(side, { name, key: 'aws.ipv4.public_hour' })] : []
}

function database(side: Side): ChargedPart[] {
  const { values } = side
  const specs = { 'specs.engine': toKnownText(values.text('engine')), 'specs.multi_az': values.at('multi_az') === true }
  const model = values.text('license_model')
  const machinePart =
    values.at('multi_az') === later
      ? without('machine', 'size_unknown', 'whether it has a standby is not known until it is applied')
      : machine(side, { name: 'machine', type: 'aws-rds', path: 'instance_class', specs })
  return [
    model === 'license-included' ? without('machine', 'not_priced', 'the license is billed separately') : machinePart,
    disk(side, {
      name: 'storage',
      type: 'aws-rds',
      spec: 'storage_type',
      kind: values.text('storage_type'),
      gb: values.number('allocated_storage'),
      isShown: !values.isSensitive('storage_type') && !values.isSensitive('allocated_storage'),
      specs,
    }),
    without('backups', 'usage'),
  ]
}

function aurora(side: Side): ChargedPart[] {
  const specs = { 'specs.engine': toKnownText(side.values.text('engine')) }
  if (side.values.text('instance_class') === 'db.serverless') return [without('machine', 'usage')]
  return [machine(side, { name: 'machine', type: 'aws-rds', path: 'instance_class', specs })]
}

const cacheNode = (side: Side, count: number | typeof later | undefined): ChargedPart => {
  const engine = side.values.text('engine')
  return engine === 'valkey'
    ? without('nodes', 'not_priced', 'Valkey nodes are priced differently')
    : machine(side, { name: 'nodes', type: 'aws-elasticache', path: 'node_type', count })
}

/** A member of a replication group is included in the cost of the group. */
const cacheCluster: PartsOf = (side) =>
  side.values.text('replication_group_id') === undefined
    ? [cacheNode(side, side.values.number('num_cache_nodes'))]
    : [without('nodes', 'free', 'its nodes are listed with their replication group')]

const cacheGroup: PartsOf = (side) => {
  const { values } = side
  const groups = values.number('num_node_groups')
  const replicas = values.number('replicas_per_node_group')
  const sum = typeof groups === 'number' && typeof replicas === 'number' ? groups * (replicas + 1) : undefined
  return [cacheNode(side, sum ?? values.number('num_cache_clusters'))]
}

/** Its disks have prices of their own service. */
const search: PartsOf = (side) => {
  const blocks = side.values.blocks('cluster_config')
  if (blocks === later || !blocks[0]) return [without('nodes', 'size_unknown')]
  const [config] = blocks
  const type = 'aws-opensearch'
  const parts = [
    machine(side, {
      name: 'nodes',
      type,
      values: config,
      path: 'instance_type',
      count: config.number('instance_count'),
    }),
  ]
  const path = 'dedicated_master_type'
  const count = config.number('dedicated_master_count')
  if (config.at('dedicated_master_enabled') === true)
    parts.push(machine(side, { name: 'dedicated master nodes', type, values: config, path, count }))
  if (config.at('warm_enabled') === true) parts.push(without('warm nodes', 'not_priced'))
  return [...parts, without('disks', 'not_priced')]
}

const kafka: PartsOf = (side) => {
  const blocks = side.values.blocks('broker_node_group_info')
  if (blocks === later || !blocks[0]) return [without('brokers', 'size_unknown')]
  const count = side.values.number('number_of_broker_nodes')
  const type = 'aws-msk'
  return [
    machine(side, { name: 'brokers', type, values: blocks[0], path: 'instance_type', count }),
    without('disks', 'not_priced'),
  ]
}

const nodeGroup: PartsOf = (side) => {
  const { values } = side
  if (values.text('capacity_type') === 'SPOT') return [without('nodes', 'not_priced', spot)]
  const count = values.number('scaling_config.0.desired_size')
  const path = 'instance_types.0'
  const types = values.at('instance_types')
  const template = Array.isArray(types) ? undefined : launchTemplateOf(side)
  if (template)
    return templateParts(side, template, { name: 'nodes', disk: 'node disks', type: 'aws-eks-nodegroup', count })
  const nodes =
    Array.isArray(types) && types.length > 1
      ? without('nodes', 'size_unknown', 'they can have several instance types')
      : machine(side, { name: 'nodes', type: 'aws-eks-nodegroup', path, count })
  return [nodes, without('node disks', 'not_priced')]
}

const balancer: PartsOf = (side) => {
  const said = side.values.text('load_balancer_type')
  if (said === later) return [without('load balancer', 'size_unknown')]
  const kind = said ?? 'application'
  return kind === 'application'
    ? [unit(side, { name: 'load balancer', key: 'aws.elb.alb_hour' }), without('capacity units', 'usage')]
    : [without('load balancer', 'not_priced', `those of type ${kind} are not in the price tables`)]
}

/** Parts with prices for AWS, by resource type. */
export const awsParts: ReadonlyMap<string, PartsOf> = new Map<string, PartsOf>([
  ['aws_instance', instance],
  ['aws_autoscaling_group', scalingGroup],
  ['aws_ebs_volume', (side) => [ebs(side, 'disk', side.values, ['type', 'size'])]],
  ['aws_db_instance', database],
  ['aws_rds_cluster_instance', aurora],
  ['aws_elasticache_cluster', cacheCluster],
  ['aws_elasticache_replication_group', cacheGroup],
  ['aws_opensearch_domain', search],
  ['aws_elasticsearch_domain', search],
  ['aws_msk_cluster', kafka],
  ['aws_eks_cluster', (side) => [unit(side, { name: 'control plane', key: 'aws.eks.cluster_hour' })]],
  ['aws_eks_node_group', nodeGroup],
  ['aws_lb', balancer],
  ['aws_alb', balancer],
  ['aws_eip', (side) => [unit(side, { name: 'public IP address', key: 'aws.ipv4.public_hour' })]],
])
