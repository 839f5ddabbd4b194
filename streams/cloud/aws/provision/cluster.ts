/** Kubernetes clusters in EKS: network, roles of the cluster and its machines, control plane, node groups. */
import type { Cluster, Nodegroup } from '@aws-sdk/client-eks'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'
import {
  count,
  ignoreNotFound,
  removeIfPresent,
  list,
  goneFault,
  madeBy,
  once,
  ownName,
  tryRemove,
  tagMapOf,
  tagsOf,
  text,
  readOutput,
  waiting,
  type ProvisionStep,
} from './step.ts'

type NamedRequest = Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>

const nameOf = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 100)

async function firewallOf(session: AwsSession, request: ProvisionRequest): Promise<string | undefined> {
  const { SecurityGroups = [] } = await session.ask(
    'ec2',
    request.region,
    (m) => new m.DescribeSecurityGroupsCommand({ Filters: madeBy(request) }),
  )
  return SecurityGroups[0]?.GroupId
}

export const network: ProvisionStep = {
  make: async (session, request) => {
    const known = await firewallOf(session, request)
    if (known !== undefined) return { status: 'done', output: { networkUid: known } }
    const { GroupId } = await session.ask(
      'ec2',
      request.region,
      (m) =>
        new m.CreateSecurityGroupCommand({
          GroupName: ownName(request, 100, 'nodes'),
          Description: `Of Tidemark job ${request.jobId}`,
          VpcId: text(request.config['vpcID']),
          TagSpecifications: [{ ResourceType: 'security-group', Tags: tagsOf(request) }],
        }),
      once,
    )
    return { status: 'done', output: { networkUid: GroupId } }
  },
  unmake: async (session, request) => {
    const GroupId = await firewallOf(session, request)
    if (GroupId === undefined) return { status: 'done', gone: [] }
    const take = () => session.ask('ec2', request.region, (m) => new m.DeleteSecurityGroupCommand({ GroupId }))
    return (await tryRemove(/^InvalidGroup/, take)) ? { status: 'done', gone: [GroupId] } : waiting
  },
}

interface Role {
  what: string
  service: string
  policies: readonly string[]
}

const clusterRole: Role = { what: 'cluster', service: 'eks.amazonaws.com', policies: ['AmazonEKSClusterPolicy'] }
const nodeRole: Role = {
  what: 'node',
  service: 'ec2.amazonaws.com',
  policies: ['AmazonEKSWorkerNodePolicy', 'AmazonEKS_CNI_Policy', 'AmazonEC2ContainerRegistryReadOnly'],
}

/** Our roles have the prefix `tidemark-`; we may not change others. */
const roleName = (request: ProvisionRequest, what: string): string => `tidemark-${ownName(request, 55, what)}`

const arnOf = ({ partition }: AwsSession, policy: string): string => `arn:${partition}:iam::aws:policy/${policy}`

/** ARN of a role for the job's cluster or machines; created if it does not exist. */
async function roleFor(
  session: AwsSession,
  request: ProvisionRequest,
  { what, service, policies }: Role,
): Promise<string> {
  const RoleName = roleName(request, what)
  const known = await ignoreNotFound(() => session.ask('iam', globalRegion, (m) => new m.GetRoleCommand({ RoleName })))
  const AssumeRolePolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }],
  })
  const role =
    known?.Role ??
    (
      await session.ask(
        'iam',
        globalRegion,
        (m) => new m.CreateRoleCommand({ RoleName, AssumeRolePolicyDocument, Tags: tagsOf(request) }),
        once,
      )
    ).Role
  for (const policy of policies)
    await session.ask(
      'iam',
      globalRegion,
      (m) => new m.AttachRolePolicyCommand({ RoleName, PolicyArn: arnOf(session, policy) }),
    )
  return role?.Arn ?? ''
}

async function unmakeRole(session: AwsSession, request: ProvisionRequest, { what, policies }: Role): Promise<boolean> {
  const RoleName = roleName(request, what)
  for (const policy of policies)
    await removeIfPresent(/^NoSuchEntity/, () =>
      session.ask(
        'iam',
        globalRegion,
        (m) => new m.DetachRolePolicyCommand({ RoleName, PolicyArn: arnOf(session, policy) }),
      ),
    )
  return tryRemove(/^NoSuchEntity/, () =>
    session.ask('iam', globalRegion, (m) => new m.DeleteRoleCommand({ RoleName })),
  )
}

async function clusterOf(session: AwsSession, request: NamedRequest): Promise<Cluster | undefined> {
  const name = nameOf(request)
  const answer = await ignoreNotFound(() =>
    session.ask('eks', request.region, (m) => new m.DescribeClusterCommand({ name })),
  )
  return answer?.cluster
}

const toldOf = ({ arn, name, version, endpoint }: Cluster) => ({
  clusterUid: arn,
  name,
  version,
  ...(endpoint !== undefined && { endpoint }),
})

