/** Container image registries. */
import type { Repository } from '@aws-sdk/client-ecr'
import type { ProvisionAnswer, ProvisionRequest } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import {
  ignoreNotFound,
  removeIfPresent,
  jobTag,
  goneFault,
  once,
  tagsOf,
  nameTakenFault,
  text,
  type ProvisionStep,
} from './step.ts'

const nameOf = ({ config }: Pick<ProvisionRequest, 'config'>): string => text(config['name'])

async function repositoryOf(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'config' | 'region'>,
): Promise<Repository | undefined> {
  const repositoryNames = [nameOf(request)]
  const answer = await ignoreNotFound(() =>
    session.ask('ecr', request.region, (m) => new m.DescribeRepositoriesCommand({ repositoryNames })),
  )
  return answer?.repositories?.[0]
}

/** Whether the job created it: repositories are only identified by name. */
async function isOurs(session: AwsSession, { repositoryArn }: Repository, request: ProvisionRequest): Promise<boolean> {
  const { tags = [] } = await session.ask(
    'ecr',
    request.region,
    (m) => new m.ListTagsForResourceCommand({ resourceArn: repositoryArn }),
  )
  return tags.some(({ Key, Value }) => Key === jobTag && Value === request.jobId)
}

const answerOf = ({ repositoryArn, repositoryUri }: Repository): ProvisionAnswer => ({
  status: 'done',
  output: { registryUid: repositoryArn, uri: repositoryUri },
})

export const create: ProvisionStep = {
  make: async (session, request) => {
    const known = await repositoryOf(session, request)
    if (known) {
      if (await isOurs(session, known, request)) return answerOf(known)
      throw nameTakenFault(nameOf(request))
    }
    const { repository } = await session.ask(
      'ecr',
      request.region,
      (m) =>
        new m.CreateRepositoryCommand({
          repositoryName: nameOf(request),
          imageTagMutability: request.config['immutableTags'] === true ? 'IMMUTABLE' : 'MUTABLE',
          imageScanningConfiguration: { scanOnPush: true },
          tags: tagsOf(request),
        }),
      // A second request is refused because of the name, which would look like another job's repository.
      once,
    )
    return answerOf(repository ?? {})
  },
  unmake: async (session, request) => {
    const known = await repositoryOf(session, request)
    if (!known || !(await isOurs(session, known, request))) return { status: 'done' }
    await removeIfPresent(/^RepositoryNotFound/, () =>
      session.ask(
        'ecr',
        request.region,
        (m) => new m.DeleteRepositoryCommand({ repositoryName: nameOf(request), force: true }),
      ),
    )
    return { status: 'done', gone: [known.repositoryArn ?? ''] }
  },
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    if (await repositoryOf(session, request)) return { status: 'done' }
    throw goneFault(`The registry ${nameOf(request)}`)
  },
}

export async function describe(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'config' | 'region'>,
): Promise<Record<string, unknown> | null> {
  const known = await repositoryOf(session, request)
  return known ? { ...request.config, immutableTags: known.imageTagMutability === 'IMMUTABLE' } : null
}
