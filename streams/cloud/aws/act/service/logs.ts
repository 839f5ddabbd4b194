/** Log groups of CloudWatch, and repositories of images. */
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

async function lookGroup({ session, region, name }: At): Promise<ResourceState> {
  const filter = { logGroupNamePrefix: name, limit: 50 }
  const answer = await session.ask('cloudwatch-logs', region, (m) => new m.DescribeLogGroupsCommand(filter))
  const found = answer.logGroups?.find(({ logGroupName }) => logGroupName === name)
  if (!found) return absent
  return { exists: true, status: 'running', specs: { retention_days: found.retentionInDays ?? null } }
}

/** Days that AWS keeps logs for; another number becomes the next greater one. */
const retentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]

const setGroup: Verbs['set'] = async ({ session, region, name, ref }, specs) => {
  const days = specs['retention_days']
  if (days === null) {
    const order = { logGroupName: name }
    await session.ask('cloudwatch-logs', region, (m) => new m.DeleteRetentionPolicyCommand(order))
    return
  }
  if (typeof days !== 'number' || !retentions.includes(days))
    throw unsupportedFault(ref, `a retention of ${JSON.stringify(days)} days; AWS allows ${retentions.join(', ')}`)
  const order = { logGroupName: name, retentionInDays: days }
  await session.ask('cloudwatch-logs', region, (m) => new m.PutRetentionPolicyCommand(order))
}

export const logGroup: ResourceKind<At> = {
  look: lookGroup,
  sets: ['retention_days'],
  set: setGroup,
  delete: ({ session, region, name }) =>
    session.ask('cloudwatch-logs', region, (m) => new m.DeleteLogGroupCommand({ logGroupName: name })),
}

async function lookRepository({ session, region, name }: At): Promise<ResourceState> {
  const answer = await ignoreNotFound(
    session.ask('ecr', region, (m) => new m.DescribeRepositoriesCommand({ repositoryNames: [name] })),
  )
  if (!answer?.repositories?.length) return absent
  const policy = await ignoreNotFound(
    session.ask('ecr', region, (m) => new m.GetLifecyclePolicyCommand({ repositoryName: name })),
  )
  return { exists: true, status: 'running', specs: { lifecycle_policy: policy !== undefined } }
}

/** Days after which an image that no tag names goes. */
const untaggedDays = 7

const setRepository: Verbs['set'] = async ({ session, region, name, ref }, specs) => {
  if (specs['lifecycle_policy'] !== true) throw unsupportedFault(ref, 'removing its lifecycle policy')
  const selection = {
    tagStatus: 'untagged',
    countType: 'sinceImagePushed',
    countUnit: 'days',
    countNumber: untaggedDays,
  }
  const rule = { rulePriority: 1, description: 'Untagged images', selection, action: { type: 'expire' } }
  const order = { repositoryName: name, lifecyclePolicyText: JSON.stringify({ rules: [rule] }) }
  await session.ask('ecr', region, (m) => new m.PutLifecyclePolicyCommand(order))
}

/** AWS deletes none that holds images: it says so. */
export const repository: ResourceKind<At> = {
  look: lookRepository,
  sets: ['lifecycle_policy'],
  set: setRepository,
  delete: ({ session, region, name }) =>
    session.ask('ecr', region, (m) => new m.DeleteRepositoryCommand({ repositoryName: name })),
}