export const controlPlane: ProvisionStep = {
  make: async (session, request): Promise<ProvisionAnswer> => {
    const { config, region } = request
    if (!(await clusterOf(session, request))) {
      const roleArn = await roleFor(session, request, clusterRole)
      await session.ask(
        'eks',
        region,
        (m) =>
          new m.CreateClusterCommand({
            name: nameOf(request),
            version: text(config['version']),
            roleArn,
            clientRequestToken: request.token,
            resourcesVpcConfig: {
              subnetIds: [...((config['subnetIDs'] as string[] | undefined) ?? [])],
              securityGroupIds: [readOutput(request, 'network', 'networkUid')],
            },
            tags: tagMapOf(request),
          }),
        once,
      )
    }
    const made = await clusterOf(session, request)
    return made?.status === 'ACTIVE' ? { status: 'done', output: toldOf(made) } : waiting
  },
  unmake: async (session, request): Promise<UnprovisionAnswer> => {
    const known = await clusterOf(session, request)
    const name = nameOf(request)
    if (known && known.status !== 'DELETING') {
      const take = () => session.ask('eks', request.region, (m) => new m.DeleteClusterCommand({ name }))
      if (!(await tryRemove(/^ResourceNotFound/, take))) return waiting
    }
    if (await clusterOf(session, request)) return waiting
    if (!(await unmakeRole(session, request, clusterRole))) return waiting
    return { status: 'done', gone: known?.arn === undefined ? [] : [known.arn] }
  },
}

async function nodesOf(
  session: AwsSession,
  request: NamedRequest,
  nodegroupName: string,
): Promise<Nodegroup | undefined> {
  const clusterName = nameOf(request)
  const answer = await ignoreNotFound(() =>
    session.ask('eks', request.region, (m) => new m.DescribeNodegroupCommand({ clusterName, nodegroupName })),
  )
  return answer?.nodegroup
}

const groupsIn = ({ config }: Pick<ProvisionRequest, 'config'>) => list(config['nodeGroups'])

/** Creates all groups before waiting for any. */
export const nodeGroups: ProvisionStep = {
  make: async (session, request) => {
    let nodeRoleArn: string | undefined
    const made: (Nodegroup | undefined)[] = []
    for (const group of groupsIn(request)) {
      const name = text(group['name'])
      const known = await nodesOf(session, request, name)
      if (!known) {
        nodeRoleArn ??= await roleFor(session, request, nodeRole)
        await makeNodes(session, request, group, nodeRoleArn)
      }
      made.push(known)
    }
    if (!made.every((one) => one?.status === 'ACTIVE')) return waiting
    return {
      status: 'done',
      output: { nodeGroups: made.map((one) => ({ name: one!.nodegroupName, uid: one!.nodegroupArn })) },
    }
  },
  unmake: async (session, request) => {
    const uids: string[] = []
    for (const group of groupsIn(request)) {
      const nodegroupName = text(group['name'])
      const known = await nodesOf(session, request, nodegroupName)
      if (!known) continue
      uids.push(known.nodegroupArn ?? '')
      const clusterName = nameOf(request)
      if (known.status !== 'DELETING')
        await removeIfPresent(/^ResourceNotFound/, () =>
          session.ask('eks', request.region, (m) => new m.DeleteNodegroupCommand({ clusterName, nodegroupName })),
        )
      if (await nodesOf(session, request, nodegroupName)) return waiting
    }
    return (await unmakeRole(session, request, nodeRole)) ? { status: 'done', gone: uids } : waiting
  },
}

async function makeNodes(
  session: AwsSession,
  request: ProvisionRequest,
  group: Record<string, unknown>,
  nodeRoleArn: string,
): Promise<void> {
  const [minSize, maxSize] = [count(group['min']), count(group['max'], 1)]
  const nodegroupName = text(group['name'])
  await session.ask(
    'eks',
    request.region,
    (m) =>
      new m.CreateNodegroupCommand({
        clusterName: nameOf(request),
        nodegroupName,
        nodeRole: nodeRoleArn,
        subnets: [...((request.config['subnetIDs'] as string[] | undefined) ?? [])],
        instanceTypes: [text(group['instanceType'])],
        scalingConfig: { minSize, maxSize, desiredSize: minSize },
        clientRequestToken: `${request.token}/${nodegroupName}`.slice(0, 128),
        tags: tagMapOf(request),
      }),
    once,
  )
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const known = await clusterOf(session, request)
    if (!known) throw goneFault(`The cluster ${nameOf(request)}`)
    return known.status === 'ACTIVE' ? { status: 'done', output: toldOf(known) } : waiting
  },
}

export async function describe(session: AwsSession, request: NamedRequest): Promise<Record<string, unknown> | null> {
  const known = await clusterOf(session, request)
  if (!known || known.status === 'DELETING') return null
  const { vpcId = request.config['vpcID'], subnetIds } = known.resourcesVpcConfig ?? {}
  const nodeGroups = await describeNodes(session, request)
  return { ...request.config, version: known.version, vpcID: vpcId, subnetIDs: subnetIds, nodeGroups }
}

/** All groups of the cluster, including those that the job did not create. */
async function describeNodes(session: AwsSession, request: NamedRequest): Promise<object[]> {
  const clusterName = nameOf(request)
  const groups: object[] = []
  const pages = session.pages(
    'eks',
    request.region,
    (m, nextToken) => new m.ListNodegroupsCommand({ clusterName, nextToken }),
    ({ nextToken }) => nextToken,
  )
  for await (const { nodegroups = [] } of pages)
    for (const name of nodegroups) {
      const { instanceTypes, scalingConfig } = (await nodesOf(session, request, name)) ?? {}
      const { minSize, maxSize } = scalingConfig ?? {}
      groups.push({ name, instanceType: instanceTypes?.[0] ?? null, min: minSize, max: maxSize })
    }
  return groups
}
